// SPDX-License-Identifier: Apache-2.0
#include "core/engine/horizons.h"

namespace neardata::core {

namespace {

/// Longer than any run; twice this is still a valid time.
constexpr Fs kNoPath{kNever.value / 2};

}  // namespace

Horizons::Horizons(std::size_t partitions)
    : count_(partitions),
      states_(partitions),
      seen_(partitions * partitions, kNever),
      paths_(partitions * partitions, kNoPath),
      first_seen_(partitions) {}

void Horizons::add_path(std::uint32_t from, std::uint32_t to, Fs least) {
  path(from, to) = std::min(path(from, to), least);
}

void Horizons::close() {
  for (std::size_t over = 0; over < count_; ++over) {
    for (std::size_t from = 0; from < count_; ++from) {
      for (std::size_t to = 0; to < count_; ++to) {
        path(from, to) = std::min(path(from, to), path(from, over) + path(over, to));
      }
    }
  }
}

void Horizons::set(std::uint32_t partition, Fs next, Fs earliest_credit,
                   const std::vector<View>& views) {
  State& state = states_[partition];
  state.next = next;
  state.earliest_credit = earliest_credit;
  state.taken = kNever;
  // A partition has the same views each time.
  for (const View& view : views) seen_[partition * count_ + view.partition] = view.seen;
}

void Horizons::begin(std::uint32_t partition, Fs end) {
  State& state = states_[partition];
  state.taken = state.unread;
  state.unread = kNever;
  state.reached = std::max(state.reached, end);
}

Fs Horizons::next() const {
  Fs next = kNever;
  for (const State& state : states_) next = std::min({next, state.next, state.unread});
  return next;
}

/// Runs before every window: whole rows, without a branch for kNever.
void Horizons::find_ends(Fs longest, std::vector<Fs>& ends) {
  std::ranges::fill(first_seen_, kNever);
  for (std::size_t giver = 0; giver < count_; ++giver) {
    const Fs* seen = &seen_[giver * count_];
    for (std::size_t p = 0; p < count_; ++p) first_seen_[p] = std::min(first_seen_[p], seen[p]);
  }
  for (std::size_t p = 0; p < count_; ++p) {
    ends[p] = std::min({longest, first_seen_[p], states_[p].earliest_credit});
  }
  for (std::size_t from = 0; from < count_; ++from) {
    const Fs first = std::min({first_seen_[from], states_[from].unread, states_[from].taken});
    if (first >= longest || first >= kNoPath) continue;
    const Fs* path = &paths_[from * count_];
    for (std::size_t to = 0; to < count_; ++to) ends[to] = std::min(ends[to], first + path[to]);
  }
  for (const auto& [sender, receiver] : back_pressure_) {
    // A receiver frees space only in the last instant of a window; then the sender has no earlier
    // instant, whatever message it may see.
    const Fs credit = states_[receiver].earliest_credit;
    if (credit == kNever || std::min(next(sender), ends[sender]) >= credit - Fs{1}) continue;
    ends[receiver] = std::min(ends[receiver], credit - Fs{1});
  }
}

}  // namespace neardata::core
