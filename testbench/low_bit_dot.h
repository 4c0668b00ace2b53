// SPDX-License-Identifier: Apache-2.0
//
// The computation of the NDP unit's array for a row of fewer than 16 bits per weight, written for
// clarity. A row is superblocks: a burst of scales, 8 bytes for each of the up to eight blocks of
// 256 weights behind it (NVFP4: 16 bytes for each of four). A block's products are aligned to their
// largest exponent; the sum of each half is rounded to FP32, multiplied by its factor (none in
// MXFP4 and MXFP8, that of the matrix in NVFP4), and the two are added in FP32.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "testbench/block_dot.h"

namespace neardata::bench {

enum LowBitFormat : std::uint32_t {
  kMxfp4 = 1,
  kFp8 = 2,
  kInt8 = 3,
  kInt4 = 4,
  kMxfp8 = 5,
  kNvfp4 = 6
};

/// A scale of 32 weights is a power of two; other formats have FP32 factors of the sums.
inline bool has_exponent_scales(std::uint32_t format) {
  return format == kMxfp4 || format == kMxfp8;
}

inline constexpr std::size_t kBlock = 256;
inline constexpr std::size_t kLaneWeights = 32;
/// Blocks behind a burst of scales.
inline std::uint32_t scaled_blocks(std::uint32_t format) { return format == kNvfp4 ? 4 : 8; }

/// Lanes of a burst of codes.
inline std::uint32_t burst_lanes(std::uint32_t format) {
  return format == kMxfp4 || format == kInt4 || format == kNvfp4 ? 4 : 2;
}

/// value = significand * 2^(exponent - bias - 10), with the bias of its format.
struct LowBitWeight {
  bool negative = false, nan = false;
  int exponent = 1;
  std::int64_t significand = 0;
};

inline int bias_of(std::uint32_t format) {
  constexpr std::array<int, 7> kBiases{0, 125, 7, -6, -2, 126, 4};
  return kBiases.at(format);
}

inline LowBitWeight low_bit_weight(std::uint32_t format, std::uint32_t code, std::uint32_t scale) {
  LowBitWeight w;
  constexpr std::array<int, 8> kHalves{0, 1, 2, 3, 4, 6, 8, 12};
  if (format == kNvfp4) {
    const int field = static_cast<int>(scale >> 3 & 15);
    const int eighths = (field == 0 ? 0 : 8) | static_cast<int>(scale & 7);
    w.negative = ((code & 8) != 0) != ((scale & 0x80) != 0);
    w.nan = (scale & 0x7F) == 0x7F;
    w.exponent = field == 0 ? 1 : field;
    w.significand = kHalves.at(code & 7) * eighths << 3;
  } else if (format == kMxfp4) {
    w.negative = (code & 8) != 0;
    w.nan = scale == 255;
    w.exponent = scale == 0 ? 1 : static_cast<int>(scale);
    w.significand = kHalves.at(code & 7) << (scale == 0 ? 6 : 7);
  } else if (format == kFp8 || format == kMxfp8) {
    const int field = static_cast<int>(code >> 3 & 15);
    w.negative = (code & 0x80) != 0;
    w.nan = (code & 0x7F) == 0x7F;
    w.exponent = field == 0 ? 1 : field;
    w.significand = ((field == 0 ? 0 : 8) | static_cast<int>(code & 7)) << 7;
    if (format == kMxfp8) {
      w.exponent += static_cast<int>(scale) - 8;
      const bool outside = w.exponent < 1 || w.exponent > 254;
      w.nan = w.nan || scale == 255 || (w.significand != 0 && outside);
    }
  } else {
    const int bits = format == kInt8 ? 8 : 4;
    const int size = static_cast<int>(code) & ((1 << (bits - 1)) - 1);
    w.negative = (code >> (bits - 1) & 1) != 0;
    w.significand = (w.negative && size == 0 ? 1 << (bits - 1) : size) << (11 - bits);
  }
  return w;
}

/// A matrix of fewer than 16 bits per weight, and the activations that it is multiplied by.
struct LowBitMatrix {
  std::uint32_t format;
  FloatFormat x_format;
  int aligned;          ///< bits of an aligned product
  std::size_t repeats;  ///< consecutive blocks that are multiplied by the same 256 values of x
  float factor;         ///< of the matrix; only NVFP4 uses it
};

/// The two halves of a block of weights times 256 activations, scaled and added.
inline float low_bit_block(const LowBitMatrix& matrix, std::span<const LowBitWeight> w,
                           std::span<const std::uint16_t> x, std::span<const float> factors) {
  const FloatFormat& x_format = matrix.x_format;
  int largest = 0;
  bool nan = false, plus = false, minus = false;
  for (std::size_t k = 0; k < kBlock; ++k) {
    const Operand b(x[k], x_format);
    const bool zero = w[k].significand == 0 || b.significand == 0;
    nan = nan || w[k].nan || b.nan || (b.infinite && w[k].significand == 0);
    if (b.infinite) {
      (w[k].negative != b.negative ? minus : plus) = true;
    } else if (!b.nan && !zero) {
      largest = std::max(largest, w[k].exponent + b.exponent);
    }
  }
  std::array<float, 2> parts{};
  for (std::size_t half = 0; half < 2; ++half) {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    float part = plus ? kInf : -kInf;
    if (nan || (plus && minus)) {
      part = std::numeric_limits<float>::quiet_NaN();
    } else if (!plus && !minus) {
      std::int64_t sum = 0;
      for (std::size_t k = half * kBlock / 2; k < (half + 1) * kBlock / 2; ++k) {
        const Operand b(x[k], x_format);
        const int shift = largest - w[k].exponent - b.exponent;
        const bool zero = w[k].significand == 0 || b.significand == 0;
        const std::int64_t size =
            zero ? 0 : cut(w[k].significand * b.significand, shift, matrix.aligned);
        sum += w[k].negative != b.negative ? -size : size;
      }
      const int exponent = largest - bias_of(matrix.format) - x_format.bias + place(matrix.aligned);
      part = static_cast<float>(std::ldexp(static_cast<double>(sum), exponent));
    }
    // A product of two floats is exact as a double, and rounded here.
    parts[half] =
        static_cast<float>(static_cast<double>(part) * static_cast<double>(factors[half]));
  }
  return parts[0] + parts[1];
}

/// A row of `blocks` blocks in `bytes`, with consecutive bursts.
inline std::uint16_t low_bit_row(const LowBitMatrix& matrix, std::span<const std::uint8_t> bytes,
                                 std::size_t blocks, std::span<const std::uint16_t> x) {
  const std::uint32_t format = matrix.format;
  const std::size_t lanes = burst_lanes(format);
  const std::size_t scaled = scaled_blocks(format);
  const std::size_t scale_bytes = 64 / scaled;
  const std::size_t block_bytes = 8 / lanes * 64;
  std::size_t at = 0;
  std::span<const std::uint8_t> scales;
  std::array<LowBitWeight, kBlock> w;
  float sum = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    if (b % scaled == 0) {
      scales = bytes.subspan(at, 64);
      at += 64;
    }
    const auto block_scales = scales.subspan(b % scaled * scale_bytes, scale_bytes);
    for (std::size_t k = 0; k < kBlock; ++k) {
      // Two bytes for each multiplier, with a code of each lane of the burst.
      const std::size_t lane = k / kLaneWeights;
      const auto word = bytes.subspan(at + lane / lanes * 64 + k % kLaneWeights * 2, 2);
      const std::uint32_t both = word[0] | std::uint32_t{word[1]} << 8;
      const std::uint32_t bits = 16 / static_cast<std::uint32_t>(lanes);
      const std::uint32_t code =
          both >> (bits * static_cast<std::uint32_t>(lane % lanes)) & ((1U << bits) - 1);
      // Scales are in the order of the weights.
      w[k] = low_bit_weight(format, code, block_scales[k * scale_bytes / kBlock]);
    }
    at += block_bytes;
    std::array<float, 2> factors{1, 1};
    if (format == kNvfp4) {
      factors = {matrix.factor, matrix.factor};
    } else if (!has_exponent_scales(format)) {
      std::memcpy(factors.data(), block_scales.data(), sizeof factors);
    }
    const float part =
        low_bit_block(matrix, w, x.subspan(b / matrix.repeats * kBlock, kBlock), factors);
    sum = b == 0 ? part : sum + part;
  }
  return narrow(sum, matrix.x_format);
}

}  // namespace neardata::bench
