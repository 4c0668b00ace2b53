// SPDX-License-Identifier: Apache-2.0
//
// A session of computational storage devices: fills and reads sequences and their heads, runs jobs
// and prompts. The flash contents persist between runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "api/csd/csd_records.h"
#include "api/csd/csd_report.h"
#include "core/record.h"
#include "core/refusal.h"

namespace neardata::api {

/// The KV caches of the devices of a session.
struct FilledDevices {
  std::vector<system::KvCache> caches;
};
constexpr auto handle_name(const FilledDevices*) { return "FilledDevices"; }

class CsdSession {
 public:
  static constexpr const char* kName = "session of computational storage devices";
  using Config = CsdSpec;
  using Pages = core::Handle<system::HeadPages>;
  using Filled = core::Handle<FilledDevices>;

  [[nodiscard]] static core::Answer<std::unique_ptr<CsdSession>> open(Config spec);
  [[nodiscard]] core::MachineRecord describe() { return machine_.describe(); }

  struct NewSequence {
    std::uint32_t device = 0;
    std::uint32_t heads = 0;
    std::uint32_t dims_per_page = 0;
    bool padded = false;
  };
  struct Sequence {
    std::uint32_t device = 0;
    std::uint32_t sequence = 0;
  };
  struct HeadId : Sequence {
    std::uint32_t head = 0;
  };
  /// Rows of a head.
  struct HeadRows : HeadId {
    std::span<const unit::Half> keys;
    std::span<const unit::Half> values;
  };
  struct Prefill : HeadId {
    Pages pages;  ///< good in any session
  };
  struct Nothing {};
  struct Restore {
    Filled filled;
  };
  /// A bit of a page is turned over.
  struct InjectedFault : HeadId {
    flash::PageKind copy = flash::PageKind::kTokenKeys;
    std::uint32_t index = 0;
    std::uint32_t bit = 0;
  };
  [[nodiscard]] core::Answer<std::uint32_t> sequence(const NewSequence& given);
  [[nodiscard]] core::Answer<Pages> pages(const HeadRows& given);
  [[nodiscard]] core::Answer<void> prefill(const Prefill& given);
  [[nodiscard]] core::Answer<Filled> keep(const Nothing&);
  [[nodiscard]] core::Answer<void> restore(const Restore& given);
  [[nodiscard]] core::Answer<void> close_sequence(const Sequence& given);
  [[nodiscard]] core::Answer<void> inject_fault(const InjectedFault& given);

  /// By device. A run with prompts has no jobs.
  struct PreparedRun {
    std::vector<CsdJobPlace> places;
    std::vector<std::vector<system::CsdJob>> jobs;
    std::vector<std::vector<system::Prompt>> prompts;
    system::CsdRunOptions options;
  };
  [[nodiscard]] core::Answer<PreparedRun> prepare(const CsdRunRequest& given);
  [[nodiscard]] core::Answer<PreparedRun> prepare_prompts(const CsdPromptsRequest& given);
  /// Progress is jobs or prompts that are done, and all of them.
  [[nodiscard]] CsdReport run(PreparedRun& work, core::Progress& progress);

 private:
  CsdSession(const system::CsdConfig& config, std::optional<rtl::SparfPlugin> plugin)
      : plugin_(std::move(plugin)),
        machine_(config, plugin_ ? &*plugin_ : nullptr),
        clock_(config.clock) {}

  [[nodiscard]] core::Answer<system::KvCache*> cache_of(std::uint32_t device);
  struct Found {
    system::KvCache* cache = nullptr;
    system::KvHeadId id = 0;
  };
  [[nodiscard]] core::Answer<Found> find(const HeadId& head);
  [[nodiscard]] double making_seconds();
  /// By device, since its creation.
  [[nodiscard]] std::vector<flash::KvCounters> writes();

  std::optional<rtl::SparfPlugin> plugin_;  ///< of the engines, for RTL
  system::CsdMachine machine_;
  core::Clock clock_;
};

constexpr auto csd_sequence_fields() {
  using Sequence = CsdSession::Sequence;
  return core::fields(core::field("device", &Sequence::device),
                      core::field("sequence", &Sequence::sequence));
}
constexpr auto csd_head_fields() {
  return std::tuple_cat(csd_sequence_fields(),
                        core::fields(core::field("head", &CsdSession::HeadId::head)));
}
constexpr auto record_of(const CsdSession::NewSequence*) {
  using core::field;
  using New = CsdSession::NewSequence;
  return core::record("NewSequence", field("device", &New::device), field("heads", &New::heads),
                      field("dimsPerPage", &New::dims_per_page), field("padded", &New::padded));
}
constexpr auto record_of(const CsdSession::Sequence*) {
  return core::record("Sequence", csd_sequence_fields());
}
constexpr auto record_of(const CsdSession::HeadRows*) {
  using Rows = CsdSession::HeadRows;
  return core::record("HeadRows", csd_head_fields(), core::field("keys", &Rows::keys),
                      core::field("values", &Rows::values));
}
constexpr auto record_of(const CsdSession::Prefill*) {
  return core::record("Prefill", csd_head_fields(),
                      core::field("pages", &CsdSession::Prefill::pages));
}
constexpr auto record_of(const CsdSession::Nothing*) { return core::record("Nothing"); }
constexpr auto record_of(const CsdSession::Restore*) {
  return core::record("Restore", core::field("filled", &CsdSession::Restore::filled));
}
constexpr auto record_of(const CsdSession::InjectedFault*) {
  using core::field;
  using InjectedFault = CsdSession::InjectedFault;
  return core::record("Plant", csd_head_fields(), field("copy", &InjectedFault::copy),
                      field("index", &InjectedFault::index), field("bit", &InjectedFault::bit));
}

constexpr auto calls_of(const CsdSession*) {
  using core::Call;
  return std::tuple(
      Call{"csdSequence", &CsdSession::sequence}, Call{"csdPages", &CsdSession::pages},
      Call{"csdPrefill", &CsdSession::prefill}, Call{"csdKeep", &CsdSession::keep},
      Call{"csdRestore", &CsdSession::restore},
      Call{"csdCloseSequence", &CsdSession::close_sequence},
      Call{"csdInjectFault", &CsdSession::inject_fault},
      core::RunCall{"csdRun", "run", &CsdSession::prepare, &CsdSession::run},
      core::RunCall{"csdWrite", "prompts", &CsdSession::prepare_prompts, &CsdSession::run});
}

}  // namespace neardata::api

namespace neardata::system {

constexpr auto handle_name(const HeadPages*) { return "HeadPages"; }

}  // namespace neardata::system
