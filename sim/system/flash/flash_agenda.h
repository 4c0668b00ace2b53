// SPDX-License-Identifier: Apache-2.0
//
// The actions of a flash port at a tick, besides the flash's own events. Actions of one tick run in
// the order of their kinds in this enum, and actions of one kind in the order of planning. An
// action that is planned for the present tick runs after the others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "flash/types.h"
#include "system/flash/flash_writer.h"
#include "system/flash/page_gather.h"

namespace neardata::system {

class FlashAgenda {
 public:
  enum class Kind : std::uint8_t {
    kFilled,      ///< the buffer has a set of pages
    kTranslated,  ///< the translation of a request is complete
    kMoved,       ///< the decoding result of a read of garbage collection
    kGivenUp,     ///< a request of a silent channel
    kSubmission,  ///< a request is submitted to the flash
    kCome,        ///< a whole page has arrived, and may be stored in DRAM
  };

  class Item {
   public:
    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] PageGather::SetNumber set() const { return what_; }
    [[nodiscard]] flash::RequestId request() const { return {static_cast<std::uint32_t>(what_)}; }
    [[nodiscard]] std::uint64_t copy() const { return what_; }
    [[nodiscard]] FlashWriter::Id move() const { return {static_cast<std::uint32_t>(what_)}; }

   private:
    friend class FlashAgenda;
    Item(flash::Tick tick, Kind kind, std::uint64_t order, std::uint64_t what)
        : tick_(tick), order_(order), what_(what), kind_(kind) {}

    flash::Tick tick_;
    std::uint64_t order_;
    std::uint64_t what_;
    Kind kind_;
  };

  void filled(flash::Tick tick, PageGather::SetNumber set) { plan(tick, Kind::kFilled, set); }
  void translated(flash::Tick tick, flash::RequestId id) {
    plan(tick, Kind::kTranslated, id.value);
  }
  void moved(flash::Tick tick, FlashWriter::Id id) { plan(tick, Kind::kMoved, id.value); }
  void give_up(flash::Tick tick, flash::RequestId id) { plan(tick, Kind::kGivenUp, id.value); }
  void submit(flash::Tick tick, flash::RequestId id) { plan(tick, Kind::kSubmission, id.value); }

  void come(flash::Tick tick, std::uint64_t copy) { plan(tick, Kind::kCome, copy); }

  /// The time of the first planned item; kNever if none is planned.
  [[nodiscard]] flash::Tick next() const {
    return items_.empty() ? flash::kNever : items_.front().tick_;
  }

  /// Removes the items of `tick`, which is not after `next`; valid until the next call.
  [[nodiscard]] std::span<const Item> take(flash::Tick tick) {
    taken_.clear();
    while (next() == tick) {
      taken_.push_back(items_.front());
      std::ranges::pop_heap(items_, kLater);
      items_.pop_back();
    }
    return taken_;
  }

 private:
  static constexpr auto kLater = [](const Item& a, const Item& b) {
    return std::tie(b.tick_, b.kind_, b.order_) < std::tie(a.tick_, a.kind_, a.order_);
  };

  void plan(flash::Tick tick, Kind kind, std::uint64_t what) {
    items_.push_back(Item(tick, kind, planned_++, what));
    std::ranges::push_heap(items_, kLater);
  }

  std::vector<Item> items_;  ///< a heap with the next item first
  std::vector<Item> taken_;
  std::uint64_t planned_ = 0;
};

}  // namespace neardata::system
