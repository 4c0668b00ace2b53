// SPDX-License-Identifier: Apache-2.0
//
// The computation of the NDP unit's array for one row, written for clarity: exact products of a
// block aligned to the largest exponent sum and truncated below it, the sum rounded to FP32, blocks
// added in FP32 in order of k, the row rounded to the operand format. Nearest even throughout,
// with subnormals, NaN canonical.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace neardata::bench {

struct FloatFormat {
  int mantissa_bits;
  int bias;

  [[nodiscard]] int all_ones() const { return 2 * bias + 1; }
  [[nodiscard]] std::uint16_t infinity() const {
    return static_cast<std::uint16_t>(all_ones() << mantissa_bits);
  }
};
inline constexpr FloatFormat kFp16{10, 15};
inline constexpr FloatFormat kBf16{7, 127};

/// A decoded operand of the array: value = significand * 2^(exponent - bias - 10).
struct Operand {
  bool negative, nan, infinite;
  int exponent;
  std::int64_t significand;

  Operand(std::uint16_t bits, const FloatFormat& format) {
    const int field = bits >> format.mantissa_bits & format.all_ones();
    const int fraction = bits & ((1 << format.mantissa_bits) - 1);
    const bool special = field == format.all_ones();
    negative = bits >> 15 != 0;
    nan = special && fraction != 0;
    infinite = special && fraction == 0;
    exponent = std::max(field, 1);
    significand = ((field != 0 ? 1 << format.mantissa_bits : 0) | fraction)
                  << (10 - format.mantissa_bits);
  }
};

/// A product's magnitude, `shift` places below the block's largest: its 22 bits followed by 22
/// more, of which the upper `aligned` remain.
inline std::int64_t cut(std::int64_t product, int shift, int aligned) {
  constexpr int kBits = 44;
  const int places = shift + kBits - aligned;
  return places >= kBits ? 0 : (product << (kBits / 2)) >> places;
}

/// Of the last place of a sum of such products.
inline int place(int aligned) { return 2 - aligned; }

inline float block_sum(std::span<const std::uint16_t> w, std::span<const std::uint16_t> x,
                       const FloatFormat& format, int aligned) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  int largest = 0;
  bool nan = false, plus = false, minus = false;
  for (std::size_t k = 0; k < w.size(); ++k) {
    const Operand a(w[k], format), b(x[k], format);
    const bool zero = a.significand == 0 || b.significand == 0;
    nan = nan || a.nan || b.nan || ((a.infinite || b.infinite) && zero);
    if (a.infinite || b.infinite) {
      (a.negative != b.negative ? minus : plus) = true;
    } else if (!a.nan && !b.nan && !zero) {
      largest = std::max(largest, a.exponent + b.exponent);
    }
  }
  if (nan || (plus && minus)) return std::numeric_limits<float>::quiet_NaN();
  if (plus || minus) return plus ? kInf : -kInf;
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    const Operand a(w[k], format), b(x[k], format);
    const int shift = largest - a.exponent - b.exponent;
    const bool zero = a.significand == 0 || b.significand == 0;
    const std::int64_t size = zero ? 0 : cut(a.significand * b.significand, shift, aligned);
    sum += a.negative != b.negative ? -size : size;
  }
  // |sum| < 2^53 and the double's range is far wider, so only the conversion to FP32 rounds.
  return static_cast<float>(
      std::ldexp(static_cast<double>(sum), largest - 2 * format.bias + place(aligned)));
}

inline std::uint16_t narrow(float value, const FloatFormat& format) {
  const auto infinity = format.infinity();
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(infinity | 1 << (format.mantissa_bits - 1));
  }
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isinf(value)) return sign | infinity;
  if (value == 0) return sign;
  const double magnitude = std::fabs(static_cast<double>(value));
  const int smallest = 1 - format.bias;
  const int exponent = std::max(std::ilogb(magnitude), smallest);
  const auto units =
      static_cast<int>(std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent)));
  // A subnormal has fewer units than a normal number; a carry runs into the exponent by itself.
  const int bits = ((exponent - smallest) << format.mantissa_bits) + units;
  return sign | static_cast<std::uint16_t>(std::min<int>(bits, infinity));
}

inline std::uint16_t row_dot(std::span<const std::uint16_t> w, std::span<const std::uint16_t> x,
                             std::size_t block, const FloatFormat& format, int aligned) {
  float sum = 0;
  for (std::size_t k = 0; k < w.size(); k += block) {
    const float part = block_sum(w.subspan(k, block), x.subspan(k, block), format, aligned);
    sum = k == 0 ? part : sum + part;
  }
  return narrow(sum, format);
}

}  // namespace neardata::bench
