// SPDX-License-Identifier: Apache-2.0
//
// The words of a descriptor of `dimm_ndp` by name; dimm_ndp_pkg.sv says what they mean.
#pragma once

#include <bit>
#include <cstdint>

#include "unit/ndp/formats.h"
#include "unit/ndp/ndp_unit.h"

namespace neardata::unit {

/// Bursts of a block: the operands of one stream's multipliers in a slot.
[[nodiscard]] inline std::uint32_t bursts_per_block(const NdpParameters& p) {
  return p.mult_per_stream * p.lanes * 2 / static_cast<std::uint32_t>(kBurstBytes);
}

/// Cycles of a slot: an operand of 16 bits, serially.
[[nodiscard]] inline std::uint32_t cycles_per_slot(const NdpParameters& p) {
  return 16 / p.bits_per_cycle;
}

/// Formats of weights, as ndp_pkg numbers them; the first is that of the activations.
enum class NdpWeights : std::uint8_t {
  kWide = 0,
  kMxfp4 = 1,
  kFp8 = 2,
  kInt8 = 3,
  kInt4 = 4,
  kMxfp8 = 5,
  kNvfp4 = 6,
};

/// Scales of 32 weights each are in the exponents of the weights; other formats have FP32 factors.
[[nodiscard]] inline bool has_exponent_scales(NdpWeights weights) {
  return weights == NdpWeights::kMxfp4 || weights == NdpWeights::kMxfp8;
}

/// Lanes in a burst of low-bit weights (2 or 4), as a power of two.
[[nodiscard]] inline std::uint32_t burst_lanes_shift(NdpWeights weights) {
  switch (weights) {
    case NdpWeights::kFp8:
    case NdpWeights::kInt8:
    case NdpWeights::kMxfp8:
      return 1;
    case NdpWeights::kMxfp4:
    case NdpWeights::kInt4:
    case NdpWeights::kNvfp4:
      return 2;
    default:
      return 0;
  }
}

/// Blocks that follow a burst of scales: NVFP4 has twice the scales.
[[nodiscard]] inline std::uint32_t scaled_blocks(NdpWeights weights) {
  return weights == NdpWeights::kNvfp4 ? 4 : 8;
}

enum class NdpOp : std::uint8_t { kLinear = 0, kGated = 1, kUngated = 2 };

struct NdpTask {
  NdpTask() = default;
  explicit NdpTask(const Descriptor& d)
      : op(static_cast<NdpOp>(d[0] & 3U)),
        tokens(d[1]),
        pass_tokens(d[2]),
        in_blocks(d[3]),
        mid_rows(d[4]),
        mid_blocks(d[5]),
        out_rows(d[6]),
        x_base(d[7]),
        x_stride(d[8]),
        gate_base(d[9]),
        up_base(d[10]),
        gu_stride(d[11]),
        down_base(d[12]),
        down_stride(d[13]),
        y_base(d[14]),
        y_stride(d[15]),
        h_word(d[16] & 0xFFFFU),
        c_word(d[17]),
        weights(static_cast<NdpWeights>(d[0] >> 12U & 7U)),
        bf16((d[0] >> 8U & 1U) != 0),
        act{.func = static_cast<ActFunc>(d[0] >> 4U & 7U),
            .up_plus_one = (d[0] >> 7U & 1U) != 0,
            .limit = static_cast<std::uint16_t>(d[16] >> 16U & 0x7FFFU)},
        gate_factor(std::bit_cast<float>(d[20])),
        up_factor(std::bit_cast<float>(d[21])),
        down_factor(std::bit_cast<float>(d[22])) {
    if (!low_bit()) return;
    gu_repeats = (d[0] >> 16U & 0xFFU) + 1;
    down_repeats = (d[0] >> 24U) + 1;
  }

  [[nodiscard]] bool low_bit() const { return weights != NdpWeights::kWide; }
  /// Blocks of weights of a row, of gate and up or of down.
  [[nodiscard]] std::uint32_t row_blocks(bool down) const {
    return down ? down_blocks() * down_repeats : in_blocks * gu_repeats;
  }
  /// Bursts of a row, those of its scales among them.
  [[nodiscard]] std::uint32_t row_bursts(bool down, std::uint32_t bursts_per_block) const {
    const std::uint32_t blocks = row_blocks(down);
    if (!low_bit()) return blocks * bursts_per_block;
    return blocks * (bursts_per_block >> burst_lanes_shift(weights)) +
           (blocks + scaled_blocks(weights) - 1) / scaled_blocks(weights);
  }

  [[nodiscard]] std::uint32_t down_blocks() const {
    return op == NdpOp::kLinear ? in_blocks : mid_blocks;
  }

  NdpOp op = NdpOp::kLinear;
  std::uint32_t tokens = 0, pass_tokens = 0;
  std::uint32_t in_blocks = 0, mid_rows = 0, mid_blocks = 0, out_rows = 0;
  std::uint32_t x_base = 0, x_stride = 0;
  std::uint32_t gate_base = 0, up_base = 0, gu_stride = 0;
  std::uint32_t down_base = 0, down_stride = 0;
  std::uint32_t y_base = 0, y_stride = 0;
  std::uint32_t h_word = 0, c_word = 0;
  NdpWeights weights = NdpWeights::kWide;
  bool bf16 = false;
  ActMode act;
  float gate_factor = 1, up_factor = 1, down_factor = 1;  ///< of NVFP4 matrices
  std::uint32_t gu_repeats = 1, down_repeats = 1;  ///< blocks of weights for one of the input
};

}  // namespace neardata::unit
