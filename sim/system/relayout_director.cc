// SPDX-License-Identifier: Apache-2.0
#include "system/relayout_director.h"

namespace neardata::system {

using core::Fs;

RelayoutDirector::RelayoutDirector(const std::vector<RelayoutMove>& moves,
                                   const std::vector<Flow>& flows,
                                   std::map<std::uint32_t, Line> lines)
    : moves_(moves),
      flows_(flows),
      lines_(std::move(lines)),
      pending_(moves.size()),
      spans_(moves.size(), {core::kNever, core::kNever}),
      flow_spans_(flows.size(), {core::kNever, core::kNever}) {
  for (std::size_t f = flows.size(); f > 0; --f) {
    Pending& pending = pending_[flows[f - 1].move];
    pending.waiting.push_back(static_cast<std::uint32_t>(f - 1));
    ++pending.left;
  }
  // Moves that start together begin with different sources, so that they do not meet at one.
  for (std::size_t m = 0; m < moves.size(); ++m) {
    std::vector<std::uint32_t>& waiting = pending_[m].waiting;
    const std::size_t turn = waiting.empty() ? 0 : m * moves[m].links % waiting.size();
    std::ranges::rotate(waiting, waiting.end() - static_cast<std::ptrdiff_t>(turn));
  }
}

core::Expected<Fs> RelayoutDirector::step(Fs now) {
  Fs next = core::kNever;
  for (auto& [dimm, line] : lines_) {
    while (const FlowDone* done = line.done->front(now)) {
      const Flow& flow = flows_[done->flow];
      Pending& pending = pending_[flow.move];
      if (flow.source != flow.target) --pending.on_links;
      if (--pending.left == 0) spans_[flow.move].end = now;
      flow_spans_[done->flow].end = now;
      ++ended_;
      line.done->pop(now);
    }
    next = std::min(next, line.done->front_time());
  }
  for (std::uint32_t m = 0; m < moves_.size(); ++m) {
    if (pending_[m].waiting.empty()) continue;
    if (moves_[m].start <= now) {
      start(m, now);
    } else {
      next = std::min(next, moves_[m].start);
    }
  }
  return next;
}

void RelayoutDirector::start(std::uint32_t move, Fs now) {
  Pending& pending = pending_[move];
  for (std::size_t i = pending.waiting.size(); i > 0; --i) {
    const std::uint32_t number = pending.waiting[i - 1];
    const Flow& flow = flows_[number];
    const bool links = flow.source != flow.target;
    if (links && pending.on_links == moves_[move].links) continue;
    if (!lines_.at(flow.source).orders->try_push(now, {number})) continue;
    if (links) ++pending.on_links;
    pending.waiting.erase(pending.waiting.begin() + static_cast<std::ptrdiff_t>(i - 1));
    flow_spans_[number].begin = now;
    spans_[move].begin = std::min(spans_[move].begin, now);
    ++started_;
  }
}

std::optional<std::string> RelayoutDirector::waits_for() const {
  const std::uint64_t left = flows_.size() - ended_;
  if (left == 0) return std::nullopt;
  return "the end of " + std::to_string(left) + " flows";
}

}  // namespace neardata::system
