// SPDX-License-Identifier: Apache-2.0
//
// What a flash port asks the controller's DRAM for, and where pages lie: every page that is read or
// programmed is looked up first.
#include "system/flash/flash_port.h"

namespace neardata::system {

using core::Expected;
using core::Fs;
using flash::Tick;

Expected<void> FlashPort::await(std::uint32_t bytes, std::optional<flash::RequestId> of, Fs now) {
  awaited_.push_back(of);
  if (bulk_->try_push(now, {.bytes = bytes, .awaited = true})) return {};
  return core::broken_rule(std::string(name()), "the DRAM takes no more", now);
}

/// An entry of the table, or rows of a page, have come from DRAM.
Expected<void> FlashPort::take_awaited(Fs now) {
  if (read_->front(now) == nullptr) return {};
  for (; read_->front(now) != nullptr; read_->pop(now)) {
    const auto entry_of = awaited_.front();
    awaited_.pop_front();
    if (entry_of) {
      agenda_.translated(tick_of(translator_.done(now)), *entry_of);
      continue;
    }
    const PageGather::Filling filling = gather_.read(now);
    agenda_.filled(tick_of(now + filling.rest), filling.set);
  }
  return gather(now, tick_of(now));
}

Expected<void> FlashPort::look_up(flash::RequestId id, Fs now) {
  if (config_.translation.in_dram) return await(unit::kLineBytes, id, now);
  agenda_.translated(tick_of(translator_.done(now)), id);
  return {};
}

Expected<void> FlashPort::translated(flash::RequestId id, Tick tick) {
  const Purpose of = purpose(id);
  if (const auto* slot = std::get_if<Slot>(&of)) return begin_read(*slot, tick);
  const auto write = std::get<FlashWriter::Id>(of);
  const flash::KvPage page = flash::page_of(writer_.at(write).work.owner);
  gather_.add(write, page, cache_.shape(page));
  return gather(time_of(tick), tick);
}

}  // namespace neardata::system
