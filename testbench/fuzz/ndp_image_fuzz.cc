// SPDX-License-Identifier: Apache-2.0
//
// Images of jobs of the NDP unit of any bytes: refused, or the value model computes all its outputs
// from what the image holds.
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "testbench/ndp_case.h"

namespace {

using namespace neardata;

constexpr unit::NdpParameters kUnit{.streams = 2,
                                    .mult_per_stream = 4,
                                    .lanes = 8,
                                    .bits_per_cycle = 1,
                                    .buffer_bytes = 16384,
                                    .queue_bursts = 8,
                                    .act_lanes = 32,
                                    .max_tokens = 8};
/// With more bursts the value model would run for seconds.
constexpr std::uint64_t kMostBursts = 2000;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const bench::Case image(kUnit, std::span(reinterpret_cast<const char*>(data), size));
    if (image.bursts_to_read() * image.descriptor()[1] > kMostBursts) return 0;
    static_cast<void>(image.expected());
  } catch (const std::runtime_error&) {
    return 0;
  }
  return 0;
}
