// SPDX-License-Identifier: Apache-2.0
#include "unit/ndp/values/low_bit_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace neardata::unit {

namespace {

/// The magnitude of a weight: a significand of 11 bits and an exponent.
struct Size {
  std::int16_t significand = 0;
  std::int16_t exponent = 1;
  bool nan = false;
  bool opposite = false;  ///< the sign is not that of the code
};

/// The largest bits of an E2M1 code, in halves.
constexpr std::array<std::int16_t, 8> kHalves{0, 1, 2, 3, 4, 6, 8, 12};

Size size_of(NdpWeights format, std::uint32_t code, bool negative, std::uint32_t scale) {
  Size size;
  switch (format) {
    case NdpWeights::kMxfp4:
      // 0 is a zero's exponent: a scale of 2^-127 is 1 with significands a place lower.
      size.significand = static_cast<std::int16_t>(kHalves[code] << (scale == 0 ? 6 : 7));
      size.exponent = static_cast<std::int16_t>(std::max(scale, 1U));
      size.nan = scale == 0xFF;
      break;
    case NdpWeights::kFp8: {
      const std::uint32_t field = code >> 3U;
      size.significand = static_cast<std::int16_t>(((field == 0 ? 0 : 8U) | (code & 7U)) << 7U);
      size.exponent = static_cast<std::int16_t>(std::max(field, 1U));
      size.nan = code == 0x7F;
      break;
    }
    case NdpWeights::kMxfp8: {
      // The code as FP8; its exponent and that of the scale add up.
      size = size_of(NdpWeights::kFp8, code, negative, scale);
      size.exponent = static_cast<std::int16_t>(size.exponent + static_cast<int>(scale) - 8);
      const bool outside = size.exponent < 1 || size.exponent > 254;
      size.nan = size.nan || scale == 0xFF || (size.significand != 0 && outside);
      break;
    }
    case NdpWeights::kNvfp4: {
      // A code in halves times the significand of its scale: 8 bits at most.
      size = size_of(NdpWeights::kFp8, scale & 0x7FU, negative, 0);
      size.significand = static_cast<std::int16_t>(kHalves[code] * (size.significand >> 4U));
      size.opposite = (scale & 0x80U) != 0;
      break;
    }
    case NdpWeights::kInt8:
      size.significand = static_cast<std::int16_t>((negative && code == 0 ? 0x80U : code) << 3U);
      break;
    default:
      size.significand = static_cast<std::int16_t>((negative && code == 0 ? 8U : code) << 7U);
  }
  return size;
}

/// A weight is significand * 2^(exponent - bias - 10).
int bias_of(NdpWeights format) {
  switch (format) {
    case NdpWeights::kMxfp4:
      return 125;
    case NdpWeights::kFp8:
      return 7;
    case NdpWeights::kInt8:
      return -6;
    case NdpWeights::kMxfp8:
      return 126;
    case NdpWeights::kNvfp4:
      return 4;
    default:
      return -2;
  }
}

}  // namespace

LowBitRow::LowBitRow(NdpWeights format, std::uint32_t aligned, std::size_t lanes,
                     std::size_t lane_weights, std::size_t blocks)
    : format_(format),
      aligned_(aligned),
      lanes_(lanes),
      lane_weights_(lane_weights),
      block_(lanes * lane_weights),
      significands_(blocks * block_),
      exponents_(blocks * block_),
      nan_(blocks),
      factors_(2 * blocks, 1.0F) {}

void LowBitRow::decode(std::span<const std::byte> bursts, float factor) {
  const std::size_t scaled = scaled_blocks(format_);
  const std::size_t scale_bytes = kBurstBytes / scaled;
  const std::size_t lane_scales = scale_bytes / lanes_;
  const std::size_t burst_lanes = std::size_t{1} << burst_lanes_shift(format_);
  std::span<const std::byte> scales;
  for (std::size_t b = 0; b < nan_.size(); ++b) {
    if (b % scaled == 0) {
      scales = bursts.first(kBurstBytes);
      bursts = bursts.subspan(kBurstBytes);
    }
    const auto block_scales = scales.subspan(b % scaled * scale_bytes, scale_bytes);
    if (format_ == NdpWeights::kNvfp4) {
      factors_[2 * b] = factors_[2 * b + 1] = factor;
    } else if (!has_exponent_scales(format_)) {
      std::memcpy(&factors_[2 * b], block_scales.data(), scale_bytes);
    }
    nan_[b] = 0;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const auto own = block_scales.subspan(lane * lane_scales, lane_scales);
      decode_lane(b, lane, bursts.subspan(lane / burst_lanes * kBurstBytes, kBurstBytes),
                  {std::to_integer<std::uint32_t>(own.front()),
                   std::to_integer<std::uint32_t>(own.back())});
    }
    bursts = bursts.subspan(lanes_ / burst_lanes * kBurstBytes);
  }
}

/// A burst has a code of each of its lanes in the 16 bits of a multiplier. `scales`: of the two
/// halves of the multipliers.
void LowBitRow::decode_lane(std::size_t block, std::size_t lane, std::span<const std::byte> burst,
                            const std::array<std::uint32_t, 2>& scales) {
  const std::uint32_t shift = burst_lanes_shift(format_);
  const std::uint32_t bits = 16U >> shift;
  const std::uint32_t sign = 1U << (bits - 1);
  const std::uint32_t part = static_cast<std::uint32_t>(lane) & ((1U << shift) - 1);
  for (std::size_t p = 0; p < lane_weights_; ++p) {
    const auto word = std::to_integer<std::uint32_t>(burst[2 * p]) |
                      std::to_integer<std::uint32_t>(burst[2 * p + 1]) << 8U;
    const std::uint32_t code = word >> (bits * part);
    const bool code_negative = (code & sign) != 0;
    const Size size =
        size_of(format_, code & (sign - 1), code_negative, scales[2 * p / lane_weights_]);
    const bool negative = code_negative != size.opposite;
    const std::size_t k = block * block_ + lane * lane_weights_ + p;
    significands_[k] = negative ? static_cast<std::int16_t>(-size.significand) : size.significand;
    exponents_[k] = size.significand == 0 ? kZeroExponent : size.exponent;
    if (size.nan) nan_[block] = 1;
  }
}

float LowBitRow::block_sum(std::size_t block, const Operands& x, std::size_t x_first) const {
  const std::size_t first = block * block_;
  const std::span<const std::int16_t> mw(significands_.data() + first, block_);
  const std::span<const std::int16_t> ew(exponents_.data() + first, block_);
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  if (nan_[block] != 0) return kNan;
  if (x.special()) {
    bool positive = false;
    bool negative = false;
    for (std::size_t i = 0; i < block_; ++i) {
      const std::uint16_t bits = x.bits()[x_first + i];
      if (x.finite(bits)) continue;
      if (x.nan(bits) || mw[i] == 0) return kNan;
      (((bits & kSignBit) != 0) == (mw[i] < 0) ? positive : negative) = true;
    }
    if (positive && negative) return kNan;
    if (positive || negative) {
      const float all = positive ? std::numeric_limits<float>::infinity()
                                 : -std::numeric_limits<float>::infinity();
      return scaled(block, {all, all});
    }
  }
  const std::int16_t* mx = x.significands().data() + x_first;
  const std::int16_t* ex = x.exponents().data() + x_first;
  std::int32_t largest = 2 * kZeroExponent;
  for (std::size_t i = 0; i < block_; ++i) {
    largest = std::max(largest, std::int32_t{ew[i]} + ex[i]);
  }
  std::array<float, 2> halves{};
  if (largest >= 0) {
    const int exponent = largest - bias_of(format_) - x.bias() + aligned_place(aligned_);
    for (std::size_t half = 0; half < 2; ++half) {
      std::int64_t sum = 0;
      for (std::size_t i = half * block_ / 2; i < (half + 1) * block_ / 2; ++i) {
        const std::int32_t product = std::int32_t{mw[i]} * mx[i];
        const std::int64_t size = aligned_product(product, largest - ew[i] - ex[i], aligned_);
        sum += product < 0 ? -size : size;
      }
      halves[half] = static_cast<float>(std::ldexp(static_cast<double>(sum), exponent));
    }
  }
  return scaled(block, halves);
}

/// A product of two floats is exact as a double: one rounding, and no compiler fuses it.
float LowBitRow::scaled(std::size_t block, const std::array<float, 2>& halves) const {
  const auto part = [&](std::size_t half) {
    const double factor = factors_[2 * block + half];
    return static_cast<float>(static_cast<double>(halves[half]) * factor);
  };
  return part(0) + part(1);
}

float LowBitRow::dot(const Operands& x, std::size_t repeats) const {
  float sum = block_sum(0, x, 0);
  for (std::size_t b = 1; b < nan_.size(); ++b) sum += block_sum(b, x, b / repeats * block_);
  return sum;
}

}  // namespace neardata::unit
