// SPDX-License-Identifier: Apache-2.0
//
// The pages that the engine reads. A page reaches the engine as data only if the code corrected it
// and its checksum is right. A read that fails is retried; a read that finally fails, or of a dead
// channel, arrives as an error. So every request is answered.
//
// A page with a copy in DRAM is read there.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/port.h"
#include "flash/backend.h"
#include "system/flash/flash_context.h"
#include "system/flash/page_reading.h"
#include "system/flash/request_ids.h"
#include "system/memory/pauses.h"
#include "unit/sparf/sparf_unit.h"

namespace neardata::system {

class EngineReads {
 public:
  /// Tags of pages are below `tags`. The context outlives the reads. The first `recorded_pages`
  /// requests have records.
  EngineReads(FlashContext& flash, const ControllerDramConfig& dram, std::uint32_t tags,
              Pauses pauses, std::size_t recorded_pages);

  /// By channel.
  [[nodiscard]] std::vector<core::Out<unit::SparfPage>>& outputs() { return outputs_; }
  [[nodiscard]] std::size_t tags() const { return requested_.size(); }
  /// A page was requested with this tag and has not begun to arrive.
  [[nodiscard]] bool is_requested(std::uint32_t tag) const { return requested_[tag]; }
  [[nodiscard]] std::size_t outstanding() const { return reads_.size() - free_.size(); }
  /// Pages that were requested, by kind, of each job.
  [[nodiscard]] const std::vector<std::array<std::uint32_t, 3>>& requests() const {
    return requests_;
  }
  [[nodiscard]] const std::vector<PageRecord>& records() const { return records_; }

  /// A request that was checked: looks up the address of its page.
  [[nodiscard]] core::Expected<void> take(const unit::SparfPageRequest& request, core::Fs now);
  /// The address is translated: reads the copy in DRAM or plans the submission to the flash.
  [[nodiscard]] core::Expected<void> begin(ReadId id, flash::Tick tick);
  /// At the submission: the current address of the page.
  [[nodiscard]] core::Expected<flash::Place> locate(ReadId id);
  /// The page begins to cross the bus.
  [[nodiscard]] core::Expected<void> begin_data_out(ReadId id, flash::Tick start);
  /// All bytes of the page have crossed the bus.
  [[nodiscard]] core::Expected<void> finish(ReadId id, flash::Tick end);
  /// The channel of the page is dead.
  [[nodiscard]] core::Expected<void> give_up(ReadId id, flash::Tick tick);
  /// The first line of a copy has arrived from DRAM.
  [[nodiscard]] core::Expected<void> take_first_line(const HotPage& page, core::Fs now);
  /// The whole page has arrived, and may be stored in DRAM.
  [[nodiscard]] core::Expected<void> store_copy(std::uint64_t number, flash::Tick tick);

 private:
  struct Read {
    unit::SparfPageRequest request;
    flash::Owner owner = 0;
    flash::Place place;
    PageReading reading;
    std::optional<std::size_t> record;
  };
  /// A page that has arrived from flash, valid while its place has not changed.
  struct Copy {
    flash::Owner owner = 0;
    flash::Place place;
    std::span<const std::byte> bytes;
  };

  [[nodiscard]] Read& at(ReadId id) { return reads_[id.value]; }
  [[nodiscard]] ReadId open(const Read& read);
  void close(ReadId id, core::Fs arrived);
  [[nodiscard]] std::optional<std::size_t> record(const unit::SparfPageRequest& request,
                                                  core::Fs now);
  void plan_copy(const Read& read, const unit::SparfPage& page);
  [[nodiscard]] core::Expected<void> deliver(std::uint32_t channel, const unit::SparfPage& page,
                                             core::Fs now);
  /// The page is unreadable, which is detected at `known`.
  [[nodiscard]] core::Expected<void> deliver_error(ReadId id, flash::Tick now, flash::Tick known);

  FlashContext& flash_;
  ControllerDramConfig dram_;
  Pauses pauses_;
  std::size_t recorded_pages_;
  std::vector<core::Out<unit::SparfPage>> outputs_;
  std::vector<Read> reads_;
  std::vector<ReadId> free_;
  std::vector<bool> requested_;           ///< by tag
  std::map<std::uint64_t, Copy> copies_;  ///< in flight from the flash
  std::uint64_t next_copy_ = 0;
  std::vector<std::array<std::uint32_t, 3>> requests_;
  std::vector<PageRecord> records_;
};

}  // namespace neardata::system
