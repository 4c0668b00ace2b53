// SPDX-License-Identifier: Apache-2.0
#include "system/flash/flash_port.h"

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
      latency_(std::string(name()), config.floors.read),
      program_(std::string(name()) + ", programs", config.floors.program),
      erase_(std::string(name()) + ", erases", config.floors.erase),
      decoders_(config.shape.channels, flash::EccDecoder(config.ecc)),
      bus_bytes_(cache.config().page_bytes + config.ecc.parity(cache.config().page_bytes)),
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
  ReadId slot{static_cast<std::uint32_t>(readings_.size())};
  if (free_.empty()) {
    readings_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  at(slot) = {.request = request,
              .owner = owner,
              .place = {},
              .reading = {.asked = now, .known = {}},
              .record = record(request, now)};
  return look_up(id_of(slot), now);
}

/// From its copy in DRAM, where there is one.
Expected<void> FlashPort::begin_read(ReadId slot, Tick tick) {
  const std::span<const std::byte> copy = cache_.hot_pages().read(at(slot).owner);
  if (!copy.empty()) return take_hot(slot, copy, time_of(tick));
  const Tick at = tick + pauses_.next() * Tick{kPauseTicks};
  agenda_.submit(at, id_of(slot));
  return {};
}

Expected<void> FlashPort::take_hot(ReadId slot, std::span<const std::byte> bytes, Fs now) {
  const auto place = cache_.readable(at(slot).owner);
  if (!place)
    return core::broken_rule(std::string(name()),
                             "the engine asked for a page that is not on flash", now);
  at(slot).place = *place;
  return await(static_cast<std::uint32_t>(bytes.size()), HotPage{slot, bytes}, now);
}

/// The lines behind the first one come at the pace of the DRAM's bus, which nothing interrupts.
Expected<void> FlashPort::hand_on_hot(ReadId slot, std::span<const std::byte> bytes, Fs now) {
  // A line of DRAM is some beats; neither is faster than the DRAM's bus.
  constexpr auto kBeats = static_cast<std::int64_t>(unit::kLineBytes / unit::kBeatBytes);
  const Tick line = tick_of(dram_.line_time);
  const Tick beat{(line.value + kBeats - 1) / kBeats};
  const Tick first = tick_of(now) + beat;
  const std::uint32_t channel = at(slot).place.channel;
  const unit::SparfPage page{
      .tag = at(slot).request.tag,
      .data = bytes.data(),
      .bytes = static_cast<std::uint32_t>(bytes.size()),
      .beats = {.first = first.value, .step = beat.value, .ticks_per_ns = config_.ticks_per_ns}};
  if (const auto kept = at(slot).record) records_[*kept].channel = channel;
  release(slot, page.beats.at(page.beat_count() - 1));
  ++counters_.hot;
  return hand_on(channel, page, now);
}

void FlashPort::plan_copy(const Reading& read, const unit::SparfPage& page) {
  if (cache_.config().hot_pages == 0) return;
  const Tick last{page.beats.first + (page.beat_count() - 1) * page.beats.step};
  copies_[next_copy_] = {
      .owner = read.owner, .place = read.place, .bytes = {page.data, page.bytes}};
  agenda_.come(last, next_copy_++);
}

/// Where the page has been written again or moved meanwhile, no copy of it is of use.
Expected<void> FlashPort::keep_copy(std::uint64_t number, Tick tick) {
  const Copy copy = copies_.extract(number).mapped();
  if (cache_.readable(copy.owner) != copy.place) return {};
  if (!cache_.hot_pages().offer(copy.owner, copy.bytes)) return {};
  const auto bytes = static_cast<std::uint32_t>(copy.bytes.size());
  if (bulk_->try_push(time_of(tick), {.bytes = bytes, .write = true})) return {};
  return core::broken_rule(std::string(name()), "the DRAM takes no more", time_of(tick));
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
  if (auto done = run_agenda(tick); !done) return done;
  return guard_order(tick);
}

/// A submission may have begun a program as well as an event of the flash.
Expected<void> FlashPort::guard_order(Tick tick) const {
  if (backend_.in_order()) [[likely]]
    return {};
  return std::unexpected(
      core::SimError{core::Fault::kPhysics, std::string(name()), *backend_.fault(), time_of(tick)});
}

Expected<void> FlashPort::run_agenda(Tick tick) {
  batch_.clear();
  std::span<const FlashAgenda::Item> items = agenda_.take(tick);
  const auto others = std::ranges::find_if(
      items, [](const auto& item) { return item.kind() != FlashAgenda::Kind::kFilled; });
  for (auto item = items.begin(); item != others; ++item) gather_.filled(item->set(), gathered_);
  if (others != items.begin()) {
    if (auto done = gather(time_of(tick), tick); !done) return done;
  }
  for (auto item = others; item != items.end(); ++item) {
    if (auto done = run(*item, tick); !done) return done;
  }
  if (!batch_.empty()) backend_.submit(tick, batch_);
  return {};
}

Expected<void> FlashPort::run(const FlashAgenda::Item& item, Tick tick) {
  switch (item.kind()) {
    case FlashAgenda::Kind::kFilled:
      gather_.filled(item.set(), gathered_);
      return gather(time_of(tick), tick);
    case FlashAgenda::Kind::kTranslated:
      return translated(item.request(), tick);
    case FlashAgenda::Kind::kMoved: {
      auto done = finish_write(item.move(), tick, false);
      return done ? gather(time_of(tick), tick) : done;
    }
    case FlashAgenda::Kind::kGivenUp:
      return give_up(item.request(), tick);
    case FlashAgenda::Kind::kSubmission:
      return submit(item.request(), tick);
    case FlashAgenda::Kind::kCome:
      return keep_copy(item.copy(), tick);
  }
  std::unreachable();
}

Expected<void> FlashPort::submit(flash::RequestId id, Tick tick) {
  const auto request = routed(id, time_of(tick));
  if (!request) return std::unexpected(request.error());
  if (is_dead(request->channel)) {
    agenda_.give_up(tick + config_.reads.dead_timeout, id);
  } else {
    batch_.push_back(*request);
  }
  return {};
}

/// What is asked of the flash, and where it lies now.
Expected<flash::RoutedRequest> FlashPort::routed(flash::RequestId id, Fs now) {
  Operation operation = Operation::kRead;
  flash::Place place;
  const Purpose of = purpose(id);
  if (const auto* slot = std::get_if<ReadId>(&of)) {
    Reading& read = at(*slot);
    const auto readable = cache_.readable(read.owner);
    if (!readable)
      return core::broken_rule(std::string(name()),
                               "the engine asked for a page that is not on flash", Fs{});
    place = read.place = *readable;
    if (read.record) records_[*read.record].channel = place.channel;
  } else {
    const auto writer = std::get<FlashWriter::Id>(of);
    const flash::FlashWork& work = writer_.at(writer).work;
    operation = work.operation;
    place = work.place;
    writer_.reading(writer).asked = now;
  }
  return flash::RoutedRequest{.channel = place.channel,
                              .page = {.id = id,
                                       .operation = operation,
                                       .address = place.address,
                                       .bytes = operation == Operation::kErase ? 0 : bus_bytes_}};
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
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(time.value, config_.ticks_per_ns, &product) &&
      product <= flash::kNever.value - core::kFsPerNs) [[likely]] {
    return {(product + core::kFsPerNs - 1) / core::kFsPerNs};
  }
  const __int128 ticks = __int128{time.value} * config_.ticks_per_ns + core::kFsPerNs - 1;
  return {static_cast<std::int64_t>(ticks / core::kFsPerNs)};
}

bool FlashPort::is_dead(std::uint32_t channel) const {
  return std::ranges::find(config_.reads.dead_channels, channel) !=
         config_.reads.dead_channels.end();
}

Tick FlashPort::next_tick() const { return std::min(agenda_.next(), backend_.next_event()); }

}  // namespace neardata::system
