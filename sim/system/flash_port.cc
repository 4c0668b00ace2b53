// SPDX-License-Identifier: Apache-2.0
#include "system/flash_port.h"

#include <algorithm>
#include <span>
#include <utility>

namespace neardata::system {

using core::Expected;
using core::Fs;
using flash::Operation;
using flash::Tick;

namespace {

constexpr std::int64_t kFsPerNs = 1'000'000;
/// Steps of a random pause, in ticks: enough to change the order of pages.
constexpr std::int64_t kPauseTicks = 1000;
/// A beat is this many pairs of bytes.
constexpr std::int64_t kPairs = unit::kBeatBytes / 2;

std::unexpected<core::SimError> protocol(std::string message, Fs now) {
  return std::unexpected(core::SimError{core::Fault::kProtocol, "flash", std::move(message), now});
}

/// The shortest command of any number of planes, and the sensing.
Fs shortest_read(const FlashConfig& config) {
  const std::span commands =
      std::span(config.timing.read_command).subspan(1, config.shape.channel.planes);
  const Tick ticks = std::ranges::min(commands) + config.timing.sense;
  return {ticks.value * kFsPerNs / config.ticks_per_ns};
}

}  // namespace

FlashPort::FlashPort(const FlashConfig& config, const DramPortConfig& dram, KvCache& cache,
                     const std::vector<CsdJob>& jobs, FlashLinks links, Pauses pauses,
                     std::size_t kept_pages)
    : config_(config),
      dram_(dram),
      cache_(cache),
      jobs_(jobs),
      links_(std::move(links)),
      pauses_(pauses),
      kept_pages_(kept_pages),
      backend_(config.timing, config.shape, config.arbitration),
      writer_(config.shape),
      latency_("flash", shortest_read(config)),
      asked_(jobs.size()) {
  for (std::uint32_t c = 0; c < config.shape.channels; ++c) {
    guards_.emplace_back("flash channel " + std::to_string(c), config.wires);
  }
}

Expected<Fs> FlashPort::step(Fs now) {
  while (const unit::SparfPageRequest* request = links_.requests->front(now)) {
    auto taken = request->write ? take_program(*request, now) : take(*request, now);
    if (!taken) return std::unexpected(std::move(taken).error());
    links_.requests->pop(now);
    ++progress_;
  }
  for (Tick tick = next_tick(); tick != flash::kNever && time_of(tick) <= now; tick = next_tick()) {
    if (auto done = run_tick(tick); !done) {
      done.error().time = now;
      return std::unexpected(std::move(done).error());
    }
  }
  const Tick next = next_tick();
  const Fs due = next == flash::kNever ? core::kNever : time_of(next);
  return std::min(due, links_.requests->front_time());
}

std::optional<std::string> FlashPort::waits_for() const {
  const std::size_t reads = readings_.size() - free_.size();
  if (reads + writer_.outstanding() == 0) return std::nullopt;
  return std::to_string(reads) + " page reads and " + std::to_string(writer_.outstanding()) +
         " programs or erases";
}

Expected<void> FlashPort::take(const unit::SparfPageRequest& request, Fs now) {
  if (request.head >= jobs_.size()) return protocol("a page of no head was asked for", now);
  const flash::Owner owner = cache_.owner(jobs_[request.head].head, request.kind, request.index);
  ++asked_[request.head][static_cast<std::size_t>(request.kind)];
  const std::span<const std::byte> copy = cache_.hot_pages().read(owner);
  if (!copy.empty()) return take_hot(request, owner, copy, now);
  Slot slot = static_cast<Slot>(readings_.size());
  if (free_.empty()) {
    readings_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  readings_[slot] = {.request = request,
                     .owner = owner,
                     .place = {},
                     .asked = now,
                     .record = record(request, now)};
  const Tick at = tick_of(now) + pauses_.next() * Tick{kPauseTicks};
  agenda_[at].submissions.push_back(slot);
  return {};
}

Expected<void> FlashPort::take_hot(const unit::SparfPageRequest& request, flash::Owner owner,
                                   std::span<const std::byte> bytes, Fs now) {
  const auto place = cache_.readable(owner);
  if (!place) return protocol("the engine asked for a page that is not on flash", now);
  const auto count = static_cast<std::uint32_t>(bytes.size());
  if (!links_.dram->try_push(now, {count, false})) return protocol("the DRAM takes no more", now);
  // A line of DRAM is some beats; neither is faster than the DRAM's bus.
  constexpr auto kBeats = static_cast<std::int64_t>(unit::kLineBytes / unit::kBeatBytes);
  const Tick line = tick_of(dram_.line_time);
  const Tick beat{(line.value + kBeats - 1) / kBeats};
  const Tick first = tick_of(now + dram_.latency) + beat;
  const unit::SparfPage page{
      .tag = request.tag,
      .data = bytes.data(),
      .bytes = count,
      .beats = {.first = first.value, .step = beat.value, .ticks_per_ns = config_.ticks_per_ns}};
  if (const auto kept = record(request, now)) {
    records_[*kept].channel = place->channel;
    records_[*kept].arrived = page.beats.at(page.beat_count() - 1);
  }
  ++counters_.hot;
  return hand_on(place->channel, page, now);
}

/// Keeps the request among the first of the run.
std::optional<std::size_t> FlashPort::record(const unit::SparfPageRequest& request, Fs now) {
  if (records_.size() >= kept_pages_) return std::nullopt;
  records_.push_back({.job = request.head,
                      .kind = request.kind,
                      .index = request.index,
                      .asked = now,
                      .arrived = {}});
  return records_.size() - 1;
}

Expected<void> FlashPort::take_program(const unit::SparfPageRequest& request, Fs now) {
  if (request.head >= jobs_.size()) return protocol("a page of no head was written", now);
  std::vector<flash::FlashWork> work;
  auto bytes = cache_.write(jobs_[request.head].head, request.kind, request.index, work);
  if (!bytes) {
    bytes.error().time = now;
    return std::unexpected(std::move(bytes).error());
  }
  const DramBulk gathered{.bytes = static_cast<std::uint32_t>(bytes->size())};
  if (!links_.dram->try_push(now, gathered)) return protocol("the DRAM takes no more", now);
  for (const flash::FlashWork& item : work) {
    const bool own = item.operation == Operation::kProgram && !item.moved;
    writer_.add({item, own ? *std::move(bytes) : std::vector<std::byte>{}});
  }
  start_writes(tick_of(now));
  return {};
}

void FlashPort::start_writes(Tick tick) {
  ready_.clear();
  writer_.start(ready_);
  for (const FlashWriter::Id id : ready_) agenda_[tick].submissions.push_back(id | kWriteBit);
}

Expected<void> FlashPort::run_tick(Tick tick) {
  if (backend_.next_event() == tick) {
    finished_.clear();
    backend_.step(tick, finished_);
    for (const flash::Completion& completion : finished_) {
      if (auto done = finish(completion); !done) return done;
    }
    for (const flash::DataOut& page : backend_.started()) {
      if (auto done = begin_data_out(page); !done) return done;
    }
    start_writes(tick);
  }
  const auto due = agenda_.find(tick);
  if (due == agenda_.end()) return {};
  const Agenda agenda = std::move(due->second);
  agenda_.erase(due);
  return submit(tick, agenda);
}

Expected<void> FlashPort::submit(Tick tick, const Agenda& agenda) {
  for (const std::uint32_t id : agenda.given_up) {
    if ((id & kWriteBit) != 0) {
      ++failed_programs_;
      const FlashWrite lost = writer_.finish(id & ~kWriteBit);
      if (auto told = tell(lost.work, true, tick); !told) return told;
      start_writes(tick);
    } else {
      ++counters_.channel_dead;
      if (auto done = hand_on_error(id, tick); !done) return done;
    }
  }
  batch_.clear();
  for (const std::uint32_t id : agenda.submissions) {
    Operation operation = Operation::kRead;
    flash::Place place;
    if ((id & kWriteBit) != 0) {
      const flash::FlashWork& work = writer_.at(id & ~kWriteBit).work;
      operation = work.operation;
      place = work.place;
    } else {
      Reading& reading = readings_[id];
      const auto readable = cache_.readable(reading.owner);
      if (!readable) return protocol("the engine asked for a page that is not on flash", Fs{});
      place = reading.place = *readable;
      if (reading.record) records_[*reading.record].channel = place.channel;
    }
    if (is_dead(place.channel)) {
      agenda_[tick + config_.reads.dead_timeout].given_up.push_back(id);
    } else {
      batch_.push_back(routed(place, operation, id));
    }
  }
  backend_.submit(tick, batch_);
  return {};
}

flash::RoutedRequest FlashPort::routed(const flash::Place& place, Operation operation,
                                       std::uint32_t id) const {
  return {.channel = place.channel,
          .page = {.id = flash::RequestId{id},
                   .operation = operation,
                   .address = place.address,
                   .bytes = operation == Operation::kErase ? 0 : cache_.config().page_bytes}};
}

/// The page begins to cross the bus: whether it can be corrected is known to the model now.
Expected<void> FlashPort::begin_data_out(const flash::DataOut& page) {
  if ((page.id.value & kWriteBit) != 0) return {};
  if (page.behind) cache_.pages().expect(readings_[page.behind->value].place);
  Reading& reading = readings_[page.id.value];
  const Fs now = time_of(page.start);
  if (auto fault = latency_.answer(reading.asked, now)) return std::unexpected(*std::move(fault));
  const PageStore::Reading contents = cache_.pages().read(reading.place, reading.owner);
  const std::uint32_t bytes = cache_.config().page_bytes;
  const flash::SensedPage sensed =
      flash::sense(config_.reads.errors, reading.place.channel, reading.place.address, bytes,
                   contents.readings, reading.attempt);
  ++reading.attempt;
  if (!sensed.correctable) {
    const bool again = reading.attempt <= config_.reads.errors.most_retries;
    reading.verdict = again ? Verdict::kRetry : Verdict::kUncorrectable;
    return {};
  }
  reading.verdict = contents.intact ? Verdict::kGood : Verdict::kWrong;
  if (!contents.intact) return {};
  counters_.corrected_bits += sensed.corrected_bits;
  const Tick beat = kPairs * config_.timing.bus_per_two_bytes;
  if (cache_.hot_pages().offer(reading.owner, {contents.data, bytes})) {
    if (!links_.dram->try_push(now, {bytes, true})) return protocol("the DRAM takes no more", now);
  }
  return hand_on(reading.place.channel,
                 {.tag = reading.request.tag,
                  .data = contents.data,
                  .bytes = bytes,
                  .beats = {.first = (page.start + beat).value,
                            .step = beat.value,
                            .ticks_per_ns = config_.ticks_per_ns}},
                 now);
}

Expected<void> FlashPort::finish(const flash::Completion& completion) {
  ++progress_;
  const std::uint32_t id = completion.id.value;
  return (id & kWriteBit) != 0 ? finish_write(id & ~kWriteBit, completion.done)
                               : finish_read(id, completion);
}

Expected<void> FlashPort::finish_read(Slot slot, const flash::Completion& completion) {
  Reading& reading = readings_[slot];
  const Fs end = time_of(completion.done);
  core::BusGuard& guard = guards_[reading.place.channel];
  if (auto fault = guard.transfer({cache_.config().page_bytes}, end)) {
    return std::unexpected(*std::move(fault));
  }
  switch (reading.verdict) {
    case Verdict::kGood:
      ++(reading.attempt == 1 ? counters_.clean : counters_.retried);
      release(slot, end);
      return {};
    case Verdict::kRetry:
      agenda_[completion.done + config_.reads.retry_setup].submissions.push_back(slot);
      return {};
    case Verdict::kUncorrectable:
      ++counters_.uncorrectable;
      break;
    case Verdict::kWrong:
      ++counters_.checksum;
      break;
  }
  return hand_on_error(slot, completion.done);
}

Expected<void> FlashPort::finish_write(FlashWriter::Id id, Tick tick) {
  FlashWrite write = writer_.finish(id);
  if (write.work.operation == Operation::kErase) cache_.erased(write.work);
  if (write.work.operation != Operation::kProgram) return {};
  auto done = cache_.programmed(write.work, std::move(write.bytes));
  if (!done) return done;
  return tell(write.work, false, tick);
}

/// Moves are nobody's business.
Expected<void> FlashPort::tell(const flash::FlashWork& work, bool failed, Tick tick) {
  const bool own = work.operation == Operation::kProgram && !work.moved;
  if (links_.programs == nullptr || !own) return {};
  const Fs now = time_of(tick);
  if (links_.programs->try_push(now, {work.owner, failed})) return {};
  return protocol("more programs ended at once than anybody listens to", now);
}

Expected<void> FlashPort::hand_on_error(Slot slot, Tick tick) {
  const Reading& reading = readings_[slot];
  const unit::SparfPage page{.tag = reading.request.tag,
                             .error = true,
                             .beats = {.first = tick.value, .ticks_per_ns = config_.ticks_per_ns}};
  auto done = hand_on(reading.place.channel, page, time_of(tick));
  release(slot, time_of(tick));
  return done;
}

Expected<void> FlashPort::hand_on(std::uint32_t channel, const unit::SparfPage& page, Fs now) {
  if (links_.pages[channel]->try_push(now, page)) return {};
  return protocol("the engine asked for more pages than it has tags", now);
}

void FlashPort::release(Slot slot, Fs arrived) {
  if (readings_[slot].record) records_[*readings_[slot].record].arrived = arrived;
  free_.push_back(slot);
}

void FlashPort::settle() {
  for (FlashWrite& write : writer_.abandon()) {
    const Operation operation = write.work.operation;
    if (operation == Operation::kErase) cache_.erased(write.work);
    if (operation != Operation::kProgram) continue;
    // The run has its outcome already; a page that is lost here stays in DRAM.
    static_cast<void>(cache_.programmed(write.work, std::move(write.bytes)));
  }
}

std::vector<Fs> FlashPort::bus_time(Tick flash::BusUse::*use) const {
  std::vector<Fs> times;
  for (const flash::BusUse& channel : backend_.bus_use()) times.push_back(time_of(channel.*use));
  return times;
}

Fs FlashPort::time_of(Tick tick) const {
  return {(tick.value * kFsPerNs + config_.ticks_per_ns - 1) / config_.ticks_per_ns};
}

Tick FlashPort::tick_of(Fs time) const {
  const __int128 ticks = __int128{time.value} * config_.ticks_per_ns + kFsPerNs - 1;
  return {static_cast<std::int64_t>(ticks / kFsPerNs)};
}

bool FlashPort::is_dead(std::uint32_t channel) const {
  return std::ranges::find(config_.reads.dead_channels, channel) !=
         config_.reads.dead_channels.end();
}

Tick FlashPort::next_tick() const {
  const Tick planned = agenda_.empty() ? flash::kNever : agenda_.begin()->first;
  return std::min(planned, backend_.next_event());
}

}  // namespace neardata::system
