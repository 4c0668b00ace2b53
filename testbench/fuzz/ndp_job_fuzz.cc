// SPDX-License-Identifier: Apache-2.0
//
// Lines of jobs for the NDP unit's bench, of any text: refused, or a case of small size can be
// made.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "testbench/ndp_job.h"

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
constexpr std::uint32_t kMost = 64;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const bench::Job job = bench::parse_job(std::string(reinterpret_cast<const char*>(data), size));
    const bench::Shape& s = job.shape;
    const bool large =
        std::max({s.tokens, s.in_blocks, s.mid_rows, s.out_rows}) > kMost && s.op < 3;
    // A job that does not fit is rejected before any allocation; one that fits in a gibibyte is
    // slow to fill.
    if (large && std::max({s.tokens, s.in_blocks, s.mid_rows, s.out_rows}) < (1U << 20U)) return 0;
    static_cast<void>(bench::Case(kUnit, s, job.contents, job.seed).bursts_to_read());
  } catch (const std::runtime_error&) {
    return 0;
  }
  return 0;
}
