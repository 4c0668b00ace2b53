// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/kernel/gemv_cycle.h"

#include <algorithm>

#include "unit/sparf/kernel/sparf_kernel_latency.h"

namespace neardata::unit {

using Level = SparfKernelCounts::Level;
using namespace latency;

GemvCycle::GemvCycle(std::uint32_t lanes, std::uint32_t width, SparfKernelCounts& counts)
    : lanes_(lanes), words_(width / lanes), latency_(gemv_latency(lanes)), counts_(counts) {
  counts_.edge(Level::kKeysIdle, ready_);
}

void GemvCycle::take(KernelTime now, const KernelKeyJob& job) {
  job_ = job;
  job_.chosen = {};
  taken_ = now;
  waits_ = true;
  ready_ = kNever;
  counts_.edge(Level::kKeysIdle, now);
}

void GemvCycle::block() {
  if (!blocked_) counts_.edge(Level::kKeysBlocked, taken_ + 1);
  blocked_ = true;
}

KernelTime GemvCycle::begin(KernelTime room, std::uint32_t rounds, std::uint32_t dims) {
  const std::int64_t beats = job_.column ? dims : words_;
  const std::int64_t places = job_.column ? lanes_ : 1;  // tokens of a tile
  const std::int64_t tiles = (job_.count + places - 1) / places;
  const std::int64_t rest = job_.count - (tiles - 1) * places;

  const KernelTime earliest = needs_room() ? std::max(taken_ + 1, room) + kRoomKnown : taken_ + 1;
  if (earliest > taken_ + 1) block();
  // Also if the space was released in the cycle of the job's arrival: then the job never waited.
  if (blocked_) counts_.edge(Level::kKeysBlocked, earliest);
  blocked_ = false;
  const KernelTime first =
      std::max({earliest, tile_ + std::max(2 * beats_ - beats, 2 * (beats_ - beats) + logits_)});

  const std::int64_t full = (tiles - 1) * rounds;
  const std::int64_t period = std::max(beats, places);
  const std::int64_t last_period = std::max(beats, rest);
  const SparfKernelEvent event = job_.column ? SparfKernelEvent::kColumn : SparfKernelEvent::kRow;
  counts_.bursts(event, first, beats, period, full);
  counts_.bursts(event, first + full * period, beats, last_period, rounds);

  tile_ = first + full * period + (rounds - 1) * last_period;
  beats_ = beats;
  logits_ = rest;
  waits_ = false;
  first_[job_.second] = job_.last;
  const KernelTime end = tile_ + beats - 1;
  ready_ = end;
  counts_.edge(Level::kKeysIdle, end);
  done_.push_back(end + kKeysFree);
  return end + kBeatLeaves + beats + latency_ + rest - 1;
}

}  // namespace neardata::unit
