// SPDX-License-Identifier: Apache-2.0
//
// The programs of a flash port, with rows from DRAM, and the moves and erases of garbage
// collection.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/clock.h"
#include "core/error.h"
#include "core/port.h"
#include "flash/backend.h"
#include "system/flash/flash_context.h"
#include "system/flash/flash_writer.h"
#include "system/flash/page_gather.h"
#include "unit/sparf/sparf_unit.h"

namespace neardata::system {

/// A requested program has ended, or was aborted.
struct ProgramEnd {
  static constexpr core::MessageType kMessage{"end of a program"};
  flash::Owner owner = 0;
  bool failed = false;
};

class FlashPrograms {
 public:
  /// `clock` of the engine; the DRAM's bus carries a line in `line_time`. The context outlives the
  /// programs.
  FlashPrograms(FlashContext& flash, const core::Clock& clock, core::Fs line_time);

  /// Optional.
  [[nodiscard]] core::Out<ProgramEnd>& output() { return output_; }
  [[nodiscard]] std::size_t outstanding() const { return writer_.outstanding(); }
  /// On dead channels.
  [[nodiscard]] std::uint64_t failed() const { return failed_; }

  /// A request that was checked: translation and garbage collection list its work.
  [[nodiscard]] core::Expected<void> take(const unit::SparfPageRequest& request, core::Fs now);
  /// The entry of a page is translated: its rows are gathered.
  [[nodiscard]] core::Expected<void> translated(FlashWriter::Id id, flash::Tick tick);
  /// Rows have arrived from DRAM.
  void take_rows(core::Fs now);
  /// The transposition buffer has a set of pages.
  void filled(PageGather::SetNumber set) { gather_.filled(set, gathered_); }
  /// Reads rows from DRAM while there is space for them, and starts the work that is ready.
  [[nodiscard]] core::Expected<void> advance(core::Fs now, flash::Tick tick);
  /// At the submission: the work for the flash.
  [[nodiscard]] const flash::FlashWork& submit(FlashWriter::Id id, core::Fs now);
  /// The dies have the bytes of these pages.
  [[nodiscard]] core::Expected<void> loaded(std::span<const flash::RequestId> pages,
                                            flash::Tick tick);
  /// A page that moves begins to cross the bus.
  [[nodiscard]] core::Expected<void> begin_data_out(FlashWriter::Id id, flash::Tick start);
  /// The flash has done the work.
  [[nodiscard]] core::Expected<void> finish(FlashWriter::Id id, flash::Tick end);
  /// The decoding result of a moved page is available.
  [[nodiscard]] core::Expected<void> moved(FlashWriter::Id id, flash::Tick tick);
  /// The channel of the work is dead.
  [[nodiscard]] core::Expected<void> give_up(FlashWriter::Id id, flash::Tick tick);
  /// Ends all open work, so that contents and translation agree. The run is over.
  void end_open_work();

 private:
  void start(flash::Tick tick);
  [[nodiscard]] core::Expected<void> finish_move(FlashWriter::Id id, flash::Tick end);
  /// `unknown`: it is unknown whether the operation was done.
  [[nodiscard]] core::Expected<void> complete(FlashWriter::Id id, flash::Tick tick, bool unknown);
  [[nodiscard]] core::Expected<void> report(const flash::FlashWork& work, bool failed,
                                            core::Fs now);

  FlashContext& flash_;
  core::Out<ProgramEnd> output_;
  PageGather gather_;
  FlashWriter writer_;
  std::vector<FlashWriter::Id> ready_;
  std::vector<FlashWriter::Id> gathered_;
  std::uint64_t failed_ = 0;
};

}  // namespace neardata::system
