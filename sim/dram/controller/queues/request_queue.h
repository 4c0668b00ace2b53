// SPDX-License-Identifier: Apache-2.0
//
// Reads or writes that wait, in order of admission and sorted by bank. Of all the requests for one
// bank only two can ever be the next to be served: the first that hits its open row and the first
// that does not. The queue keeps those two for every bank as candidates, unless maintenance blocks
// the bank. A write that waits for an older read is neither.
#pragma once

#include <cstdint>
#include <vector>

#include "dram/banks/banks.h"
#include "dram/banks/readiness.h"
#include "dram/controller/queues/active_queue.h"
#include "dram/controller/queues/candidates.h"
#include "dram/controller/queues/entry_pool.h"

namespace neardata::dram {

class RequestQueue {
 public:
  /// Structures that the candidates depend on; all outlive the queue.
  struct Surroundings {
    EntryPool& pool;
    const Banks& banks;
    const Readiness& readiness;
    const ActiveQueue& active;
    const Commands& commands;
    const std::vector<std::uint8_t>& held;  ///< by bank: not 0 while maintenance blocks it
  };

  /// A queue for requests of one operation.
  RequestQueue(const Surroundings& around, Operation operation, const ControllerConfig& config);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool full() const { return size_ >= capacity_; }

  void push(EntryIndex entry);
  /// The caller must reassess the bank of the entry afterwards.
  void remove(EntryIndex entry);
  /// The open row of `bank` has changed: finds its hit and miss in the new row. The caller must
  /// reassess the bank afterwards.
  void row_changed(BankIndex bank);
  /// Something else has changed that concerns the candidates of `bank`: its ready times, whether an
  /// active request protects it, or whether maintenance blocks it.
  void reassess(BankIndex bank) {
    if (banks_[bank].first != kNoEntry) reassess_requests(bank);
  }

  /// Ready times of `bank` have changed: those of accesses, or those of other commands.
  void times_changed(BankIndex bank, bool of_accesses, bool of_others) {
    const PerBank& changed = banks_[bank];
    if (of_accesses && changed.hit != kNoEntry) look_up(changed.hit);
    if (of_others && changed.miss != kNoEntry) look_up(changed.miss);
  }

  [[nodiscard]] const Candidates& candidates() const { return candidates_; }
  /// Requests whose next command would close the row of an active request.
  [[nodiscard]] const Candidates& blocked() const { return blocked_; }

  /// Whether any request waits for no more than its commands.
  [[nodiscard]] bool can_go() const { return !candidates_.empty() || !blocked_.empty(); }

  /// The older reads are done: writes to this address of the bank may issue.
  void release(BankIndex bank, std::uint64_t address);

  /// Whether a request with this address waits for this bank.
  [[nodiscard]] bool holds(BankIndex bank, std::uint64_t address) const;

 private:
  struct PerBank {
    EntryIndex first = kNoEntry;
    EntryIndex last = kNoEntry;
    EntryIndex hit = kNoEntry;
    EntryIndex miss = kNoEntry;
  };

  void reassess_requests(BankIndex bank);
  [[nodiscard]] EntryIndex find(BankIndex bank, EntryIndex from, bool hit) const;
  void replace(EntryIndex& candidate, EntryIndex by);
  void put_in(Entry::List list, EntryIndex entry);
  void look_up(EntryIndex entry) {
    const Entry::List list = around_.pool[entry].list;
    if (list == Entry::List::kNone) return;
    (list == Entry::List::kCandidates ? candidates_ : blocked_).look_up(entry, around_.readiness);
  }

  Surroundings around_;
  Command access_;
  bool keeps_hit_rows_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  std::vector<PerBank> banks_;
  Candidates candidates_;
  Candidates blocked_;
};

}  // namespace neardata::dram
