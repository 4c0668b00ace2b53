// SPDX-License-Identifier: Apache-2.0
//
// Pages that leave the flash, for the engine and for the cleaner: errors and verdicts, guards,
// retries, and what is handed on.
#include <algorithm>
#include <utility>

#include "system/flash/flash_port.h"

namespace neardata::system {

using core::Expected;
using core::Fs;
using flash::Operation;
using flash::Tick;

namespace {

/// A beat is this many pairs of bytes.
constexpr std::int64_t kPairs = unit::kBeatBytes / 2;

}  // namespace

/// The page begins to cross the bus: whether it can be corrected is known to the model now, and to
/// the machine with its verdict.
Expected<void> FlashPort::begin_data_out(const flash::DataOut& page) {
  const Purpose of = purpose(page.id);
  if (const auto* id = std::get_if<FlashWriter::Id>(&of)) {
    const flash::FlashWork& work = writer_.at(*id).work;
    const auto contents = judge(writer_.reading(*id), work.place, work.owner, page.start);
    return contents ? Expected<void>{} : std::unexpected(contents.error());
  }
  const ReadId slot = std::get<ReadId>(of);
  Reading& read = at(slot);
  const auto contents = judge(read.reading, read.place, read.owner, page.start);
  if (!contents) return std::unexpected(contents.error());
  if (read.reading.verdict != PageVerdict::kGood) return {};
  const Fs now = time_of(page.start);
  const std::uint32_t bytes = cache_.config().page_bytes;
  const Tick beat = kPairs * config_.timing.bus_per_two_bytes;
  unit::SparfPage handed{.tag = read.request.tag,
                         .data = contents->data,
                         .bytes = bytes,
                         .beats = {.first = (page.start + beat).value,
                                   .step = beat.value,
                                   .ticks_per_ns = config_.ticks_per_ns}};
  if (config_.ecc.on) {
    handed.beats.first =
        decoders_[read.place.channel].leave(read.reading.known, beat, handed.beat_count()).value;
  }
  if (read.record) records_[*read.record].arrived = handed.beats.at(handed.beat_count() - 1);
  plan_copy(read, handed);
  return hand_on(read.place.channel, handed, now);
}

/// What the code makes of a page that leaves from `start` on, and when that is known.
Expected<PageStore::Reading> FlashPort::judge(PageReading& reading, const flash::Place& place,
                                              flash::Owner owner, Tick start) {
  if (auto fault = latency_.answer(reading.asked, time_of(start))) {
    return std::unexpected(*std::move(fault));
  }
  const PageStore::Reading contents = cache_.pages().read(place, owner);
  const std::uint32_t bytes = cache_.config().page_bytes;
  const flash::SensedPage sensed = flash::sense(config_.reads.errors, place.channel, place.address,
                                                bytes, contents.readings, reading.attempt);
  ++reading.attempt;
  reading.known = decoders_[place.channel].verdict(
      start, start + config_.timing.transfer(bus_bytes_), bytes, sensed.correctable);
  if (!sensed.correctable) {
    const bool again = reading.attempt <= config_.reads.errors.most_retries;
    reading.verdict = again ? PageVerdict::kRetry : PageVerdict::kUncorrectable;
    return contents;
  }
  reading.verdict = contents.intact ? PageVerdict::kGood : PageVerdict::kWrong;
  if (contents.intact) counters_.corrected_bits += sensed.corrected_bits;
  return contents;
}

Expected<void> FlashPort::finish(const flash::Completion& completion) {
  ++progress_;
  const Purpose of = purpose(completion.id);
  if (const auto* slot = std::get_if<ReadId>(&of)) return finish_read(*slot, completion.done);
  const auto id = std::get<FlashWriter::Id>(of);
  if (writer_.at(id).work.operation == Operation::kRead) return finish_move(id, completion.done);
  const bool erase = writer_.at(id).work.operation == Operation::kErase;
  const Fs since = writer_.reading(id).asked;
  if (auto fault = (erase ? erase_ : program_).answer(since, time_of(completion.done))) {
    return std::unexpected(*std::move(fault));
  }
  return finish_write(id, completion.done, false);
}

/// All bytes of a page have crossed the bus.
Expected<void> FlashPort::guard_page(std::uint32_t channel, Tick end) {
  if (auto fault = guards_[channel].transfer({bus_bytes_}, time_of(end))) {
    return std::unexpected(*std::move(fault));
  }
  return {};
}

Expected<void> FlashPort::finish_read(ReadId slot, Tick end) {
  const PageReading& reading = at(slot).reading;
  if (auto good = guard_page(at(slot).place.channel, end); !good) return good;
  switch (reading.verdict) {
    case PageVerdict::kGood:
      ++(reading.attempt == 1 ? counters_.clean : counters_.retried);
      free_.push_back(slot);
      return {};
    case PageVerdict::kRetry:
      agenda_.submit(reading.known + config_.reads.retry_setup, id_of(slot));
      return {};
    case PageVerdict::kUncorrectable:
      ++counters_.uncorrectable;
      break;
    case PageVerdict::kWrong:
      ++counters_.checksum;
      break;
  }
  return hand_on_error(slot, end, reading.known);
}

/// The cleaner has read a page. It moves as it is, with its checksum: wrong bits in it are found
/// when it is read, and so is a page that could not be corrected.
Expected<void> FlashPort::finish_move(FlashWriter::Id id, Tick end) {
  const PageReading& reading = writer_.reading(id);
  const flash::Place& place = writer_.at(id).work.place;
  if (auto good = guard_page(place.channel, end); !good) return good;
  if (reading.verdict == PageVerdict::kRetry) {
    ++counters_.moves_retried;
    agenda_.submit(reading.known + config_.reads.retry_setup, id_of(id));
    return {};
  }
  if (reading.verdict == PageVerdict::kUncorrectable) {
    ++counters_.moves_lost;
    static_cast<void>(cache_.pages().turn_over(place, 0));
  }
  if (reading.known <= end) return finish_write(id, end, false);
  agenda_.moved(reading.known, id);
  return {};
}

Expected<void> FlashPort::hand_on_error(ReadId slot, Tick now, Tick known) {
  const Reading& reading = at(slot);
  const std::uint32_t channel = reading.place.channel;
  const Tick first = config_.ecc.on ? decoders_[channel].leave(known, Tick{}, 1) : known;
  const unit::SparfPage page{.tag = reading.request.tag,
                             .error = true,
                             .beats = {.first = first.value, .ticks_per_ns = config_.ticks_per_ns}};
  auto done = hand_on(channel, page, time_of(now));
  release(slot, time_of(first));
  return done;
}

Expected<void> FlashPort::hand_on(std::uint32_t channel, const unit::SparfPage& page, Fs now) {
  on_its_way_[page.tag] = false;
  if (pages_[channel]->try_push(now, page)) return {};
  return core::broken_rule(std::string(name()), "the engine asked for more pages than it has tags",
                           now);
}

void FlashPort::release(ReadId slot, Fs arrived) {
  if (at(slot).record) records_[*at(slot).record].arrived = arrived;
  free_.push_back(slot);
}

}  // namespace neardata::system
