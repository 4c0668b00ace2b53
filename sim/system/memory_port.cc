// SPDX-License-Identifier: Apache-2.0
#include "system/memory_port.h"

#include <algorithm>
#include <utility>

namespace neardata::system {

using core::Cycle;
using core::Expected;
using core::Fs;

MemoryPort::MemoryPort(std::string name, const core::Clock& clock, const PortLinks& links,
                       const BusLimits& limits, Pauses pauses)
    : name_(std::move(name)),
      clock_(clock),
      edge_(clock),
      links_(links),
      read_bus_(name_ + " read bus", limits.rate),
      write_bus_(name_ + " write bus", limits.rate),
      latency_(name_ + " read latency", clock.edge(limits.read_latency)),
      pauses_(pauses) {}

Expected<Fs> MemoryPort::step(Fs now) {
  core::EdgeCursor edge = edge_;
  edge.move_after(now - Fs{1});
  if (edge.time() != now) return edge.time();  // woken between two edges
  edge_ = edge;
  advance(edge_.cycle());
  const bool refused = take_requests(now);
  if (error_) return std::unexpected(*error_);
  return next_work(refused);
}

/// Takes what its queues have room for; true when something visible was refused.
bool MemoryPort::take_requests(Fs now) {
  while (const WriteRequest* write = links_.writes->front(now)) {
    if (!offer_write(*write, edge_.cycle())) return true;
    links_.writes->pop(now);
    ++writes_taken_;
  }
  while (const unit::ReadRequest* read = links_.requests->front(now)) {
    if (!offer_read(*read, edge_.cycle())) return true;
    if (read->tag >= asked_.size()) asked_.resize(read->tag + std::size_t{1});
    asked_[read->tag] = now;
    ++taken_;
    links_.requests->pop(now);
  }
  return false;
}

Fs MemoryPort::next_work(bool refused) {
  Fs next = std::min(links_.requests->front_time(), links_.writes->front_time());
  if (refused) {
    // What was refused is visible already and would wake the port at once.
    next = core::kNever;
    for (const Fs t : {links_.requests->front_time(), links_.writes->front_time()}) {
      if (t > edge_.time()) next = std::min(next, t);
    }
    if (const auto cycle = retry()) next = std::min(next, time_of(*cycle));
  }
  if (const auto cycle = next_answer()) next = std::min(next, time_of(*cycle));
  return next;
}

Fs MemoryPort::time_of(Cycle cycle) const {
  core::EdgeCursor edge = edge_;
  edge.move_to(cycle);
  return edge.time();
}

void MemoryPort::answer(const unit::ReadRequest& request, bool on_bus) {
  const Fs now = edge_.time();
  if (on_bus) {
    keep(read_bus_.transfer({unit::kBurstBytes}, now));
    keep(latency_.answer(asked_[request.tag], now));
  }
  Fs release = std::max(now, last_push_);
  if (const std::int64_t rest = pauses_.next(); rest > 0) {
    release = release + clock_.edge(Cycle{rest});
  }
  last_push_ = release;
  ++answered_;
  const unit::ReadResponse response{request.tag, request.burst, links_.store->burst(request.burst)};
  if (!links_.responses->try_push(release, response)) {
    keep(core::SimError{core::Fault::kProtocol, name_, "more answers than the unit has room for",
                        now});
  }
}

void MemoryPort::written(Cycle end) {
  ++written_;
  keep(write_bus_.transfer({unit::kBurstBytes}, clock_.edge(end)));
}

std::optional<std::string> MemoryPort::waits_for() const {
  const std::uint64_t reads = taken_ - answered_ + links_.requests->size();
  const std::uint64_t writes = writes_taken_ - written_ + links_.writes->size();
  if (reads + writes == 0) return std::nullopt;
  return std::to_string(reads) + " reads and " + std::to_string(writes) + " writes of its own";
}

}  // namespace neardata::system
