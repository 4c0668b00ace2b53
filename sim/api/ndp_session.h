// SPDX-License-Identifier: Apache-2.0
//
// A session of an NDP DIMM: its sub-channels are filled and read, and descriptors run. Contents
// stay from run to run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/ndp_records.h"
#include "core/record.h"
#include "core/refusal.h"

namespace neardata::system {

constexpr auto handle_name(const ByteStore*) { return "StreamContents"; }

}  // namespace neardata::system

namespace neardata::api {

/// Bursts that a stream's sub-channel has.
[[nodiscard]] std::uint64_t bursts_of(const system::NdpDimmConfig& config);
/// The reason why the cycle model cannot execute all of the descriptors, if any.
[[nodiscard]] std::optional<std::string> jobs_refused(const unit::NdpParameters& parameters,
                                                      const std::vector<unit::Descriptor>& jobs);
[[nodiscard]] std::vector<unit::Descriptor> descriptors_of(core::Rows<unit::Descriptor> rows);
/// Why the addon's memories cannot be those of the DIMM, if so.
[[nodiscard]] core::Answer<void> check_backend(const system::NdpDimmConfig& config);

class NdpSession {
 public:
  static constexpr const char* kName = "NDP session";
  using Config = system::NdpDimmConfig;
  using Contents = core::Handle<system::ByteStore>;

  [[nodiscard]] static core::Answer<std::unique_ptr<NdpSession>> open(Config config);
  [[nodiscard]] core::MachineRecord describe() { return dimm_.describe(); }

  struct Nothing {};
  struct Stream {
    std::uint64_t stream = 0;
  };
  struct Load : Stream {
    std::uint64_t burst = 0;
    std::span<const std::uint8_t> bytes;  ///< whole bursts
  };
  struct Restore : Stream {
    Contents contents;  ///< of this or another session
  };
  struct Read : Stream {
    std::uint64_t burst = 0;
    std::uint64_t bursts = 0;
  };
  /// Forgets all contents.
  [[nodiscard]] core::Answer<void> clear(const Nothing&);
  [[nodiscard]] core::Answer<void> load(const Load& given);
  [[nodiscard]] core::Answer<Contents> keep(const Stream& of);
  [[nodiscard]] core::Answer<void> restore(const Restore& given);
  [[nodiscard]] core::Answer<std::vector<std::byte>> read(const Read& of);

  struct PreparedRun {
    std::vector<unit::Descriptor> jobs;
    system::NdpRunOptions options;
  };
  [[nodiscard]] core::Answer<PreparedRun> prepare(const NdpRunRequest& given);
  /// Progress is cycles of the unit and bytes that it has read.
  [[nodiscard]] NdpReport run(PreparedRun& work, core::Progress& progress);

 private:
  NdpSession(system::NdpDimm dimm, const Config& config)
      : dimm_(std::move(dimm)), clock_(config.unit_clock), bursts_(bursts_of(config)) {
    if (config.model == system::UnitModel::kCycle) modelled_ = config.parameters;
  }

  [[nodiscard]] core::Answer<system::ByteStore*> store(const Stream& of);
  /// The region must exist.
  [[nodiscard]] core::Answer<system::ByteStore*> region(const Stream& of, std::uint64_t burst,
                                                        std::uint64_t bursts);

  system::NdpDimm dimm_;
  core::Clock clock_;
  std::uint64_t bursts_;
  std::optional<unit::NdpParameters> modelled_;  ///< of the cycle model; RTL asserts its own rules
};

constexpr auto record_of(const NdpSession::Nothing*) { return core::record("Nothing"); }
constexpr auto stream_field() { return core::field("stream", &NdpSession::Stream::stream); }
constexpr auto record_of(const NdpSession::Stream*) {
  return core::record("Stream", stream_field());
}
constexpr auto record_of(const NdpSession::Load*) {
  using Load = NdpSession::Load;
  return core::record("Load", stream_field(), core::field("burst", &Load::burst),
                      core::field("bytes", &Load::bytes));
}
constexpr auto record_of(const NdpSession::Restore*) {
  return core::record("Restore", stream_field(),
                      core::field("contents", &NdpSession::Restore::contents));
}
constexpr auto record_of(const NdpSession::Read*) {
  using Read = NdpSession::Read;
  return core::record("Read", stream_field(), core::field("burst", &Read::burst),
                      core::field("bursts", &Read::bursts));
}

constexpr auto calls_of(const NdpSession*) {
  return std::tuple(
      core::Call{"ndpClear", &NdpSession::clear}, core::Call{"ndpLoad", &NdpSession::load},
      core::Call{"ndpKeep", &NdpSession::keep}, core::Call{"ndpRestore", &NdpSession::restore},
      core::Call{"ndpRead", &NdpSession::read},
      core::RunCall{"ndpRun", "run", &NdpSession::prepare, &NdpSession::run});
}

}  // namespace neardata::api
