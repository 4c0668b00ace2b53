// SPDX-License-Identifier: Apache-2.0
#include "system/flash/page_decoder.h"

namespace neardata::system {

PageDecoder::PageDecoder(const FlashConfig& config, const TickClock& ticks, KvCache& cache,
                         FlashGuards& guards, ReadCounters& counters)
    : config_(config),
      ticks_(ticks),
      cache_(cache),
      guards_(guards),
      counters_(counters),
      decoders_(config.shape.channels, flash::EccDecoder(config.ecc)),
      bus_bytes_(cache.config().page_bytes + config.ecc.parity(cache.config().page_bytes)) {}

core::Expected<PageStore::StoredPage> PageDecoder::decode(PageReading& reading,
                                                          const flash::Place& place,
                                                          flash::Owner owner, flash::Tick start) {
  if (auto good = guards_.read(reading.asked, ticks_.time_of(start)); !good) {
    return std::unexpected(std::move(good).error());
  }
  const PageStore::StoredPage contents = cache_.pages().read(place, owner);
  const std::uint32_t bytes = cache_.config().page_bytes;
  const flash::SensedPage sensed =
      flash::sense(config_.reads.errors, place, bytes, contents.readings, reading.attempt);
  ++reading.attempt;
  reading.known = decoders_[place.channel].decoded(
      start, start + config_.timing.transfer(bus_bytes_), bytes, sensed.correctable);
  if (!sensed.correctable) {
    const bool again = reading.attempt <= config_.reads.errors.most_retries;
    reading.result = again ? DecodingResult::kRetry : DecodingResult::kUncorrectable;
    return contents;
  }
  reading.result = contents.intact ? DecodingResult::kGood : DecodingResult::kWrong;
  if (contents.intact) counters_.corrected_bits += sensed.corrected_bits;
  return contents;
}

}  // namespace neardata::system
