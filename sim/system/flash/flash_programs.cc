// SPDX-License-Identifier: Apache-2.0
#include "system/flash/flash_programs.h"

#include <utility>

namespace neardata::system {

using core::Expected;
using core::Fs;
using flash::Operation;
using flash::Tick;

namespace {

/// A page that the engine requested, as opposed to a moved page.
bool is_requested(const flash::FlashWork& work) {
  return work.operation == Operation::kProgram && !work.moved;
}

}  // namespace

FlashPrograms::FlashPrograms(FlashContext& flash, const core::Clock& clock, Fs line_time)
    : flash_(flash),
      gather_(flash.config.transposition, flash.config.shape.channels, clock, line_time),
      writer_(flash.config.shape) {}

Expected<void> FlashPrograms::take(const unit::SparfPageRequest& request, Fs now) {
  std::vector<flash::FlashWork> work;
  auto bytes =
      flash_.cache.write(flash_.heads[request.head].head, request.kind, request.index, work);
  if (!bytes) {
    bytes.error().time = now;
    return std::unexpected(std::move(bytes).error());
  }
  // The operations of the translation's list are executed even if the run fails.
  for (const flash::FlashWork& item : work) {
    if (!is_requested(item)) {
      writer_.add({.work = item, .bytes = {}, .reading = {}});
      continue;
    }
    // The others move pages; one program is of the requested page.
    const FlashWriter::Id id = writer_.add(
        {.work = item, .bytes = std::exchange(*bytes, {}), .gathering = true, .reading = {}});
    if (auto asked = flash_.lookup.start(request_id(id), now); !asked) return asked;
  }
  start(flash_.ticks.tick_of(now));
  return {};
}

Expected<void> FlashPrograms::translated(FlashWriter::Id id, Tick tick) {
  const flash::KvPage page = flash::page_of(writer_.at(id).work.owner);
  gather_.add(id, page, flash_.cache.shape(page));
  return advance(flash_.ticks.time_of(tick), tick);
}

void FlashPrograms::take_rows(Fs now) {
  const PageGather::Filling filling = gather_.read(now);
  flash_.agenda.filled(flash_.ticks.tick_of(now + filling.rest), filling.set);
}

Expected<void> FlashPrograms::advance(Fs now, Tick tick) {
  if (writer_.outstanding() == 0) return {};
  while (const auto bytes = gather_.next_reading(gathered_)) {
    if (auto asked = flash_.dram.read(*bytes, PageRows{}, now); !asked) return asked;
  }
  for (const FlashWriter::Id id : gathered_) writer_.gathered(id);
  gathered_.clear();
  start(tick);
  return {};
}

void FlashPrograms::start(Tick tick) {
  ready_.clear();
  writer_.start(ready_);
  for (const FlashWriter::Id id : ready_) flash_.agenda.submit(tick, request_id(id));
}

const flash::FlashWork& FlashPrograms::submit(FlashWriter::Id id, Fs now) {
  writer_.reading(id).asked = now;
  return writer_.at(id).work;
}

Expected<void> FlashPrograms::loaded(std::span<const flash::RequestId> pages, Tick tick) {
  const Fs now = flash_.ticks.time_of(tick);
  std::uint32_t channel = 0;
  core::ByteCount bytes;  // that crossed it together, for all planes of a command
  const auto guard = [&]() -> Expected<void> {
    if (bytes == core::ByteCount{}) return {};
    return flash_.guards.transfer(channel, bytes, now);
  };
  for (const flash::RequestId page : pages) {
    const auto id = std::get<FlashWriter::Id>(request_purpose(page));
    const flash::FlashWork& work = writer_.at(id).work;
    if (work.place.channel != channel) {
      if (auto good = guard(); !good) return good;
      channel = work.place.channel;
      bytes = {};
    }
    bytes = bytes + core::ByteCount{flash_.decoder.bus_bytes()};
    writer_.reading(id).asked = now;
    if (is_requested(work)) gather_.sent(id);
  }
  return guard();
}

Expected<void> FlashPrograms::begin_data_out(FlashWriter::Id id, Tick start) {
  const flash::FlashWork& work = writer_.at(id).work;
  const auto contents = flash_.decoder.decode(writer_.reading(id), work.place, work.owner, start);
  return contents ? Expected<void>{} : std::unexpected(contents.error());
}

Expected<void> FlashPrograms::finish(FlashWriter::Id id, Tick end) {
  const Operation operation = writer_.at(id).work.operation;
  if (operation == Operation::kRead) return finish_move(id, end);
  const Fs since = writer_.reading(id).asked;
  const Fs now = flash_.ticks.time_of(end);
  auto good = operation == Operation::kErase ? flash_.guards.erase(since, now)
                                             : flash_.guards.program(since, now);
  return good ? complete(id, end, false) : good;
}

/// The garbage collector has read a page. The page moves unchanged, with its checksum: the engine's
/// next read detects wrong bits in it, or a page that could not be corrected.
Expected<void> FlashPrograms::finish_move(FlashWriter::Id id, Tick end) {
  const PageReading& reading = writer_.reading(id);
  const flash::Place& place = writer_.at(id).work.place;
  if (auto good = flash_.decoder.transferred(place.channel, end); !good) return good;
  if (reading.result == DecodingResult::kRetry) {
    ++flash_.counters.moves_retried;
    flash_.agenda.submit(reading.known + flash_.config.reads.retry_setup, request_id(id));
    return {};
  }
  if (reading.result == DecodingResult::kUncorrectable) {
    ++flash_.counters.moves_lost;
    static_cast<void>(flash_.cache.pages().flip_bit(place, 0));
  }
  if (reading.known <= end) return complete(id, end, false);
  flash_.agenda.moved(reading.known, id);
  return {};
}

Expected<void> FlashPrograms::moved(FlashWriter::Id id, Tick tick) {
  auto done = complete(id, tick, false);
  return done ? advance(flash_.ticks.time_of(tick), tick) : done;
}

Expected<void> FlashPrograms::give_up(FlashWriter::Id id, Tick tick) {
  ++failed_;
  auto done = complete(id, tick, true);
  return done ? advance(flash_.ticks.time_of(tick), tick) : done;
}

Expected<void> FlashPrograms::complete(FlashWriter::Id id, Tick tick, bool unknown) {
  gather_.sent(id);
  const FlashWrite write = writer_.finish(id);
  if (auto done = flash_.cache.finish(write.work, write.bytes, unknown); !done) return done;
  const Fs now = flash_.ticks.time_of(tick);
  if (write.work.operation == Operation::kProgram) {
    if (auto done = flash_.lookup.write_entry(now); !done) return done;
  }
  return report(write.work, unknown, now);
}

/// The host is notified only of pages that it requested.
Expected<void> FlashPrograms::report(const flash::FlashWork& work, bool failed, Fs now) {
  if (!output_ || !is_requested(work)) return {};
  if (output_->try_push(now, {work.owner, failed})) return {};
  return flash_.broken_rule("more programs ended at once than anybody listens to", now);
}

void FlashPrograms::end_open_work() {
  for (const FlashWrite& write : writer_.abandon()) {
    // The run has its outcome already; a page that is lost here stays in DRAM.
    static_cast<void>(
        flash_.cache.finish(write.work, write.bytes, flash_.is_dead(write.work.place.channel)));
  }
}

}  // namespace neardata::system
