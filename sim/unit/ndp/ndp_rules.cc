// SPDX-License-Identifier: Apache-2.0
#include "unit/ndp/ndp_rules.h"

#include <algorithm>
#include <bit>
#include <initializer_list>

#include "unit/ndp/ndp_task.h"

namespace neardata::unit {

namespace {

constexpr std::uint32_t kValuesPerBurst = kBurstBytes / sizeof(std::uint16_t);
/// Largest count of tokens, blocks and buffer words.
constexpr std::uint32_t kMostCount = 0xFFFF;
/// Of an activation lane: two matrices, each in two halves, occupy a buffer word of 32 values each.
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
  // A lane of 32 multipliers reads a whole word of the buffer, which then has two banks.
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
           "of whole blocks";
  }
  if (p.aligned_bits < 12 || p.aligned_bits > kMostAlignedBits) {
    return "alignedBits is from 12 to 44";
  }
  if (p.descriptors < 1 || p.descriptors > kMostDescriptors) return "descriptors is from 1 to 4";
  return std::nullopt;
}

namespace {

constexpr std::uint64_t kMostBase = 0x7FFF'FFFF;
constexpr std::uint32_t kMostOutRows = 0x7FFF'FFFF;
/// Bits of a stride and of the number of its rows together: no address wraps.
constexpr int kMostStrideBits = 30;
/// Bits 9 to 11 of the mode word.
constexpr std::uint32_t kReserved = 0xE00;

bool within(std::uint32_t value, std::uint64_t most) { return value >= 1 && value <= most; }

bool near(std::uint32_t base) { return base <= kMostBase; }

bool reaches(std::uint32_t rows, std::uint32_t stride) {
  return std::bit_width(rows) + std::bit_width(stride) <= kMostStrideBits;
}

/// Low-bit weights: a row has `blocks` times `repeats` blocks, which the descriptor's word repeats.
bool row_fits(std::uint32_t word, const NdpParameters& p, NdpWeights weights, std::uint64_t blocks,
              std::uint64_t repeats) {
  const std::uint64_t all = blocks * repeats;
  const std::uint64_t each = bursts_per_block(p) >> burst_lanes_shift(weights);
  const std::uint64_t scaled = scaled_blocks(weights);
  return word == all && all * each + (all + scaled - 1) / scaled <= kMostCount;
}

/// The upper half of word 16 is a value without a sign, and neither infinity nor NaN.
bool limit_fits(std::uint32_t word, bool bf16) {
  const std::uint32_t infinity = bf16 ? 0x7F80 : 0x7C00;
  return word >> 16U < infinity;
}

std::string weight_row_rule(const std::string& matrices) {
  return "a row of " + matrices +
         " has the blocks of its input times the repeats, and at most 65535 bursts";
}

/// The rule of a field, as the second half of a sentence.
std::string rule_of(NdpField field, const NdpParameters& p) {
  const auto blocks = [&p] {
    return std::to_string(p.buffer_bytes / kBurstBytes / bursts_per_block(p));
  };
  switch (field) {
    case NdpField::kNone:
      break;
    case NdpField::kOperation:
      return "the operation is 0 to 2";
    case NdpField::kWeights:
      return p.low_bit_weights != 0
                 ? "the format of the weights is 0 to 6"
                 : "the format of the weights is 0 in a unit without low-bit weights";
    case NdpField::kTokens:
      return "it has 1 to 65535 tokens";
    case NdpField::kPassTokens:
      return "a pass has 1 to " + std::to_string(p.max_tokens) + " tokens";
    case NdpField::kInBlocks:
      return "an input row has 1 to " + blocks() + " blocks";
    case NdpField::kOutRows:
      return "the output has 1 to 2147483647 rows";
    case NdpField::kMidRows:
      return "the rows between the matrices are 1 to the values of their blocks";
    case NdpField::kMode:
      return "the function is 0 to 6, and reserved bits of word 0 are 0";
    case NdpField::kMidBlocks:
      return "a row between the matrices has at most " + blocks() + " blocks";
    case NdpField::kXBase:
      return "the base of the inputs is below 2^31";
    case NdpField::kGateBase:
      return "the base of the gate matrix is below 2^31";
    case NdpField::kUpBase:
      return "the base of the up matrix is below 2^31";
    case NdpField::kDownBase:
      return "the base of the down matrix is below 2^31";
    case NdpField::kYBase:
      return "the base of the outputs is below 2^31";
    case NdpField::kXStride:
      return "the inputs end less than 2^30 bursts behind their base";
    case NdpField::kGuStride:
      return "gate and up end less than 2^30 bursts behind their bases";
    case NdpField::kDownStride:
      return "the down matrix ends less than 2^30 bursts behind its base";
    case NdpField::kYStride:
      return "the outputs end less than 2^30 bursts behind their base";
    case NdpField::kHWord:
      return "the rows between the matrices begin in the buffer behind the inputs of a pass";
    case NdpField::kCWord:
      return "the results begin in the buffer behind the other regions and end in it";
    case NdpField::kInWeights:
      return weight_row_rule("gate and up");
    case NdpField::kMidWeights:
      return weight_row_rule("down");
    case NdpField::kLimit:
      return "the limit of operands is 0 or positive and finite";
  }
  return "";
}

}  // namespace

NdpField broken_field(const NdpParameters& p, const Descriptor& d) {
  const NdpTask task(d);
  const std::uint32_t mode = d[0];
  const bool expert = task.op != NdpOp::kLinear;
  const std::uint64_t block = bursts_per_block(p);
  const std::uint64_t buffer = p.buffer_bytes / kBurstBytes;
  const std::uint64_t pass = task.pass_tokens;
  const auto formats = static_cast<std::uint32_t>(NdpWeights::kNvfp4);
  if ((mode & 0xFU) > static_cast<std::uint32_t>(NdpOp::kUngated)) return NdpField::kOperation;
  if ((mode >> 12U & 0xFU) > (p.low_bit_weights != 0 ? formats : 0)) return NdpField::kWeights;
  if (!within(task.tokens, kMostCount)) return NdpField::kTokens;
  if (!within(task.pass_tokens, p.max_tokens)) return NdpField::kPassTokens;
  if (!within(task.in_blocks, buffer / block)) return NdpField::kInBlocks;
  if (!within(task.out_rows, kMostOutRows)) return NdpField::kOutRows;
  if (expert && !within(task.mid_rows, task.mid_blocks * block * kValuesPerBurst)) {
    return NdpField::kMidRows;
  }
  if (task.act.func > ActFunc::QuickGelu || (mode & kReserved) != 0) return NdpField::kMode;
  if (expert && task.mid_blocks > buffer / block) return NdpField::kMidBlocks;
  if (!near(task.x_base)) return NdpField::kXBase;
  if (!reaches(task.tokens, task.x_stride)) return NdpField::kXStride;
  if (task.op == NdpOp::kGated && !near(task.gate_base)) return NdpField::kGateBase;
  if (expert && !near(task.up_base)) return NdpField::kUpBase;
  if (expert && !reaches(task.mid_rows / p.streams, task.gu_stride)) return NdpField::kGuStride;
  if (!near(task.down_base)) return NdpField::kDownBase;
  if (!reaches(task.out_rows / p.streams, task.down_stride)) return NdpField::kDownStride;
  if (!near(task.y_base)) return NdpField::kYBase;
  if (!reaches(task.tokens, task.y_stride)) return NdpField::kYStride;
  const std::uint64_t inputs_end = pass * task.in_blocks * block;
  if (expert && inputs_end > task.h_word) return NdpField::kHWord;
  const std::uint64_t rest = expert ? task.h_word + pass * task.mid_blocks * block : inputs_end;
  const std::uint64_t chunks = pass * kChunkParts * (p.act_lanes / kValuesPerBurst);
  if (rest > task.c_word || task.c_word + chunks > buffer) return NdpField::kCWord;
  const NdpField limit =
      expert && !limit_fits(d[16], task.bf16) ? NdpField::kLimit : NdpField::kNone;
  if (!task.low_bit()) return limit;
  if (expert && !row_fits(d[18], p, task.weights, task.in_blocks, task.gu_repeats)) {
    return NdpField::kInWeights;
  }
  if (!row_fits(d[19], p, task.weights, task.down_blocks(), task.down_repeats)) {
    return NdpField::kMidWeights;
  }
  return limit;
}

std::optional<std::string> refuses(const NdpParameters& p, const Descriptor& descriptor) {
  const NdpField field = broken_field(p, descriptor);
  if (field == NdpField::kNone) return std::nullopt;
  return rule_of(field, p);
}

}  // namespace neardata::unit
