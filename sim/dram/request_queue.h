// SPDX-License-Identifier: Apache-2.0
//
// Reads or writes that wait, in order of admission and sorted by bank. Of all the requests for one
// bank only two can ever be the next to be served: the first that hits its open row and the first
// that does not. The queue keeps those two for every bank, so that choosing looks at banks and not
// at requests.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dram/banks.h"
#include "dram/entry_pool.h"

namespace neardata::dram {

class RequestQueue {
 public:
  /// What one bank offers to the scheduler; kNoEntry where nothing. The times are lower bounds of
  /// when the next command of the request is ready, refined by the scheduler as it learns more.
  struct Candidates {
    EntryIndex hit = kNoEntry;
    EntryIndex miss = kNoEntry;
    Cycle hit_bound;
    Cycle miss_bound;
  };

  RequestQueue(EntryPool& pool, const Banks& banks, std::size_t bank_count, std::size_t capacity);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool full() const { return size_ >= capacity_; }

  void push(EntryIndex entry);
  void remove(EntryIndex entry);
  /// The open row of `bank` has changed: looks again for hit and miss.
  void row_changed(BankIndex bank);

  /// Banks with requests, in no particular order.
  [[nodiscard]] std::span<const BankIndex> occupied() const { return occupied_; }
  [[nodiscard]] Candidates& candidates(BankIndex bank) { return banks_[bank].candidates; }

  /// Whether a request with this address waits for this bank.
  [[nodiscard]] bool holds(BankIndex bank, std::uint64_t address) const;

 private:
  struct PerBank {
    Candidates candidates;
    EntryIndex first = kNoEntry;
    EntryIndex last = kNoEntry;
    std::uint16_t place = 0;  ///< in occupied_
  };

  [[nodiscard]] EntryIndex find(BankIndex bank, EntryIndex from, bool hit) const;

  EntryPool* pool_;
  const Banks* open_rows_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  std::vector<PerBank> banks_;
  std::vector<BankIndex> occupied_;
};

}  // namespace neardata::dram
