// SPDX-License-Identifier: Apache-2.0
#include "system/moe/relayout_director.h"

namespace neardata::system {

using core::Fs;

namespace {

/// Accesses of a flow to its source: a flow within a DIMM reads and writes there.
std::uint32_t load_of(const Flow& flow) { return flow.source == flow.target ? 2 : 1; }

}  // namespace

RelayoutDirector::RelayoutDirector(core::Placement place, const std::vector<RelayoutMove>& moves,
                                   const std::vector<Flow>& flows, std::vector<std::size_t> entries)
    : Part(std::move(place)),
      moves_(moves),
      flows_(flows),
      entries_(std::move(entries)),
      pending_(moves.size()),
      spans_(moves.size(), {core::kNever, core::kNever}),
      flow_spans_(flows.size(), {core::kNever, core::kNever}) {
  for (std::uint32_t f = 0; f < flows.size(); ++f) {
    Pending& pending = pending_[flows[f].move];
    pending.waiting.push_back(f);
    ++pending.left;
    for (const std::uint32_t dimm : {flows[f].source, flows[f].target}) lines_.try_emplace(dimm);
  }
}

void RelayoutDirector::declare(core::PortList& ports) {
  for (auto& [dimm, line] : lines_) {
    ports.out(core::port_of("orders", dimm), line.orders);
    ports.in(core::port_of("done", dimm), line.done);
  }
}

core::Expected<Fs> RelayoutDirector::step(Fs now) {
  Fs next = core::kNever;
  for (auto& [dimm, line] : lines_) {
    while (const FlowDone* done = line.done->front(now)) {
      const Flow& flow = flows_[done->flow];
      Pending& pending = pending_[flow.move];
      if (flow.source != flow.target) {
        --pending.on_links;
        --pending.entering[entry_of(done->flow)];
      }
      reading_[flow.source] -= load_of(flow);
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

std::vector<std::uint32_t>::iterator RelayoutDirector::next_flow(std::uint32_t move) {
  Pending& pending = pending_[move];
  const bool link_free = pending.on_links < moves_[move].links;
  const auto busy = [&](std::uint32_t number) { return reading_[flows_[number].source]; };
  // The links into the target first: if two flows share one link, one of them waits.
  const auto load = [&](std::uint32_t number) {
    return std::pair(pending.entering[entry_of(number)], busy(number));
  };
  auto best = pending.waiting.end();
  for (auto at = pending.waiting.begin(); at != pending.waiting.end(); ++at) {
    const bool local = flows_[*at].source == flows_[*at].target;
    const bool fills = pending.waiting.size() == 1 || busy(*at) == 0;
    if (local ? !fills : !link_free) continue;
    if (best == pending.waiting.end() || load(*at) < load(*best)) best = at;
  }
  return best;
}

void RelayoutDirector::start(std::uint32_t move, Fs now) {
  Pending& pending = pending_[move];
  for (auto at = next_flow(move); at != pending.waiting.end(); at = next_flow(move)) {
    const std::uint32_t number = *at;
    const Flow& flow = flows_[number];
    if (!lines_.at(flow.source).orders->try_push(now, {number})) return;
    reading_[flow.source] += load_of(flow);
    if (flow.source != flow.target) {
      ++pending.on_links;
      ++pending.entering[entry_of(number)];
    }
    pending.waiting.erase(at);
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
