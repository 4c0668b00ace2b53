// SPDX-License-Identifier: Apache-2.0
#include "system/memory/memory_port.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace neardata::system {

using core::Cycle;
using core::Expected;
using core::Fs;

namespace {

/// More than a port can have accepted and not ended.
constexpr std::size_t kWrittenRoom = 256;

}  // namespace

MemoryPort::MemoryPort(core::Placement place, const PortContents& contents, const BusLimits& limits,
                       Pauses pauses, Cycle issue_latency)
    : Part(std::move(place)),
      contents_(contents),
      read_bus_(std::string(name()) + " read bus", limits.rate),
      write_bus_(std::string(name()) + " write bus", limits.rate),
      latency_(std::string(name()) + " read latency", clock().edge(limits.read_latency)),
      pauses_(pauses),
      issue_latency_(clock().edge(issue_latency)),
      present_(clock()),
      asking_(clock()),
      ending_(clock()) {}

/// The port may sleep on for its issue latency after a request has become visible.
void MemoryPort::declare(core::PortList& ports) {
  ports.in("requests", requests_, {.patience = issue_latency_});
  ports.out("responses", responses_);
  ports.in("writes", writes_);
  constexpr std::string_view kOption = "background";
  ports.in("background.requests", background_.requests,
           {.option = kOption, .patience = issue_latency_});
  ports.out("background.responses", background_.responses, {.option = kOption});
  ports.in("background.writes", background_.writes, {.option = kOption});
  ports.out("background.written", background_.written,
            {.option = kOption, .least_capacity = kWrittenRoom});
}

Expected<Fs> MemoryPort::step(Fs now) {
  catch_up(clock().after(now) - Cycle{1});
  hear_host(now);
  const bool write_refused = take_writes(now);
  take_reads();
  if (error_) return std::unexpected(*error_);
  return next_work(write_refused);
}

std::optional<core::SimError> MemoryPort::settle(Fs end) {
  catch_up(clock().after(end) - Cycle{1});
  end_run();
  return error_;
}

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
  Fs visible = requests_->front_time();
  if (background_.requests) visible = std::min(visible, background_.requests->front_time());
  if (visible == core::kNever) return Cycle{core::kNever.value};
  // The other client may have asked earlier than the one that was looked at last.
  if (visible < asking_.time()) asking_.move_to(clock().at_or_after(visible));
  asking_.move_after(visible - Fs{1});
  return asking_.cycle();
}

/// Offers what is visible in the present cycle.
void MemoryPort::take_reads() {
  const Fs now = present_.time();
  read_refused_ = false;
  while (const core::In<unit::ReadRequest>* from = waiting_reads(now)) {
    const bool background = from != &requests_;
    unit::ReadRequest read = *(*from)->front(now);
    if (background) read.tag |= kBackground;
    Taken& taking = taken(read.tag);
    taking.take(read.tag & ~kBackground, now);
    if (background || contents_.values) {
      Taken::Burst& data = taking.data_of(read.tag & ~kBackground);
      std::memcpy(data.data(), contents_.store.burst(read.burst), data.size());
    }
    if (!offer_read(read, present_.cycle())) {
      read_refused_ = true;
      return;
    }
    ++taken_;
    if (!background && contents_.history != nullptr) contents_.history->read(read.burst);
    (*from)->pop(now);
    background_turn_ = !background;
  }
}

/// The client whose read comes next, if any waits.
const core::In<unit::ReadRequest>* MemoryPort::waiting_reads(Fs now) const {
  const bool own = requests_->front(now) != nullptr;
  const bool other = background_.requests && background_.requests->front(now) != nullptr;
  if (other && (background_turn_ || !own)) return &background_.requests;
  return own ? &requests_ : nullptr;
}

void MemoryPort::Taken::take(std::uint32_t tag, Fs time) {
  if (tag >= times.size()) times.resize(tag + std::size_t{1});
  times[tag] = time;
}

MemoryPort::Taken::Burst& MemoryPort::Taken::data_of(std::uint32_t tag) {
  if (tag >= data.size()) data.resize(tag + std::size_t{1});
  return data[tag];
}

/// True when a write found no room.
bool MemoryPort::take_writes(Fs now) {
  const bool own_refused = take_writes(writes_, false, now);
  if (!background_.writes) return own_refused;
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

void MemoryPort::accept(const WriteRequest& write) {
  const ByteStore::Burst data(write.data);
  if (contents_.history != nullptr) {
    contents_.history->write(write.burst, write.has_data ? std::optional(data) : std::nullopt);
  }
  if (write.has_data) contents_.store.write_burst(write.burst, data);
}

/// A request wakes the port when its issue latency has passed since it became visible; one that was
/// under way while the port was called would be forgotten otherwise.
Fs MemoryPort::next_work(bool write_refused) {
  Fs next = core::kNever;
  const auto wake = [&](Fs time, Fs later = {}) {
    if (time > present_.time() && time < core::kNever) next = std::min(next, time + later);
  };
  wake(requests_->front_time(), issue_latency_);
  if (background_.requests) wake(background_.requests->front_time(), issue_latency_);
  wake(writes_->front_time());
  if (background_.writes) wake(background_.writes->front_time());
  if (from_host_) wake(from_host_->front_time());
  if (const auto event = next_event()) {
    core::EdgeCursor edge = present_;
    edge.move_to(*event);
    next = std::min(next, write_refused || in_haste() ? edge.time() : edge.time() + issue_latency_);
  }
  return next;
}

void MemoryPort::answer(const unit::ReadRequest& request, Cycle end, bool on_bus) {
  ending_.move_to(end);
  const Fs time = ending_.time();
  if (on_bus) {
    keep(read_bus_.transfer({unit::kBurstBytes}, time));
    keep(latency_.answer(taken(request.tag).times[request.tag & ~kBackground], time));
  }
  if ((request.tag & kBackground) != 0) {
    answer_background(request, time);
    return;
  }
  Fs release = std::max(time, last_push_);
  if (const std::int64_t rest = pauses_.next(); rest > 0) {
    release = release + clock().edge(Cycle{rest});
  }
  last_push_ = release;
  ++answered_;
  const std::byte* data = contents_.values ? taken_own_.data_of(request.tag).data() : nullptr;
  const unit::ReadResponse response{request.tag, request.burst, data};
  if (!responses_->try_push(release, response)) {
    keep(core::SimError{core::Fault::kProtocol, std::string(name()),
                        "more answers than the unit has room for", time});
  }
}

void MemoryPort::answer_background(const unit::ReadRequest& request, Fs time) {
  last_background_push_ = std::max(time, last_background_push_);
  ++answered_;
  const unit::ReadResponse response{request.tag & ~kBackground, request.burst,
                                    taken_background_.data_of(request.tag & ~kBackground).data()};
  if (!background_.responses->try_push(last_background_push_, response)) {
    keep(core::SimError{core::Fault::kProtocol, std::string(name()),
                        "more answers than there is room for", time});
  }
}

void MemoryPort::written(Cycle end, std::optional<std::uint32_t> tag) {
  ++written_;
  const Fs time = clock().edge(end);
  keep(write_bus_.transfer({unit::kBurstBytes}, time));
  // Told as late as the port may lag behind, so never in the past of the listener.
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
