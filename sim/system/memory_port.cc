// SPDX-License-Identifier: Apache-2.0
#include "system/memory_port.h"

#include <algorithm>
#include <utility>

namespace neardata::system {

using core::Cycle;
using core::Expected;
using core::Fs;

MemoryPort::MemoryPort(std::string name, const core::Clock& clock, const PortLinks& links,
                       const BusLimits& limits, Pauses pauses, Cycle issue_latency)
    : name_(std::move(name)),
      clock_(clock),
      links_(links),
      read_bus_(name_ + " read bus", limits.rate),
      write_bus_(name_ + " write bus", limits.rate),
      latency_(name_ + " read latency", clock.edge(limits.read_latency)),
      pauses_(pauses),
      issue_latency_(clock.edge(issue_latency)),
      patience_(issue_latency_),
      present_(clock),
      asking_(clock),
      ending_(clock) {}

Expected<Fs> MemoryPort::step(Fs now) {
  catch_up(clock_.after(now) - Cycle{1});
  const bool write_refused = take_writes(now);
  take_reads();
  if (error_) return std::unexpected(*error_);
  return next_work(write_refused);
}

void MemoryPort::settle(Fs end) { catch_up(clock_.after(end) - Cycle{1}); }

/// Everything up to and including cycle `now`, but the writes and reads that become visible in it.
void MemoryPort::catch_up(Cycle now) {
  while (present_.cycle() < now) {
    const Cycle target = read_refused_ ? now : std::min(now, next_request());
    if (target > present_.cycle()) present_.move_to(advance(target, read_refused_));
    if (present_.cycle() < now || read_refused_) take_reads();
  }
}

/// The cycle in which the oldest request is seen; after the end of time if there is none.
Cycle MemoryPort::next_request() {
  const Fs visible = links_.requests->front_time();
  if (visible == core::kNever) return Cycle{core::kNever.value};
  asking_.move_after(visible - Fs{1});
  return asking_.cycle();
}

/// Offers what is visible in the present cycle.
void MemoryPort::take_reads() {
  const Fs now = present_.time();
  read_refused_ = false;
  while (const unit::ReadRequest* read = links_.requests->front(now)) {
    if (read->tag >= asked_.size()) asked_.resize(read->tag + std::size_t{1});
    asked_[read->tag] = now;
    if (!offer_read(*read, present_.cycle())) {
      read_refused_ = true;
      return;
    }
    ++taken_;
    links_.requests->pop(now);
  }
}

/// True when a write found no room.
bool MemoryPort::take_writes(Fs now) {
  while (const WriteRequest* write = links_.writes->front(now)) {
    if (!offer_write(*write, present_.cycle())) return true;
    links_.writes->pop(now);
    ++writes_taken_;
  }
  return false;
}

/// Requests wake the port of their own accord, `patience` after they have become visible.
Fs MemoryPort::next_work(bool write_refused) {
  const Fs write = links_.writes->front_time();
  Fs next = write > present_.time() ? write : core::kNever;
  if (const auto event = next_event()) {
    core::EdgeCursor edge = present_;
    edge.move_to(*event);
    next = std::min(next, write_refused ? edge.time() : edge.time() + issue_latency_);
  }
  return next;
}

void MemoryPort::answer(const unit::ReadRequest& request, Cycle end, bool on_bus) {
  ending_.move_to(end);
  const Fs time = ending_.time();
  if (on_bus) {
    keep(read_bus_.transfer({unit::kBurstBytes}, time));
    keep(latency_.answer(asked_[request.tag], time));
  }
  Fs release = std::max(time, last_push_);
  if (const std::int64_t rest = pauses_.next(); rest > 0) {
    release = release + clock_.edge(Cycle{rest});
  }
  last_push_ = release;
  ++answered_;
  const unit::ReadResponse response{request.tag, request.burst, links_.store->burst(request.burst)};
  if (!links_.responses->try_push(release, response)) {
    keep(core::SimError{core::Fault::kProtocol, name_, "more answers than the unit has room for",
                        time});
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
