// SPDX-License-Identifier: Apache-2.0
#include "dram/request_queue.h"

namespace neardata::dram {

RequestQueue::RequestQueue(EntryPool& pool, const Banks& banks, std::size_t bank_count,
                           std::size_t capacity)
    : pool_(&pool), open_rows_(&banks), capacity_(capacity), banks_(bank_count) {
  occupied_.reserve(bank_count);
}

EntryIndex RequestQueue::find(BankIndex bank, EntryIndex from, bool hit) const {
  while (from != kNoEntry && open_rows_->has_open(bank, (*pool_)[from].row) != hit) {
    from = (*pool_)[from].next;
  }
  return from;
}

void RequestQueue::push(EntryIndex entry) {
  Entry& added = (*pool_)[entry];
  PerBank& bank = banks_[added.bank];
  added.next = kNoEntry;
  added.previous = bank.last;
  if (bank.last == kNoEntry) {
    bank.first = entry;
    bank.place = static_cast<std::uint16_t>(occupied_.size());
    occupied_.push_back(added.bank);
  } else {
    (*pool_)[bank.last].next = entry;
  }
  bank.last = entry;
  ++size_;
  Candidates& candidates = bank.candidates;
  const bool hit = open_rows_->has_open(added.bank, added.row);
  if (hit && candidates.hit == kNoEntry) {
    candidates.hit = entry;
    candidates.hit_bound = {};
  } else if (!hit && candidates.miss == kNoEntry) {
    candidates.miss = entry;
    candidates.miss_bound = {};
  }
}

void RequestQueue::remove(EntryIndex entry) {
  const Entry& removed = (*pool_)[entry];
  PerBank& bank = banks_[removed.bank];
  // Nothing before the first hit hits, and likewise for the first miss.
  Candidates& candidates = bank.candidates;
  if (candidates.hit == entry) candidates.hit = find(removed.bank, removed.next, true);
  if (candidates.miss == entry) candidates.miss = find(removed.bank, removed.next, false);
  (removed.previous == kNoEntry ? bank.first : (*pool_)[removed.previous].next) = removed.next;
  (removed.next == kNoEntry ? bank.last : (*pool_)[removed.next].previous) = removed.previous;
  --size_;
  if (bank.first != kNoEntry) return;
  const BankIndex moved = occupied_.back();
  occupied_[bank.place] = moved;
  banks_[moved].place = bank.place;
  occupied_.pop_back();
}

void RequestQueue::row_changed(BankIndex bank) {
  PerBank& changed = banks_[bank];
  if (changed.first == kNoEntry) return;
  changed.candidates = {find(bank, changed.first, true), find(bank, changed.first, false), {}, {}};
}

bool RequestQueue::holds(BankIndex bank, std::uint64_t address) const {
  EntryIndex i = banks_[bank].first;
  while (i != kNoEntry && (*pool_)[i].address != address) i = (*pool_)[i].next;
  return i != kNoEntry;
}

}  // namespace neardata::dram
