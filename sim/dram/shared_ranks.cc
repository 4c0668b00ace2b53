// SPDX-License-Identifier: Apache-2.0
#include "dram/shared_ranks.h"

#include <algorithm>

namespace neardata::dram {

void SharedRanks::ControllerSink::command(const IssuedCommand& issued) {
  IssuedCommand named = issued;
  named.where.rank += first_rank_;
  listener_->command(user_, named);
}

SharedRanks::SharedRanks(const ControllerConfig& host, Listener& listener)
    : listener_(&listener), host_(host) {
  ControllerConfig ndp = host;
  ndp.organization.ranks = 1;
  ndp.owns_ranks = false;
  for (std::uint32_t r = 0; r < host.organization.ranks; ++r) {
    ranks_.push_back({.ndp = Controller(ndp)});
  }
}

void SharedRanks::hand_over(std::uint32_t rank, RankUser user) {
  ranks_[rank].wanted = user;
  begin_change(rank);
}

void SharedRanks::begin_change(std::uint32_t rank) {
  Rank& changed = ranks_[rank];
  if (changed.changing || changed.user == changed.wanted) return;
  changed.changing = true;
  if (changed.user == RankUser::kHost) {
    host_.release(rank);
  } else {
    changed.ndp.release(0);
  }
}

bool SharedRanks::offer(RankUser user, const Request& request) {
  if (user == RankUser::kHost) return host_.offer(request, host_.clock());
  Request own = request;
  own.where.rank = 0;
  Controller& ndp = ranks_[request.where.rank].ndp;
  return ndp.offer(own, ndp.clock());
}

Cycle SharedRanks::next_event() {
  Cycle next = host_.next_event();
  for (Rank& rank : ranks_) next = std::min(next, rank.ndp.next_event());
  return next;
}

void SharedRanks::advance(Cycle to) {
  while (clock() < to) {
    const bool changing =
        std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.changing; });
    // A rank changes hands right after its PREA, so nobody may run ahead of that.
    step(changing ? std::min(to, next_event()) : to);
    finish_changes();
  }
}

void SharedRanks::step(Cycle to) {
  ControllerSink host_sink(*listener_, RankUser::kHost, 0);
  host_.advance(to, host_sink);
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
    ControllerSink sink(*listener_, RankUser::kNdp, r);
    ranks_[r].ndp.advance(to, sink);
  }
}

void SharedRanks::finish_changes() {
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
    Rank& rank = ranks_[r];
    if (!rank.changing) continue;
    const bool to_ndp = rank.user == RankUser::kHost;
    const auto from = to_ndp ? host_.usable_by_others(r) : rank.ndp.usable_by_others(0);
    if (!from) continue;
    if (to_ndp) {
      rank.ndp.acquire(0, *from);
    } else {
      host_.acquire(r, *from);
    }
    rank.user = to_ndp ? RankUser::kNdp : RankUser::kHost;
    rank.changing = false;
    begin_change(r);
  }
}

std::size_t SharedRanks::outstanding() const {
  std::size_t count = host_.outstanding();
  for (const Rank& rank : ranks_) count += rank.ndp.outstanding();
  return count;
}

}  // namespace neardata::dram
