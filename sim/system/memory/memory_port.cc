// SPDX-License-Identifier: Apache-2.0
#include "system/memory/memory_port.h"

#include <algorithm>
#include <utility>

namespace neardata::system {

using core::Cycle;
using core::Expected;
using core::Fs;

namespace {

/// More than a port can have accepted and not ended.
constexpr std::size_t kWrittenCapacity = 256;

}  // namespace

MemoryPort::MemoryPort(core::Placement place, const MemoryPortSetup& setup, Cycle issue_latency)
    : Part(std::move(place)),
      contents_(setup.contents),
      read_bus_(std::string(name()) + " read bus", setup.limits.rate),
      write_bus_(std::string(name()) + " write bus", setup.limits.rate),
      latency_(std::string(name()) + " read latency", clock().edge(setup.limits.read_latency)),
      pauses_(setup.pauses),
      issue_latency_(clock().edge(issue_latency)),
      present_(clock()),
      next_(clock()),
      ending_(clock()) {
  first_.fill(core::kNever);
}

/// The port may sleep on for its issue latency after a request has become visible.
void MemoryPort::declare(core::PortList& ports) {
  ports.in("requests", requests_, {.patience = issue_latency_, .front_time = &first_[kRequests]});
  ports.out("responses", responses_);
  ports.in("writes", writes_, {.front_time = &first_[kWrites]});
  constexpr std::string_view kOption = "background";
  ports.in(
      "background.requests", background_.requests,
      {.option = kOption, .patience = issue_latency_, .front_time = &first_[kBackgroundRequests]});
  ports.out("background.responses", background_.responses, {.option = kOption});
  ports.in("background.writes", background_.writes,
           {.option = kOption, .front_time = &first_[kBackgroundWrites]});
  ports.out("background.written", background_.written,
            {.option = kOption, .least_capacity = kWrittenCapacity});
}

Expected<Fs> MemoryPort::step(Fs now) {
  next_.move_after(now);
  catch_up();
  hear_host(now);
  const bool write_refused = take_writes(now);
  take_reads();
  if (error_) return std::unexpected(*error_);
  return next_work(write_refused);
}

void MemoryPort::pass(Fs t) {
  next_.move_after(t);
  catch_up();
}

std::optional<core::SimError> MemoryPort::finish(Fs end) {
  next_.move_after(end);
  catch_up();
  end_run();
  return error_;
}

/// Every cycle before that of `next_`, but the writes and reads that become visible in the last.
void MemoryPort::catch_up() {
  const Cycle now = next_.cycle() - Cycle{1};
  while (present_.cycle() < now) {
    if (read_refused_) {
      present_.move_to(advance(now, true));
      take_reads();
      continue;
    }
    const Cycle before = present_.cycle();
    const Fs request = next_request();
    if (request < next_.time()) {
      present_.move_after(request - Fs{1});
    } else {
      present_.move_to(now);
    }
    if (present_.cycle() > before) static_cast<void>(advance(present_.cycle(), false));
    if (present_.cycle() < now) take_reads();
  }
}

/// Offers the requests that are visible in the present cycle, round-robin if both clients wait.
void MemoryPort::take_reads() {
  const Fs now = present_.time();
  read_refused_ = false;
  while (next_request() <= now) {
    const bool own = first_[kRequests] <= now;
    const bool other = first_[kBackgroundRequests] <= now;
    const bool background = other && (background_is_next_ || !own);
    if (!take_read(background ? background_.requests : requests_, background, now)) {
      read_refused_ = true;
      return;
    }
    background_is_next_ = !background;
  }
}

bool MemoryPort::take_read(const core::In<core::ReadRequest>& from, bool background, Fs now) {
  core::ReadRequest read = *from->front(now);
  std::deque<Taken>& reads = background ? background_reads_ : own_reads_;
  if (read.tag >= reads.size()) reads.resize(read.tag + std::size_t{1});
  Taken& taking = reads[read.tag];
  taking.time = now;
  if (background || contents_.values) {
    taking.bytes = contents_.store.burst(read.burst);
    __builtin_prefetch(taking.bytes);  // loads the caches while simulated time passes
  }
  if (background) {
    taking.keep_bytes();
    read.tag |= kBackground;
  }
  if (!offer_read(read, present_.cycle())) return false;
  ++taken_;
  if (!background && contents_.history != nullptr) contents_.history->read(read.burst);
  from->pop(now);
  return true;
}

/// True if the queue was full for a write.
bool MemoryPort::take_writes(Fs now) {
  const bool own_refused = first_[kWrites] <= now && take_writes(writes_, false, now);
  if (first_[kBackgroundWrites] > now) return own_refused;
  return take_writes(background_.writes, true, now) || own_refused;
}

bool MemoryPort::take_writes(const core::In<WriteRequest>& from, bool background, Fs now) {
  while (const WriteRequest* write = from->front(now)) {
    if (!offer_write({write->burst, write->tag, background}, present_.cycle())) return true;
    accept(*write);
    from->pop(now);
    ++writes_taken_;
  }
  return false;
}

/// Reads that were accepted earlier return the bytes from before the write. Background reads, many
/// of which are in flight during background writes, have copies already.
void MemoryPort::accept(const WriteRequest& write) {
  const ByteStore::Burst data(write.data);
  if (contents_.values && write.has_data) {
    const std::byte* const place = contents_.store.burst(write.burst);
    for (Taken& read : own_reads_) {
      if (read.bytes == place) read.keep_bytes();
    }
  }
  if (contents_.history != nullptr) {
    contents_.history->write(write.burst, write.has_data ? std::optional(data) : std::nullopt);
  }
  if (write.has_data) contents_.store.write_burst(write.burst, data);
}

/// A request wakes the port when its issue latency has passed since it became visible; the port
/// must account for one that is in flight during this call.
Fs MemoryPort::next_work(bool write_refused) {
  Fs next = core::kNever;
  const auto wake = [&](Fs time, Fs later = {}) {
    if (time > present_.time() && time < core::kNever) next = std::min(next, time + later);
  };
  wake(first_[kRequests], issue_latency_);
  wake(first_[kBackgroundRequests], issue_latency_);
  wake(first_[kWrites]);
  wake(first_[kBackgroundWrites]);
  if (from_host_) wake(from_host_->front_time());
  if (const auto event = next_event()) {
    core::EdgeCursor edge = present_;
    edge.move_to(*event);
    next = std::min(next, write_refused || in_haste() ? edge.time() : edge.time() + issue_latency_);
  }
  return next;
}

void MemoryPort::transferred(Cycle end, std::uint32_t bytes, bool is_read) {
  keep((is_read ? read_bus_ : write_bus_).transfer({bytes}, clock().edge(end)));
}

void MemoryPort::answer(const core::ReadRequest& request, Cycle end, std::uint32_t on_bus) {
  ending_.move_to(end);
  const Fs time = ending_.time();
  const Taken& read = taken(request.tag);
  if (on_bus != 0) {
    keep(read_bus_.transfer({on_bus}, time));
    keep(latency_.answer(read.time, time));
  }
  if ((request.tag & kBackground) != 0) {
    answer_background(request, read, time);
    return;
  }
  Fs release = std::max(time, last_push_);
  if (const std::int64_t rest = pauses_.next(); rest > 0) {
    release = release + clock().edge(Cycle{rest});
  }
  last_push_ = release;
  ++answered_;
  if (!responses_->try_push(release, {request.tag, request.burst, &read.bytes})) {
    keep(core::SimError{core::Fault::kProtocol, std::string(name()),
                        "more answers than the unit has room for", time});
  }
}

void MemoryPort::answer_background(const core::ReadRequest& request, const Taken& read, Fs time) {
  last_background_push_ = std::max(time, last_background_push_);
  ++answered_;
  const core::ReadResponse response{request.tag & ~kBackground, request.burst, &read.bytes};
  if (!background_.responses->try_push(last_background_push_, response)) {
    keep(core::SimError{core::Fault::kProtocol, std::string(name()),
                        "more answers than there is room for", time});
  }
}

void MemoryPort::written(Cycle end, std::uint32_t on_bus, std::optional<std::uint32_t> tag) {
  ++written_;
  const Fs time = clock().edge(end);
  keep(write_bus_.transfer({on_bus}, time));
  // Sent after the largest possible lag of the port, so never in the past of the receiver.
  if (tag && !background_.written->try_push(time + issue_latency_, {*tag})) {
    keep(core::SimError{core::Fault::kProtocol, std::string(name()),
                        "more writes ended than were begun", time});
  }
}

std::optional<std::string> MemoryPort::waits_for() const {
  std::uint64_t reads = taken_ - answered_ + requests_->size();
  std::uint64_t writes = writes_taken_ - written_ + writes_->size();
  if (background_.requests) {
    reads += background_.requests->size();
    writes += background_.writes->size();
  }
  if (reads + writes == 0) return std::nullopt;
  return std::to_string(reads) + " reads and " + std::to_string(writes) + " writes of its own";
}

}  // namespace neardata::system
