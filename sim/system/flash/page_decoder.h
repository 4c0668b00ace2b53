// SPDX-License-Identifier: Apache-2.0
//
// Error correction of pages that leave the flash. The model computes whether a page can be
// corrected when its first byte leaves the die; the machine has the result when the decoder has
// finished.
#pragma once

#include <cstdint>
#include <vector>

#include "core/error.h"
#include "flash/ecc.h"
#include "system/flash/flash_guards.h"
#include "system/flash/flash_types.h"
#include "system/flash/page_reading.h"
#include "system/flash/tick_clock.h"
#include "system/pages/kv_cache.h"

namespace neardata::system {

class PageDecoder {
 public:
  /// All but the clock outlive the decoder, which counts corrected bits of intact pages.
  PageDecoder(const FlashConfig& config, const TickClock& ticks, KvCache& cache,
              FlashGuards& guards, ReadCounters& counters);

  /// Bytes of a page on its channel, with its parity.
  [[nodiscard]] std::uint32_t bus_bytes() const { return bus_bytes_; }

  /// A page leaves its die from `start` on: sets the result of this attempt and returns the stored
  /// bytes.
  [[nodiscard]] core::Expected<PageStore::StoredPage> decode(PageReading& reading,
                                                             const flash::Place& place,
                                                             flash::Owner owner, flash::Tick start);
  /// A decoded page leaves the decoder's buffer in beats: returns the time of the first beat.
  [[nodiscard]] flash::Tick leave(std::uint32_t channel, flash::Tick known, flash::Tick beat,
                                  std::int64_t beats) {
    return decoders_[channel].leave(known, beat, beats);
  }
  /// All bytes of a page have crossed the bus.
  [[nodiscard]] core::Expected<void> transferred(std::uint32_t channel, flash::Tick end) {
    return guards_.transfer(channel, {bus_bytes_}, ticks_.time_of(end));
  }

 private:
  const FlashConfig& config_;
  TickClock ticks_;
  KvCache& cache_;
  FlashGuards& guards_;
  ReadCounters& counters_;
  std::vector<flash::EccDecoder> decoders_;  ///< by channel
  std::uint32_t bus_bytes_;
};

}  // namespace neardata::system
