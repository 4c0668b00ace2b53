// SPDX-License-Identifier: Apache-2.0
//
// The flash of a device behind the engine: accepts page requests, runs the channels by the rules of
// sim/flash and passes events to the reads of the engine (engine_reads.h) and to the programs
// (flash_programs.h). It checks each request first: a faulty engine ends the run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/part.h"
#include "flash/backend.h"
#include "system/flash/engine_reads.h"
#include "system/flash/flash_context.h"
#include "system/flash/flash_programs.h"
#include "system/memory/pauses.h"
#include "unit/sparf/sparf_unit.h"

namespace neardata::system {

struct FlashPortSetup {
  const FlashConfig& config;
  const ControllerDramConfig& dram;  ///< stores the copies of pages
  KvCache& cache;                    ///< outlives the port
  std::uint32_t tags = 0;            ///< tags of page reads are below; 0 in a machine without reads
  Pauses pauses;
  std::size_t recorded_pages = 0;
};

class FlashPort final : public core::Part {
 public:
  /// `heads` are the heads by handle. Without tags, the output `pages` stays open. The output
  /// `programs` is optional.
  FlashPort(core::Placement place, const FlashPortSetup& setup, std::vector<FlashHead> heads);

  [[nodiscard]] std::string_view kind() const override { return "flash"; }
  void declare(core::PortList& ports) override;
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return progress_; }

  [[nodiscard]] const FlashContext& context() const { return flash_; }
  [[nodiscard]] const EngineReads& reads() const { return reads_; }
  [[nodiscard]] FlashPrograms& programs() { return programs_; }
  [[nodiscard]] const FlashPrograms& programs() const { return programs_; }
  [[nodiscard]] std::vector<core::Fs> bus_time(flash::Tick flash::BusUse::*use) const;

 private:
  [[nodiscard]] core::Expected<void> check(const unit::SparfPageRequest& request,
                                           core::Fs now) const;
  [[nodiscard]] core::Expected<void> take_requests(core::Fs now);
  [[nodiscard]] core::Expected<void> take_dram_answers(core::Fs now);
  [[nodiscard]] core::Expected<void> run_tick(flash::Tick tick);
  [[nodiscard]] core::Expected<void> run_flash(flash::Tick tick);
  [[nodiscard]] core::Expected<void> run_agenda(flash::Tick tick);
  [[nodiscard]] core::Expected<void> run(const FlashAgenda::Item& item, flash::Tick tick);
  [[nodiscard]] core::Expected<void> submit(flash::RequestId id, flash::Tick tick);
  [[nodiscard]] core::Expected<void> guard_order(flash::Tick tick) const;
  [[nodiscard]] flash::Tick next_tick() const;

  core::In<unit::SparfPageRequest> requests_;
  core::In<DramBulkEnd> dram_answers_;
  FlashContext flash_;
  EngineReads reads_;
  FlashPrograms programs_;
  flash::Backend backend_;
  std::vector<flash::Completion> finished_;
  std::vector<flash::RoutedRequest> batch_;
  std::uint64_t progress_ = 0;
};

}  // namespace neardata::system
