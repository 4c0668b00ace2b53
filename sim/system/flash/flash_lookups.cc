// SPDX-License-Identifier: Apache-2.0
//
// What a flash port asks the controller's DRAM for, and where pages lie: every page that is read or
// programmed is looked up first.
#include "system/flash/flash_port.h"

namespace neardata::system {

using core::Expected;
using core::Fs;
using flash::Tick;

Expected<void> FlashPort::await(std::uint32_t bytes, const Awaited& what, Fs now) {
  awaited_.push_back(what);
  const bool streams = std::holds_alternative<HotPage>(what);
  const auto answer = streams ? DramAnswer::kFirstLine : DramAnswer::kLastLine;
  if (bulk_->try_push(now, {.bytes = bytes, .answer = answer})) return {};
  return core::broken_rule(std::string(name()), "the DRAM takes no more", now);
}

/// Entries of the table, rows of pages and copies of hot pages have come from DRAM.
Expected<void> FlashPort::take_awaited(Fs now) {
  if (read_->front(now) == nullptr) return {};
  for (; read_->front(now) != nullptr; read_->pop(now)) {
    const Awaited come = awaited_.front();
    awaited_.pop_front();
    if (const auto* entry = std::get_if<Entry>(&come)) {
      agenda_.translated(tick_of(translator_.done(now)), entry->of);
    } else if (const auto* hot = std::get_if<HotPage>(&come)) {
      if (auto done = hand_on_hot(hot->slot, hot->bytes, now); !done) return done;
    } else {
      const PageGather::Filling filling = gather_.read(now);
      agenda_.filled(tick_of(now + filling.rest), filling.set);
    }
  }
  return gather(now, tick_of(now));
}

Expected<void> FlashPort::look_up(flash::RequestId id, Fs now) {
  if (config_.translation.in_dram) return await(unit::kLineBytes, Entry{id}, now);
  agenda_.translated(tick_of(translator_.done(now)), id);
  return {};
}

Expected<void> FlashPort::translated(flash::RequestId id, Tick tick) {
  const Purpose of = purpose(id);
  if (const auto* slot = std::get_if<ReadId>(&of)) return begin_read(*slot, tick);
  const auto write = std::get<FlashWriter::Id>(of);
  const flash::KvPage page = flash::page_of(writer_.at(write).work.owner);
  gather_.add(write, page, cache_.shape(page));
  return gather(time_of(tick), tick);
}

}  // namespace neardata::system
