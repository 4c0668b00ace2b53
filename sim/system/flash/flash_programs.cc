// SPDX-License-Identifier: Apache-2.0
//
// What a flash port writes: pages whose rows come out of DRAM, and the moves and erases of
// cleaning; and what becomes of pages on silent channels.
#include <utility>

#include "system/flash/flash_port.h"

namespace neardata::system {

using core::Expected;
using core::Fs;
using flash::Operation;
using flash::Tick;

namespace {

/// A page that was asked for, not one that moves.
bool is_own(const flash::FlashWork& work) {
  return work.operation == Operation::kProgram && !work.moved;
}

}  // namespace

Expected<void> FlashPort::take_program(const unit::SparfPageRequest& request, Fs now) {
  std::vector<flash::FlashWork> work;
  auto bytes = cache_.write(heads_[request.head].head, request.kind, request.index, work);
  if (!bytes) {
    bytes.error().time = now;
    return std::unexpected(std::move(bytes).error());
  }
  // What the translation has listed will be done, whatever becomes of the run.
  for (const flash::FlashWork& item : work) {
    if (!is_own(item)) {
      writer_.add({.work = item, .bytes = {}, .reading = {}});
      continue;
    }
    // The others move pages; one program is of the page that was asked for.
    const FlashWriter::Id id = writer_.add(
        {.work = item, .bytes = std::exchange(*bytes, {}), .gathering = true, .reading = {}});
    if (auto asked = look_up(id_of(id), now); !asked) return asked;
  }
  start_writes(tick_of(now));
  return {};
}

/// Reads from DRAM what there is room for, and begins what can begin.
Expected<void> FlashPort::gather(Fs now, Tick tick) {
  if (writer_.outstanding() == 0) return {};
  while (const auto bytes = gather_.next_reading(gathered_)) {
    if (auto asked = await(*bytes, Rows{}, now); !asked) return asked;
  }
  for (const FlashWriter::Id id : gathered_) writer_.gathered(id);
  gathered_.clear();
  start_writes(tick);
  return {};
}

/// The dies have the bytes of pages to program.
Expected<void> FlashPort::take_loaded(Tick tick) {
  const Fs now = time_of(tick);
  std::uint32_t channel = 0;
  core::ByteCount bytes;  // that crossed it together, for all planes of a command
  const auto guard = [&]() -> Expected<void> {
    if (bytes == core::ByteCount{}) return {};
    const auto fault = guards_[channel].transfer(bytes, now);
    return fault ? std::unexpected(*fault) : Expected<void>{};
  };
  for (const flash::RequestId request : backend_.loaded()) {
    const auto id = std::get<FlashWriter::Id>(purpose(request));
    const flash::FlashWork& work = writer_.at(id).work;
    if (work.place.channel != channel) {
      if (auto good = guard(); !good) return good;
      channel = work.place.channel;
      bytes = {};
    }
    bytes = bytes + core::ByteCount{bus_bytes_};
    writer_.reading(id).asked = now;
    if (is_own(work)) gather_.sent(id);
  }
  return guard();
}

void FlashPort::start_writes(Tick tick) {
  ready_.clear();
  writer_.start(ready_);
  for (const FlashWriter::Id id : ready_) agenda_.submit(tick, id_of(id));
}

Expected<void> FlashPort::give_up(flash::RequestId id, Tick tick) {
  const Purpose of = purpose(id);
  if (const auto* slot = std::get_if<ReadId>(&of)) {
    ++counters_.channel_dead;
    return hand_on_error(*slot, tick, tick);
  }
  ++failed_programs_;
  auto done = finish_write(std::get<FlashWriter::Id>(of), tick, true);
  return done ? gather(time_of(tick), tick) : done;
}

Expected<void> FlashPort::finish_write(FlashWriter::Id id, Tick tick, bool silent) {
  gather_.sent(id);
  const FlashWrite write = writer_.finish(id);
  if (auto done = cache_.finish(write.work, write.bytes, silent); !done) return done;
  const bool entry = config_.translation.in_dram && write.work.operation == Operation::kProgram;
  if (entry && !bulk_->try_push(time_of(tick), {.bytes = unit::kLineBytes, .write = true})) {
    return core::broken_rule(std::string(name()), "the DRAM takes no more", time_of(tick));
  }
  return tell(write.work, silent, tick);
}

/// Moves are nobody's business.
Expected<void> FlashPort::tell(const flash::FlashWork& work, bool failed, Tick tick) {
  if (!programs_ || !is_own(work)) return {};
  const Fs now = time_of(tick);
  if (programs_->try_push(now, {work.owner, failed})) return {};
  return core::broken_rule(std::string(name()),
                           "more programs ended at once than anybody listens to", now);
}

void FlashPort::end_open_work() {
  for (const FlashWrite& write : writer_.abandon()) {
    // The run has its outcome already; a page that is lost here stays in DRAM.
    static_cast<void>(cache_.finish(write.work, write.bytes, is_dead(write.work.place.channel)));
  }
}

}  // namespace neardata::system
