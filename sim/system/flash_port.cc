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

/// Steps of a random pause, in ticks: enough to change the order of pages.
constexpr std::int64_t kPauseTicks = 1000;
/// A beat is this many pairs of bytes.
constexpr std::int64_t kPairs = unit::kBeatBytes / 2;

/// The shortest command of any number of planes, and the sensing.
Fs shortest_read(const FlashConfig& config) {
  const std::span commands =
      std::span(config.timing.read_command).subspan(1, config.shape.channel.planes);
  const Tick ticks = std::ranges::min(commands) + config.timing.sense;
  return {ticks.value * core::kFsPerNs / config.ticks_per_ns};
}

}  // namespace

FlashPort::FlashPort(core::Placement place, const FlashConfig& config,
                     const ControllerDramConfig& dram, KvCache& cache, std::vector<FlashHead> heads,
                     std::uint32_t tags, Pauses pauses, std::size_t kept_pages)
    : Part(std::move(place)),
      pages_(config.shape.channels),
      config_(config),
      dram_(dram),
      cache_(cache),
      heads_(std::move(heads)),
      pauses_(pauses),
      kept_pages_(kept_pages),
      backend_(config.timing, config.shape, config.arbitration),
      gather_(config.transposition, config.shape.channels, clock(), dram.line_time),
      translator_(config.translation),
      writer_(config.shape),
      latency_(std::string(name()), shortest_read(config)),
      on_its_way_(tags),
      asked_(heads_.size()) {
  for (std::uint32_t c = 0; c < config.shape.channels; ++c) {
    guards_.emplace_back(std::string(name()) + " channel " + std::to_string(c), config.wires);
  }
}

void FlashPort::declare(core::PortList& ports) {
  ports.in("requests", requests_);
  for (std::size_t c = 0; c < pages_.size(); ++c) {
    // As many pages as there are tags: never full.
    ports.out(core::port_of("pages", c), pages_[c],
              {.option = "pages", .least_capacity = on_its_way_.size() + 1});
  }
  ports.out("dram", bulk_);
  ports.in("read", read_);
  ports.out("programs", programs_, {.option = "programs"});
}

Expected<Fs> FlashPort::step(Fs now) {
  while (const unit::SparfPageRequest* request = requests_->front(now)) {
    auto taken = check(*request, now);
    if (taken) taken = request->write ? take_program(*request, now) : take(*request, now);
    if (!taken) return std::unexpected(std::move(taken).error());
    requests_->pop(now);
    ++progress_;
  }
  if (auto taken = take_awaited(now); !taken) return std::unexpected(std::move(taken).error());
  for (Tick tick = next_tick(); tick != flash::kNever && time_of(tick) <= now; tick = next_tick()) {
    if (auto done = run_tick(tick); !done) {
      done.error().time = now;
      return std::unexpected(std::move(done).error());
    }
  }
  const Tick next = next_tick();
  const Fs due = next == flash::kNever ? core::kNever : time_of(next);
  return std::min({due, requests_->front_time(), read_->front_time()});
}

std::optional<std::string> FlashPort::waits_for() const {
  const std::size_t reads = readings_.size() - free_.size();
  if (reads + writer_.outstanding() == 0) return std::nullopt;
  return std::to_string(reads) + " page reads and " + std::to_string(writer_.outstanding()) +
         " programs or erases";
}

Expected<void> FlashPort::take(const unit::SparfPageRequest& request, Fs now) {
  on_its_way_[request.tag] = true;
  const flash::Owner owner = cache_.owner(heads_[request.head].head, request.kind, request.index);
  ++asked_[request.head][static_cast<std::size_t>(request.kind)];
  Slot slot{static_cast<std::uint32_t>(readings_.size())};
  if (free_.empty()) {
    readings_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  at(slot) = {.request = request,
              .owner = owner,
              .place = {},
              .asked = now,
              .record = record(request, now)};
  return look_up(id_of(slot), now);
}

/// From its copy in DRAM, where there is one.
Expected<void> FlashPort::begin_read(Slot slot, Tick tick) {
  const std::span<const std::byte> copy = cache_.hot_pages().read(at(slot).owner);
  if (!copy.empty()) return take_hot(slot, copy, time_of(tick));
  const Tick at = tick + pauses_.next() * Tick{kPauseTicks};
  agenda_[at].submissions.push_back(id_of(slot));
  return {};
}

Expected<void> FlashPort::take_hot(Slot slot, std::span<const std::byte> bytes, Fs now) {
  const auto place = cache_.readable(at(slot).owner);
  if (!place)
    return core::broken_rule(std::string(name()),
                             "the engine asked for a page that is not on flash", now);
  const auto count = static_cast<std::uint32_t>(bytes.size());
  if (!bulk_->try_push(now, {count, false}))
    return core::broken_rule(std::string(name()), "the DRAM takes no more", now);
  // A line of DRAM is some beats; neither is faster than the DRAM's bus.
  constexpr auto kBeats = static_cast<std::int64_t>(unit::kLineBytes / unit::kBeatBytes);
  const Tick line = tick_of(dram_.line_time);
  const Tick beat{(line.value + kBeats - 1) / kBeats};
  const Tick first = tick_of(now + dram_.latency) + beat;
  const unit::SparfPage page{
      .tag = at(slot).request.tag,
      .data = bytes.data(),
      .bytes = count,
      .beats = {.first = first.value, .step = beat.value, .ticks_per_ns = config_.ticks_per_ns}};
  if (const auto kept = at(slot).record) records_[*kept].channel = place->channel;
  release(slot, page.beats.at(page.beat_count() - 1));
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
    if (auto done = take_loaded(tick); !done) return done;
    if (auto done = gather(time_of(tick), tick); !done) return done;
  }
  const auto due = agenda_.find(tick);
  if (due == agenda_.end()) return {};
  const Agenda agenda = std::move(due->second);
  agenda_.erase(due);
  return submit(tick, agenda);
}

Expected<void> FlashPort::submit(Tick tick, const Agenda& agenda) {
  for (const PageGather::SetNumber set : agenda.filled) gather_.filled(set, gathered_);
  if (!agenda.filled.empty()) {
    if (auto done = gather(time_of(tick), tick); !done) return done;
  }
  for (const flash::RequestId id : agenda.translated) {
    if (auto done = translated(id, tick); !done) return done;
  }
  for (const flash::RequestId id : agenda.given_up) {
    if (auto done = give_up(id, tick); !done) return done;
  }
  batch_.clear();
  for (const flash::RequestId id : agenda.submissions) {
    const auto request = routed(id);
    if (!request) return std::unexpected(request.error());
    if (is_dead(request->channel)) {
      agenda_[tick + config_.reads.dead_timeout].given_up.push_back(id);
    } else {
      batch_.push_back(*request);
    }
  }
  backend_.submit(tick, batch_);
  return {};
}

/// What is asked of the flash, and where it lies now.
Expected<flash::RoutedRequest> FlashPort::routed(flash::RequestId id) {
  Operation operation = Operation::kRead;
  flash::Place place;
  const Purpose of = purpose(id);
  if (const auto* slot = std::get_if<Slot>(&of)) {
    Reading& read = at(*slot);
    const auto readable = cache_.readable(read.owner);
    if (!readable)
      return core::broken_rule(std::string(name()),
                               "the engine asked for a page that is not on flash", Fs{});
    place = read.place = *readable;
    if (read.record) records_[*read.record].channel = place.channel;
  } else {
    const flash::FlashWork& work = writer_.at(std::get<FlashWriter::Id>(of)).work;
    operation = work.operation;
    place = work.place;
  }
  return flash::RoutedRequest{
      .channel = place.channel,
      .page = {.id = id,
               .operation = operation,
               .address = place.address,
               .bytes = operation == Operation::kErase ? 0 : cache_.config().page_bytes}};
}

/// The page begins to cross the bus: whether it can be corrected is known to the model now.
Expected<void> FlashPort::begin_data_out(const flash::DataOut& page) {
  if (page.behind) {
    // A page that the cleaner reads is looked at when it has been written elsewhere.
    const Purpose behind = purpose(*page.behind);
    if (const auto* next = std::get_if<Slot>(&behind)) cache_.pages().expect(at(*next).place);
  }
  const Purpose of = purpose(page.id);
  const auto* slot = std::get_if<Slot>(&of);
  if (slot == nullptr) return {};
  Reading& reading = at(*slot);
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
    if (!bulk_->try_push(now, {bytes, true}))
      return core::broken_rule(std::string(name()), "the DRAM takes no more", now);
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
  const Purpose of = purpose(completion.id);
  if (const auto* slot = std::get_if<Slot>(&of)) return finish_read(*slot, completion);
  return finish_write(std::get<FlashWriter::Id>(of), completion.done, false);
}

Expected<void> FlashPort::finish_read(Slot slot, const flash::Completion& completion) {
  Reading& reading = at(slot);
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
      agenda_[completion.done + config_.reads.retry_setup].submissions.push_back(id_of(slot));
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

Expected<void> FlashPort::hand_on_error(Slot slot, Tick tick) {
  const Reading& reading = at(slot);
  const unit::SparfPage page{.tag = reading.request.tag,
                             .error = true,
                             .beats = {.first = tick.value, .ticks_per_ns = config_.ticks_per_ns}};
  auto done = hand_on(reading.place.channel, page, time_of(tick));
  release(slot, time_of(tick));
  return done;
}

Expected<void> FlashPort::hand_on(std::uint32_t channel, const unit::SparfPage& page, Fs now) {
  on_its_way_[page.tag] = false;
  if (pages_[channel]->try_push(now, page)) return {};
  return core::broken_rule(std::string(name()), "the engine asked for more pages than it has tags",
                           now);
}

void FlashPort::release(Slot slot, Fs arrived) {
  if (at(slot).record) records_[*at(slot).record].arrived = arrived;
  free_.push_back(slot);
}

std::vector<Fs> FlashPort::bus_time(Tick flash::BusUse::*use) const {
  std::vector<Fs> times;
  for (const flash::BusUse& channel : backend_.bus_use()) times.push_back(time_of(channel.*use));
  return times;
}

Fs FlashPort::time_of(Tick tick) const {
  return unit::BeatTimes{.first = tick.value, .ticks_per_ns = config_.ticks_per_ns}.at(0);
}

/// A tick is a femtosecond at least, so there are no more of them.
Tick FlashPort::tick_of(Fs time) const {
  const __int128 ticks = __int128{time.value} * config_.ticks_per_ns + core::kFsPerNs - 1;
  return {static_cast<std::int64_t>(ticks / core::kFsPerNs)};
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
