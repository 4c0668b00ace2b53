// SPDX-License-Identifier: Apache-2.0
//
// Translation of page requests to addresses, one after another in the order of the requests. A
// table in DRAM is read for each request before its translation.
#pragma once

#include <algorithm>

#include "core/error.h"
#include "core/time.h"
#include "flash/types.h"
#include "system/flash/dram_queue.h"
#include "system/flash/flash_agenda.h"
#include "system/flash/flash_types.h"
#include "system/flash/tick_clock.h"

namespace neardata::system {

class PageLookup {
 public:
  /// The agenda and the queue outlive the lookup.
  PageLookup(const TranslationConfig& config, const TickClock& ticks, FlashAgenda& agenda,
             DramQueue& dram)
      : config_(config), ticks_(ticks), agenda_(agenda), dram_(dram) {}

  /// The address of a request is needed: the agenda has it as translated later.
  [[nodiscard]] core::Expected<void> start(flash::RequestId id, core::Fs now) {
    if (config_.in_dram) return dram_.read(unit::kLineBytes, TableEntry{id}, now);
    translate(id, now);
    return {};
  }
  /// The table entry of the request has arrived.
  void translate(flash::RequestId id, core::Fs now) {
    const core::Fs start = std::max(now, free_);
    free_ = start + config_.interval;
    agenda_.translated(ticks_.tick_of(start + config_.latency), id);
  }
  /// A page was programmed: the table changes.
  [[nodiscard]] core::Expected<void> write_entry(core::Fs now) {
    if (!config_.in_dram) return {};
    return dram_.write(unit::kLineBytes, now);
  }

 private:
  TranslationConfig config_;
  TickClock ticks_;
  FlashAgenda& agenda_;
  DramQueue& dram_;
  core::Fs free_;
};

}  // namespace neardata::system
