// SPDX-License-Identifier: Apache-2.0
//
// Rows of MXFP4, MXFP8, NVFP4, FP8, INT8 and INT4 weights as the array of the NDP unit multiplies
// them, bit for bit. The products of a block are exact and aligned to the largest exponent as those
// of wider weights (dot_values.h); the sum of each half of the block is rounded to FP32 and
// multiplied by its FP32 factor (NVFP4: of the matrix; MXFP4 and MXFP8: 1), and the two are added
// in FP32.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "unit/ndp/ndp_task.h"
#include "unit/ndp/values/dot_values.h"

namespace neardata::unit {

class LowBitRow {
 public:
  /// `blocks` blocks of `lanes` times `lane_weights` weights each, whose products have
  /// `aligned` bits at the scale of their block.
  LowBitRow(NdpWeights format, std::uint32_t aligned, std::size_t lanes, std::size_t lane_weights,
            std::size_t blocks);

  /// Replaces the row by one whose consecutive bursts are `bursts`. `factor`: of the matrix, of
  /// NVFP4.
  void decode(std::span<const std::byte> bursts, float factor);

  /// The row times x; each group of `repeats` blocks is multiplied by the same values of x.
  [[nodiscard]] float dot(const Operands& x, std::size_t repeats) const;

 private:
  void decode_lane(std::size_t block, std::size_t lane, std::span<const std::byte> burst,
                   const std::array<std::uint32_t, 2>& scales);
  [[nodiscard]] float scaled(std::size_t block, const std::array<float, 2>& halves) const;
  [[nodiscard]] float block_sum(std::size_t block, const Operands& x, std::size_t x_first) const;

  NdpWeights format_;
  std::uint32_t aligned_;
  std::size_t lanes_, lane_weights_, block_;
  std::vector<std::int16_t> significands_;  ///< with sign; 11 bits
  std::vector<std::int16_t> exponents_;     ///< of zeros far below all others
  std::vector<std::uint8_t> nan_;           ///< by block: a NaN is in it
  std::vector<float> factors_;              ///< of each half of each block
};

}  // namespace neardata::unit
