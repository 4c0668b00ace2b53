// SPDX-License-Identifier: Apache-2.0
//
// The attention engine without its RTL: cycle model of `sparf_engine` with its values. Messages
// leave in the same cycles as in the RTL, and the same events are counted. The model is
// event-driven: it processes pages, jobs and lines of DRAM, and skips the cycles between them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "unit/sparf/flash/sparf_nfc.h"
#include "unit/sparf/front/sparf_append.h"
#include "unit/sparf/front/sparf_doorbell.h"
#include "unit/sparf/front/sparf_dram.h"
#include "unit/sparf/front/sparf_front.h"
#include "unit/sparf/sparf_events.h"
#include "unit/sparf/sparf_unit.h"

namespace neardata::unit {

class CycleSparfUnit final : public SparfUnit {
 public:
  /// The observer outlives the unit.
  CycleSparfUnit(core::Placement place, const SparfParameters& parameters, SparfObserver& observer);

  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return transfers_; }
  void finish(core::Cycle end) override;
  [[nodiscard]] std::int64_t skipped() const override { return skipped_; }

 private:
  void visit(SparfTime now, core::Fs time);
  void take_pages(SparfTime now, core::Fs time);
  void take_descriptor(SparfTime now, core::Fs time);
  void ring_bell(SparfTime now);
  void give_done(SparfTime now, core::Fs time);
  void give_page_request(SparfTime now, core::Fs time);
  void choose_page(SparfTime now);
  void read_dram(SparfTime now, core::Fs time);
  void take_run(SparfTime now);
  void line_leaves(SparfTime now);
  void write_dram(SparfTime now, core::Fs time);
  void request();
  void count_busy(SparfTime now);
  [[nodiscard]] SparfTime line_leaves_from() const;
  [[nodiscard]] SparfTime descriptor_leaves_from() const;
  [[nodiscard]] SparfTime done_due() const;
  [[nodiscard]] SparfTime due(SparfTime now) const;
  [[nodiscard]] SparfFront& front_of(std::size_t ring) { return *fronts_[ring / kRings]; }

  static constexpr std::size_t kRings = SparfFront::kRings;

  SparfParameters parameters_;
  core::EdgeCursor cursor_;
  std::size_t rings_;  ///< of all kernels; followed by the kernels' loaders and the append unit
  SparfDoorbell doorbell_;
  std::vector<std::unique_ptr<SparfFront>> fronts_;
  SparfAppend append_;
  std::vector<SparfNfcChannel> channels_;
  SparfDramReader reader_;
  SparfRoundRobin runs_;
  SparfLineWriter writer_;
  SparfRoundRobin pages_;
  std::optional<SparfPageRequest> page_;  ///< on the port, from page_since_ on
  SparfTime page_since_ = 0;
  std::optional<SparfDone> done_;  ///< likewise
  SparfTime done_since_ = 0;
  bool busy_ = false;
  SparfTime counted_ = 0;  ///< busy cycles before this are counted
  std::uint64_t arriving_ = 0;
  std::int64_t skipped_ = 0;
  SparfTime last_visit_ = -1;
  std::uint64_t transfers_ = 0;
  std::uint64_t jobs_ = 0;
};

}  // namespace neardata::unit
