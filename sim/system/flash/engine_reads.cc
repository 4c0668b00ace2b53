// SPDX-License-Identifier: Apache-2.0
#include "system/flash/engine_reads.h"

#include <utility>

namespace neardata::system {

using core::Expected;
using core::Fs;
using flash::Tick;

namespace {

/// Steps of a random pause, in ticks: enough to change the order of pages.
constexpr std::int64_t kPauseTicks = 1000;

/// A beat is this many pairs of bytes.
constexpr std::int64_t kPairs = unit::kBeatBytes / 2;

constexpr const char* kNotOnFlash = "the engine asked for a page that is not on flash";

}  // namespace

EngineReads::EngineReads(FlashContext& flash, const ControllerDramConfig& dram, std::uint32_t tags,
                         Pauses pauses, std::size_t recorded_pages)
    : flash_(flash),
      dram_(dram),
      pauses_(pauses),
      recorded_pages_(recorded_pages),
      outputs_(flash.config.shape.channels),
      requested_(tags),
      requests_(flash.heads.size()) {}

Expected<void> EngineReads::take(const unit::SparfPageRequest& request, Fs now) {
  requested_[request.tag] = true;
  ++requests_[request.head][static_cast<std::size_t>(request.kind)];
  const flash::Owner owner =
      flash_.cache.owner(flash_.heads[request.head].head, request.kind, request.index);
  const ReadId id = open({.request = request,
                          .owner = owner,
                          .place = {},
                          .reading = {.asked = now, .known = {}},
                          .record = record(request, now)});
  return flash_.lookup.start(request_id(id), now);
}

Expected<void> EngineReads::begin(ReadId id, Tick tick) {
  Read& read = at(id);
  const std::span<const std::byte> copy = flash_.cache.hot_pages().read(read.owner);
  if (copy.empty()) {
    flash_.agenda.submit(tick + pauses_.next() * Tick{kPauseTicks}, request_id(id));
    return {};
  }
  const Fs now = flash_.ticks.time_of(tick);
  const auto place = flash_.cache.readable(read.owner);
  if (!place) return flash_.broken_rule(kNotOnFlash, now);
  read.place = *place;
  return flash_.dram.read(static_cast<std::uint32_t>(copy.size()), HotPage{id, copy}, now);
}

Expected<flash::Place> EngineReads::locate(ReadId id) {
  Read& read = at(id);
  const auto place = flash_.cache.readable(read.owner);
  if (!place) return flash_.broken_rule(kNotOnFlash, Fs{});
  read.place = *place;
  if (read.record) records_[*read.record].channel = place->channel;
  return *place;
}

Expected<void> EngineReads::begin_data_out(ReadId id, Tick start) {
  Read& read = at(id);
  const auto contents = flash_.decoder.decode(read.reading, read.place, read.owner, start);
  if (!contents) return std::unexpected(contents.error());
  if (read.reading.result != DecodingResult::kGood) return {};
  const Tick beat = kPairs * flash_.config.timing.bus_per_two_bytes;
  unit::SparfPage page{.tag = read.request.tag,
                       .data = contents->data,
                       .bytes = flash_.cache.config().page_bytes,
                       .beats = {.first = (start + beat).value,
                                 .step = beat.value,
                                 .ticks_per_ns = flash_.ticks.ticks_per_ns()}};
  const std::uint32_t channel = read.place.channel;
  if (flash_.config.ecc.on) {
    page.beats.first =
        flash_.decoder.leave(channel, read.reading.known, beat, page.beat_count()).value;
  }
  if (read.record) records_[*read.record].arrived = page.beats.at(page.beat_count() - 1);
  plan_copy(read, page);
  return deliver(channel, page, flash_.ticks.time_of(start));
}

Expected<void> EngineReads::finish(ReadId id, Tick end) {
  const PageReading& reading = at(id).reading;
  if (auto good = flash_.decoder.transferred(at(id).place.channel, end); !good) return good;
  switch (reading.result) {
    case DecodingResult::kGood:
      ++(reading.attempt == 1 ? flash_.counters.clean : flash_.counters.retried);
      free_.push_back(id);
      return {};
    case DecodingResult::kRetry:
      flash_.agenda.submit(reading.known + flash_.config.reads.retry_setup, request_id(id));
      return {};
    case DecodingResult::kUncorrectable:
      ++flash_.counters.uncorrectable;
      break;
    case DecodingResult::kWrong:
      ++flash_.counters.checksum;
      break;
  }
  return deliver_error(id, end, reading.known);
}

Expected<void> EngineReads::give_up(ReadId id, Tick tick) {
  ++flash_.counters.channel_dead;
  return deliver_error(id, tick, tick);
}

/// The lines after the first one arrive at the rate of the DRAM's bus without a gap.
Expected<void> EngineReads::take_first_line(const HotPage& hot, Fs now) {
  // A line of DRAM is several beats; neither is faster than the DRAM's bus.
  constexpr auto kBeats = static_cast<std::int64_t>(unit::kLineBytes / unit::kBeatBytes);
  const Tick line = flash_.ticks.tick_of(dram_.line_time);
  const Tick beat{(line.value + kBeats - 1) / kBeats};
  const Tick first = flash_.ticks.tick_of(now) + beat;
  const Read& read = at(hot.read);
  const std::uint32_t channel = read.place.channel;
  const unit::SparfPage page{
      .tag = read.request.tag,
      .data = hot.bytes.data(),
      .bytes = static_cast<std::uint32_t>(hot.bytes.size()),
      .beats = {
          .first = first.value, .step = beat.value, .ticks_per_ns = flash_.ticks.ticks_per_ns()}};
  if (read.record) records_[*read.record].channel = channel;
  close(hot.read, page.beats.at(page.beat_count() - 1));
  ++flash_.counters.hot;
  return deliver(channel, page, now);
}

void EngineReads::plan_copy(const Read& read, const unit::SparfPage& page) {
  if (flash_.cache.config().hot_pages == 0) return;
  const Tick last{page.beats.first + (page.beat_count() - 1) * page.beats.step};
  copies_[next_copy_] = {
      .owner = read.owner, .place = read.place, .bytes = {page.data, page.bytes}};
  flash_.agenda.come(last, next_copy_++);
}

/// If the page has been written or moved since, its copy is useless.
Expected<void> EngineReads::store_copy(std::uint64_t number, Tick tick) {
  const Copy copy = copies_.extract(number).mapped();
  if (flash_.cache.readable(copy.owner) != copy.place) return {};
  if (!flash_.cache.hot_pages().offer(copy.owner, copy.bytes)) return {};
  return flash_.dram.write(static_cast<std::uint32_t>(copy.bytes.size()),
                           flash_.ticks.time_of(tick));
}

Expected<void> EngineReads::deliver(std::uint32_t channel, const unit::SparfPage& page, Fs now) {
  requested_[page.tag] = false;
  if (outputs_[channel]->try_push(now, page)) return {};
  return flash_.broken_rule("the engine asked for more pages than it has tags", now);
}

Expected<void> EngineReads::deliver_error(ReadId id, Tick now, Tick known) {
  const Read& read = at(id);
  const std::uint32_t channel = read.place.channel;
  const Tick first = flash_.config.ecc.on ? flash_.decoder.leave(channel, known, Tick{}, 1) : known;
  const unit::SparfPage page{
      .tag = read.request.tag,
      .error = true,
      .beats = {.first = first.value, .ticks_per_ns = flash_.ticks.ticks_per_ns()}};
  auto done = deliver(channel, page, flash_.ticks.time_of(now));
  close(id, flash_.ticks.time_of(first));
  return done;
}

ReadId EngineReads::open(const Read& read) {
  if (free_.empty()) {
    reads_.push_back(read);
    return {static_cast<std::uint32_t>(reads_.size() - 1)};
  }
  const ReadId id = free_.back();
  free_.pop_back();
  at(id) = read;
  return id;
}

void EngineReads::close(ReadId id, Fs arrived) {
  if (at(id).record) records_[*at(id).record].arrived = arrived;
  free_.push_back(id);
}

std::optional<std::size_t> EngineReads::record(const unit::SparfPageRequest& request, Fs now) {
  if (records_.size() >= recorded_pages_) return std::nullopt;
  records_.push_back({.job = request.head,
                      .kind = request.kind,
                      .index = request.index,
                      .asked = now,
                      .arrived = {}});
  return records_.size() - 1;
}

}  // namespace neardata::system
