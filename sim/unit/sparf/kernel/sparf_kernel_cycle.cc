// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/kernel/sparf_kernel_cycle.h"

#include <algorithm>

namespace neardata::unit {

using Level = SparfKernelCounts::Level;

SparfKernelCycle::SparfKernelCycle(const SparfParameters& parameters)
    : parameters_(parameters),
      query_(parameters.width),
      gemv_(parameters.lanes, parameters.width, counts_),
      rank_(parameters.query_sets > 1, counts_),
      attend_(parameters.lanes, parameters.width, counts_),
      slots_(parameters.slots) {}

void SparfKernelCycle::head(KernelTime now, const KernelHead& head) {
  counts_.pass(now);
  ActiveHead& slot = slots_[head.slot];
  slot.head = head;
  slot.shared = head.dense || !head.mean ? 0 : kNever;
  if (heads_++ == 0) counts_.edge(Level::kHeads, now + 1);
  query_.head(now, head);
}

void SparfKernelCycle::key_job(KernelTime now, const KernelKeyJob& job) {
  if (!job.second && job.last) choose(slots_[job.slot], job);
  gemv_.take(now, job);
  start_ready();
}

void SparfKernelCycle::value_job(KernelTime now, const KernelValueJob& job) {
  attend_.take(now, job);
  start_ready();
}

void SparfKernelCycle::selection(KernelTime now) {
  const KernelTime released = rank_.selection(now);
  if (released == kNever) return;
  ActiveHead& slot = slots_[halves_[0].slot()];
  if (slot.shared == kNever) slot.shared = released + 1;
  halves_[0].release(released);
  start_ready();
}

void SparfKernelCycle::line_taken(KernelTime now) {
  if (!attend_.line(now)) return;
  halves_[1].release(now);
  closing_ = false;
  if (--heads_ == 0) counts_.edge(Level::kHeads, now + 1);
  start_ready();
}

std::uint64_t SparfKernelCycle::state(KernelTime now) const {
  std::uint64_t packed = std::min(heads_, 7U);
  for (const bool flag : {gemv_.waits(), gemv_.needs_room(), attend_.waits(), attend_.finishes(),
                          rank_.busy(), closing_}) {
    packed = packed << 1U | (flag ? 1U : 0U);
  }
  for (const KernelTime time :
       {head_ready(), line_ready(), key_ready(), value_ready(), dims_valid(), selection_valid(),
        line_valid(), halves_[0].room(false), halves_[0].usable(), halves_[1].room(false),
        halves_[1].usable()}) {
    packed = packed << 2U | (time == kNever ? 0U : time > now ? 1U : 2U);
  }
  return packed;
}

void SparfKernelCycle::start_ready() {
  while (begin_keys() || begin_rank() || begin_values() || begin_lines()) {
  }
}

bool SparfKernelCycle::begin_keys() {
  if (!gemv_.waits()) return false;
  const KernelKeyJob job = gemv_.job();
  const KernelHead& head = slots_[job.slot].head;
  LogitHalvesCycle& halves = halves_[job.second ? 1 : 0];
  KernelTime room = 0;
  if (gemv_.needs_room()) {
    room = halves.room(whole(head, job.second));
    if (job.second && borrows(head)) room = std::max(room, halves_[0].room(true));
    if (!job.second && lent_) room = std::max(room, halves_[1].room(true));
    if (room == kNever) {
      gemv_.block();
      return false;
    }
    halves.fill(job.slot, whole(head, job.second));
    if (job.second) lent_ = borrows(head);
  }
  const KernelTime arrived = gemv_.begin(room, parameters_.rounds(head.group), head.dims);
  if (job.last) halves.arrive(arrived);
  return true;
}

bool SparfKernelCycle::begin_rank() {
  const KernelTime usable = halves_[0].usable();
  if (rank_.busy() || usable == kNever) return false;
  const ActiveHead& slot = slots_[halves_[0].slot()];
  rank_.begin(usable, slot.head, slot.beats, slot.digits);
  return true;
}

bool SparfKernelCycle::begin_values() {
  if (!attend_.waits()) return false;
  const KernelTime usable = halves_[1].usable();
  if (closing_ || usable == kNever) {
    attend_.block();
    return false;
  }
  const std::uint32_t group = slots_[halves_[1].slot()].head.group;
  closing_ = attend_.begin(usable, group, parameters_.rounds(group));
  return true;
}

bool SparfKernelCycle::begin_lines() {
  if (!attend_.finishes()) return false;
  const KernelTime shared = slots_[halves_[1].slot()].shared;
  if (shared == kNever) return false;
  attend_.finish(shared);
  return true;
}

void SparfKernelCycle::choose(ActiveHead& slot, const KernelKeyJob& job) {
  slot.digits = job.digits;
  slot.beats.clear();
  for (const std::uint32_t token : job.chosen) {
    if (slot.beats.empty() || slot.beats.back() != token / 8) slot.beats.push_back(token / 8);
  }
  const auto last = static_cast<std::uint32_t>(slot.head.beats() - 1);
  if (slot.beats.empty() || slot.beats.back() != last) slot.beats.push_back(last);
}

bool SparfKernelCycle::whole(const KernelHead& head, bool second) const {
  if (second) return attended(head) > parameters_.own_keys() / 2;
  const auto tokens = static_cast<std::uint64_t>(head.beats()) * 8;
  return parameters_.keys(tokens, head.group) > parameters_.max_keys / 2;
}

std::uint64_t SparfKernelCycle::attended(const KernelHead& head) const {
  const std::uint32_t used = head.dense ? head.tokens : std::min(head.take, head.tokens);
  return parameters_.keys(used, head.group);
}

bool SparfKernelCycle::borrows(const KernelHead& head) const {
  return attended(head) > parameters_.own_keys();
}

}  // namespace neardata::unit
