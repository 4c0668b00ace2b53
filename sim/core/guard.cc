// SPDX-License-Identifier: Apache-2.0
#include "core/guard.h"

namespace neardata::core {

namespace {

constexpr std::int64_t kBitsPerByte = 8;

}  // namespace

Fs BusRate::time_for(ByteCount bytes) const {
  const __int128 bits = __int128{bytes.value} * kBitsPerByte * kFsPerSecond;
  return {static_cast<std::int64_t>(bits / (__int128{pins} * transfers_per_second))};
}

SimError BusGuard::fault(ByteCount bytes, Fs end) const {
  return {Fault::kPhysics, place_,
          std::to_string(bytes.value) + " bytes arrived " + std::to_string((end - free_).value) +
              " fs after the transfer before them, and " + std::to_string(rate_.pins) +
              " pins need " + std::to_string(rate_.time_for(bytes).value) + " fs",
          end};
}

SimError LatencyGuard::fault(Fs asked, Fs answered) const {
  return {Fault::kPhysics, place_,
          "an answer came " + std::to_string((answered - asked).value) +
              " fs after its request, and the shortest possible is " +
              std::to_string(floor_.value) + " fs",
          answered};
}

SimError RefreshGuard::fault(Cycle now, Fs time) const {
  return {Fault::kPhysics, place_,
          std::to_string(count_) + " refreshes went to the rank by cycle " +
              std::to_string(now.value) + ", its time calls for " + std::to_string(due(now)) +
              ", and no more than " + std::to_string(rate_.postponed) +
              " may be postponed, none sent early",
          time};
}

}  // namespace neardata::core
