// SPDX-License-Identifier: Apache-2.0
//
// The parts of a flash port that its reads and its programs share.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.h"
#include "system/flash/dram_queue.h"
#include "system/flash/flash_agenda.h"
#include "system/flash/flash_guards.h"
#include "system/flash/flash_types.h"
#include "system/flash/page_decoder.h"
#include "system/flash/page_lookup.h"
#include "system/flash/tick_clock.h"
#include "system/pages/kv_cache.h"

namespace neardata::system {

struct FlashContext {
  FlashContext(std::string port, const FlashConfig& flash, KvCache& pages,
               std::vector<FlashHead> named)
      : name(std::move(port)),
        config(flash),
        cache(pages),
        heads(std::move(named)),
        ticks(flash.ticks_per_ns),
        dram(name),
        lookup(config.translation, ticks, agenda, dram),
        guards(name, config),
        decoder(config, ticks, cache, guards, counters) {}
  FlashContext(const FlashContext&) = delete;
  FlashContext& operator=(const FlashContext&) = delete;

  [[nodiscard]] bool is_dead(std::uint32_t channel) const {
    return std::ranges::find(config.reads.dead_channels, channel) !=
           config.reads.dead_channels.end();
  }
  [[nodiscard]] std::unexpected<core::SimError> broken_rule(const char* rule, core::Fs now) const {
    return core::broken_rule(name, rule, now);
  }

  std::string name;  ///< of the port, in messages
  FlashConfig config;
  KvCache& cache;
  std::vector<FlashHead> heads;  ///< by handle
  TickClock ticks;
  FlashAgenda agenda;
  DramQueue dram;
  PageLookup lookup;
  FlashGuards guards;
  ReadCounters counters;
  PageDecoder decoder;
};

}  // namespace neardata::system
