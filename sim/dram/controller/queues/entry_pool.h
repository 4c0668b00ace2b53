// SPDX-License-Identifier: Apache-2.0
//
// The requests inside a controller, in one array of fixed size; queues refer to them by index.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "dram/banks/readiness.h"
#include "dram/types.h"

namespace neardata::dram {

using EntryIndex = std::uint16_t;
inline constexpr EntryIndex kNoEntry = 0xFFFF;

struct Entry {
  RequestId id;
  std::uint64_t address = 0;
  Cycle arrive;             ///< the clock when it was admitted
  std::int64_t order = 0;   ///< counts admissions
  std::int64_t opened = 0;  ///< counts the activations of the channel, for active requests
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  BankIndex bank = 0;
  EntryIndex next = kNoEntry;  ///< in the list of its bank
  EntryIndex previous = kNoEntry;
  std::uint16_t place = 0;  ///< in the list of candidates it is in
  enum class List : std::uint8_t { kNone, kCandidates, kBlocked };
  List list = List::kNone;
  Operation operation = Operation::kRead;
  bool served = false;          ///< some command has been sent for it
  bool waits_for_read = false;  ///< a write of an address that an older read is to read first
};

class EntryPool {
 public:
  explicit EntryPool(std::size_t size) : entries_(size) {
    for (std::size_t i = size; i > 0; --i) free_.push_back(static_cast<EntryIndex>(i - 1));
  }

  Entry& operator[](EntryIndex i) { return entries_[i]; }
  const Entry& operator[](EntryIndex i) const { return entries_[i]; }

  /// An entry for a new request: in no list, without a command. The caller sets the request.
  EntryIndex take() {
    assert(!free_.empty());
    const EntryIndex i = free_.back();
    free_.pop_back();
    // Field by field: a copy of a whole entry would wait for the stores of its fields.
    Entry& entry = entries_[i];
    entry.opened = 0;
    entry.next = kNoEntry;
    entry.previous = kNoEntry;
    entry.place = 0;
    entry.list = Entry::List::kNone;
    entry.served = false;
    return i;
  }
  void give_back(EntryIndex i) { free_.push_back(i); }
  [[nodiscard]] std::size_t in_use() const { return entries_.size() - free_.size(); }

 private:
  std::vector<Entry> entries_;
  std::vector<EntryIndex> free_;
};

}  // namespace neardata::dram
