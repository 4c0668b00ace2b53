// SPDX-License-Identifier: Apache-2.0
#include "system/fair_share.h"

#include <algorithm>

namespace neardata::system {

using core::Fs;

void FairShare::add(std::size_t user, Fs ready, core::ByteCount bytes) {
  waiting_[user].push_back({.bytes = bytes,
                            .ready = ready,
                            .begun = {},
                            .left = __int128{bytes.value} * core::kFsPerSecond});
}

std::vector<FairShare::Event> FairShare::advance(Fs now) {
  std::vector<Event> events;
  while (begin_and_end(events) || now_ < now) {
    Fs next = std::min(now, this->next());
    for (const auto& transfers : waiting_) {
      if (!transfers.empty() && !transfers.front().under_way) {
        next = std::min(next, transfers.front().ready);
      }
    }
    const Fs span = next - now_;
    for (auto& transfers : waiting_) {
      if (transfers.empty() || !transfers.front().under_way) continue;
      transfers.front().left -= __int128{span.value} * rate();
    }
    if (under_way_ > 0) busy_ = busy_ + span;
    now_ = next;
  }
  return events;
}

/// What begins and ends at the present time; true when anything did.
bool FairShare::begin_and_end(std::vector<Event>& events) {
  const std::size_t before = events.size();
  // Ends first, all of them at the rate that they had.
  const std::int64_t each = rate();
  for (std::size_t user = 0; user < waiting_.size(); ++user) {
    if (waiting_[user].empty()) continue;
    const Transfer& first = waiting_[user].front();
    if (!first.under_way || first.left >= each) continue;
    events.push_back({user, true, first.bytes, first.begun, now_});
    waiting_[user].pop_front();
    --under_way_;
  }
  for (std::size_t user = 0; user < waiting_.size(); ++user) {
    if (waiting_[user].empty()) continue;
    Transfer& first = waiting_[user].front();
    if (first.under_way || first.ready > now_) continue;
    first.under_way = true;
    first.begun = now_;
    ++under_way_;
    events.push_back({user, false, first.bytes, now_, now_});
  }
  return events.size() > before;
}

std::int64_t FairShare::rate() const {
  return std::min(lane_rate_, link_rate_ / std::max<std::int64_t>(under_way_, 1));
}

Fs FairShare::end_of(const Transfer& transfer) const {
  const __int128 end = now_.value + transfer.left / rate();
  return {static_cast<std::int64_t>(std::min(end, __int128{core::kNever.value - 1}))};
}

Fs FairShare::next() const {
  Fs next = core::kNever;
  for (const auto& transfers : waiting_) {
    if (transfers.empty() || !transfers.front().under_way) continue;
    next = std::min(next, end_of(transfers.front()));
  }
  return next;
}

std::size_t FairShare::transfers() const {
  std::size_t count = 0;
  for (const auto& transfers : waiting_) count += transfers.size();
  return count;
}

}  // namespace neardata::system
