// SPDX-License-Identifier: Apache-2.0
#include "unit/ndp/ndp_rules.h"

#include <algorithm>
#include <bit>
#include <initializer_list>

#include "unit/ndp/ndp_task.h"

namespace neardata::unit {

namespace {

constexpr std::uint32_t kValuesPerBurst = kBurstBytes / sizeof(std::uint16_t);
/// Bits of what counts tokens, blocks and buffer words.
constexpr std::uint32_t kMostCount = 0xFFFF;
/// Of an activation lane: two matrices, each in two halves, take a buffer word of 32 values each.
constexpr std::uint64_t kChunkParts = 4;
/// A tag of a burst has 16 bits.
constexpr std::uint32_t kMostQueue = 1U << 16U;
constexpr std::uint32_t kMostActivationLanes = 1U << 16U;
/// Requests, array and drain at one each, and one more that waits.
constexpr std::uint32_t kMostDescriptors = 4;

bool among(std::uint32_t value, std::initializer_list<std::uint32_t> values) {
  return std::ranges::find(values, value) != values.end();
}

bool power_of_two(std::uint32_t value, std::uint32_t least, std::uint32_t most) {
  return std::has_single_bit(value) && value >= least && value <= most;
}

}  // namespace

std::optional<std::string> refuses(const NdpParameters& p) {
  if (!among(p.streams, {1, 2, 4, 8})) return "a unit has 1, 2, 4 or 8 streams";
  if (!among(p.mult_per_stream, {4, 8, 16, 32})) {
    return "multipliersPerStream is 4, 8, 16 or 32";
  }
  if (!among(p.lanes, {2, 4, 8})) return "lanes is 2, 4 or 8";
  if (!among(p.bits_per_cycle, {1, 2})) return "bitsPerCycle is 1 or 2";
  const std::uint32_t slot = cycles_per_slot(p);
  // A lane of 32 multipliers takes a whole word of the buffer, of which there are two banks then.
  const std::uint32_t least = p.mult_per_stream == kValuesPerBurst ? p.lanes : 2 * p.lanes;
  if (slot < least || slot < p.streams) {
    return "bitsPerCycle leaves a slot of " + std::to_string(slot) +
           " cycles, which is short of one a stream, one a lane, or two a lane where a lane has "
           "less than 32 multipliers";
  }
  const std::uint32_t block = bursts_per_block(p);
  if (block == 0) return "multipliersPerStream times lanes fill no burst of 32 values";
  if (!power_of_two(p.queue_bursts, 2 * block, kMostQueue)) {
    return "queueBursts is a power of two from " + std::to_string(2 * block) + " to 65536";
  }
  if (!power_of_two(p.act_lanes, kValuesPerBurst, kMostActivationLanes)) {
    return "activationLanes is a power of two from 32 to 65536";
  }
  if (!power_of_two(p.buffer_bytes, 512, 1U << 21U)) {
    return "bufferBytes is a power of two from 512 to 2097152";
  }
  if (p.max_tokens < 2 || p.max_tokens > 1024) return "maxTokens is from 2 to 1024";
  if (p.low_bit_weights > 1) return "lowBitWeights is 0 or 1";
  if (p.low_bit_weights == 1 && (p.mult_per_stream != 32 || p.lanes != 8)) {
    return "lowBitWeights needs 32 multipliers a stream of 8 lanes, so that a burst has the scales "
           "of 8 blocks";
  }
  if (p.aligned_bits < 12 || p.aligned_bits > kMostAlignedBits) {
    return "alignedBits is from 12 to 44";
  }
  if (p.descriptors < 1 || p.descriptors > kMostDescriptors) return "descriptors is from 1 to 4";
  return std::nullopt;
}

NdpField broken_field(const NdpParameters& p, const Descriptor& descriptor) {
  const std::uint32_t mode = descriptor[0];
  const auto among = [](std::uint32_t value, std::uint32_t most) {
    return value >= 1 && value <= most;
  };
  const NdpTask task(descriptor);
  if ((mode & 0xFU) > static_cast<std::uint32_t>(NdpOp::kUngated) || (mode & 0xC0U) != 0) {
    return NdpField::kOperation;
  }
  const std::uint32_t formats = p.low_bit_weights != 0 ? 4 : 0;
  if ((mode >> 12U & 0xFU) > formats) return NdpField::kWeights;
  if (!among(task.tokens, kMostCount)) return NdpField::kTokens;
  if (!among(task.pass_tokens, p.max_tokens)) return NdpField::kPassTokens;
  if (!among(task.in_blocks, kMostCount)) return NdpField::kInBlocks;
  if (task.out_rows == 0) return NdpField::kOutRows;
  if (task.op != NdpOp::kLinear && task.mid_rows == 0) return NdpField::kMidRows;
  return NdpField::kNone;
}

std::optional<std::string> refuses(const NdpParameters& p, const Descriptor& descriptor) {
  const NdpTask task(descriptor);
  const std::uint32_t mode = descriptor[0];
  const bool linear = task.op == NdpOp::kLinear;
  if ((mode & 0xFU) > static_cast<std::uint32_t>(NdpOp::kUngated) || (mode & 0xC0U) != 0) {
    return "its operation is none of the unit's";
  }
  const std::uint32_t weights = mode >> 12U & 0xFU;
  if (weights > (p.low_bit_weights != 0 ? static_cast<std::uint32_t>(NdpWeights::kInt4) : 0)) {
    return "its weights are of a format that the unit lacks";
  }
  if (task.tokens == 0 || task.tokens > kMostCount) return "it has 1 to 65535 tokens";
  if (task.pass_tokens == 0 || task.pass_tokens > p.max_tokens) {
    return "a pass has 1 to " + std::to_string(p.max_tokens) + " tokens";
  }
  if (task.in_blocks == 0) return "its input is empty";
  if (task.in_blocks > kMostCount) return "its input has 1 to 65535 blocks";
  if (task.out_rows == 0) return "its output is empty";
  const std::uint64_t block = bursts_per_block(p);
  const std::uint64_t pass = task.pass_tokens;
  if (!linear && (task.mid_rows == 0 ||
                  task.mid_rows > std::uint64_t{task.mid_blocks} * kValuesPerBurst * block)) {
    return "its rows between the matrices are none, or more than its blocks hold";
  }
  if (task.low_bit()) {
    const auto fits = [&](std::uint64_t blocks, std::uint64_t repeats, std::uint32_t word) {
      const std::uint64_t each = block >> burst_lanes_shift(task.weights);
      const std::uint64_t bursts =
          blocks * repeats * each + (blocks * repeats + kScaledBlocks - 1) / kScaledBlocks;
      return descriptor[word] == blocks * repeats && bursts <= kMostCount;
    };
    if (!fits(task.down_blocks(), task.down_repeats, 19) ||
        (!linear && !fits(task.in_blocks, task.gu_repeats, 18))) {
      return "the blocks of a row of low-bit weights are not those of its input times its repeats, "
             "or more than a row holds";
    }
  }
  const std::uint64_t hidden = descriptor[16];
  const std::uint64_t chunks = descriptor[17];
  const std::uint64_t x_end = pass * task.in_blocks * block;
  const std::uint64_t hidden_end = hidden + pass * task.mid_blocks * block;
  const std::uint64_t chunks_end = chunks + pass * kChunkParts * (p.act_lanes / kValuesPerBurst);
  if (x_end > (linear ? chunks : hidden) || (!linear && hidden_end > chunks) ||
      chunks_end > p.buffer_bytes / kBurstBytes) {
    return "input, rows between the matrices and results do not lie in the buffer one behind "
           "another";
  }
  return std::nullopt;
}

}  // namespace neardata::unit
