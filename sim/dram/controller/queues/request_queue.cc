// SPDX-License-Identifier: Apache-2.0
#include "dram/controller/queues/request_queue.h"

namespace neardata::dram {

RequestQueue::RequestQueue(const Surroundings& around, Operation operation,
                           const ControllerConfig& config)
    : around_(around),
      access_(around.commands.access(operation)),
      keeps_hit_rows_(config.keeps_hit_rows),
      capacity_(operation == Operation::kRead ? config.queues.read : config.queues.write),
      banks_(config.organization.banks_per_channel()),
      candidates_(around.pool),
      blocked_(around.pool) {}

EntryIndex RequestQueue::find(BankIndex bank, EntryIndex from, bool hit) const {
  const auto is_one = [&](const Entry& entry) {
    return !entry.waits_for_read && around_.banks.has_open(bank, entry.row) == hit;
  };
  while (from != kNoEntry && !is_one(around_.pool[from])) from = around_.pool[from].next;
  return from;
}

void RequestQueue::push(EntryIndex entry) {
  Entry& added = around_.pool[entry];
  PerBank& bank = banks_[added.bank];
  added.next = kNoEntry;
  added.previous = bank.last;
  (bank.last == kNoEntry ? bank.first : around_.pool[bank.last].next) = entry;
  bank.last = entry;
  ++size_;
  if (added.waits_for_read) return;
  EntryIndex& candidate = around_.banks.has_open(added.bank, added.row) ? bank.hit : bank.miss;
  if (candidate != kNoEntry) return;
  candidate = entry;
  reassess(added.bank);
}

void RequestQueue::remove(EntryIndex entry) {
  const Entry& removed = around_.pool[entry];
  PerBank& bank = banks_[removed.bank];
  // No request before the first hit hits, and likewise for the first miss.
  if (bank.hit == entry) replace(bank.hit, find(removed.bank, removed.next, true));
  if (bank.miss == entry) replace(bank.miss, find(removed.bank, removed.next, false));
  (removed.previous == kNoEntry ? bank.first : around_.pool[removed.previous].next) = removed.next;
  (removed.next == kNoEntry ? bank.last : around_.pool[removed.next].previous) = removed.previous;
  --size_;
}

void RequestQueue::row_changed(BankIndex bank) {
  PerBank& changed = banks_[bank];
  if (changed.first == kNoEntry) return;
  const EntryIndex hit = find(bank, changed.first, true);
  const EntryIndex miss = find(bank, changed.first, false);
  for (const EntryIndex before : {changed.hit, changed.miss}) {
    const bool stays = before == hit || before == miss;
    if (before != kNoEntry && !stays) put_in(Entry::List::kNone, before);
  }
  changed.hit = hit;
  changed.miss = miss;
}

void RequestQueue::replace(EntryIndex& candidate, EntryIndex by) {
  if (candidate == by) return;
  if (candidate != kNoEntry) put_in(Entry::List::kNone, candidate);
  candidate = by;
}

void RequestQueue::reassess_requests(BankIndex bank) {
  const PerBank& b = banks_[bank];
  if (around_.held[bank] != 0) {
    if (b.hit != kNoEntry) put_in(Entry::List::kNone, b.hit);
    if (b.miss != kNoEntry) put_in(Entry::List::kNone, b.miss);
    return;
  }
  if (b.hit != kNoEntry) {
    put_in(Entry::List::kCandidates, b.hit);
    candidates_.set_command(b.hit, access_, around_.readiness);
  }
  if (b.miss == kNoEntry) return;
  if (!around_.banks.is_open(bank)) {
    put_in(Entry::List::kCandidates, b.miss);
    candidates_.set_command(b.miss, around_.commands.activate, around_.readiness);
    return;
  }
  const EntryPool& pool = around_.pool;
  if (keeps_hit_rows_ && b.hit != kNoEntry && pool[b.hit].arrive <= pool[b.miss].arrive) {
    put_in(Entry::List::kNone, b.miss);
    return;
  }
  const bool is_blocked = around_.active.protects_bank(bank);
  put_in(is_blocked ? Entry::List::kBlocked : Entry::List::kCandidates, b.miss);
  const Command close = around_.commands.close(Reach::kBank);
  (is_blocked ? blocked_ : candidates_).set_command(b.miss, close, around_.readiness);
}

void RequestQueue::put_in(Entry::List list, EntryIndex entry) {
  Entry& e = around_.pool[entry];
  if (e.list == list) return;
  if (e.list == Entry::List::kCandidates) candidates_.remove(entry);
  if (e.list == Entry::List::kBlocked) blocked_.remove(entry);
  e.list = list;
  if (list == Entry::List::kCandidates) candidates_.add(entry);
  if (list == Entry::List::kBlocked) blocked_.add(entry);
}

void RequestQueue::release(BankIndex bank, std::uint64_t address) {
  bool any = false;
  for (EntryIndex i = banks_[bank].first; i != kNoEntry; i = around_.pool[i].next) {
    Entry& entry = around_.pool[i];
    any |= entry.waits_for_read && entry.address == address;
    if (entry.address == address) entry.waits_for_read = false;
  }
  if (!any) return;
  row_changed(bank);
  reassess(bank);
}

bool RequestQueue::holds(BankIndex bank, std::uint64_t address) const {
  if (size_ == 0) return false;
  EntryIndex i = banks_[bank].first;
  while (i != kNoEntry && around_.pool[i].address != address) i = around_.pool[i].next;
  return i != kNoEntry;
}

}  // namespace neardata::dram
