// SPDX-License-Identifier: Apache-2.0
//
// Number formats of the attention engine. Binary16 and back (nearest even, with subnormals, finite
// values only), and its exponential: 2^-z for z >= 0 from a table of 128 steps and a parabola
// between them, in integers, relative error below 2^-22, bit for bit that of the hardware.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

namespace neardata::unit {

/// Bit pattern of a binary16.
using Half = std::uint16_t;

/// The address of each row's values.
using Rows = std::span<const Half* const>;

/// Exact. Without branches, so that loops over it become vector code.
inline float half_value(Half half) {
  const auto extended = static_cast<std::uint32_t>(static_cast<std::int16_t>(half));
  const std::uint32_t bits = extended << 13U & 0x8FFFE000U;  // the exponent is 112 too small
  return std::bit_cast<float>(bits) * 0x1p112F;
}

/// Infinite or not a number: the engine treats its exponent as any other, and reports it.
inline bool non_finite_half(Half half) { return (half & 0x7C00U) == 0x7C00U; }

inline bool any_non_finite(std::span<const Half> values) {
  // Compilers vectorize a maximum, but not a disjunction of comparisons.
  Half largest = 0;
  for (const Half value : values) {
    largest = std::max(largest, static_cast<Half>(value & 0x7FFFU));
  }
  return largest >= 0x7C00U;
}

/// Overflow results in infinity.
inline Half to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<Half>(bits >> 16U & 0x8000U);
  const float magnitude = std::bit_cast<float>(bits & 0x7FFFFFFFU);
  if (magnitude != magnitude) return 0x7E00;
  if (magnitude >= 65520.0F) return static_cast<Half>(sign | 0x7C00U);
  // Adding a power of two whose last place is that of the result rounds to nearest even.
  const auto exponent = static_cast<std::int32_t>(bits >> 23U & 255U) - 127;
  const std::int32_t place = (exponent > -14 ? exponent : -14) + 13;
  const float shifter = std::bit_cast<float>(static_cast<std::uint32_t>(place + 127) << 23U);
  const float rounded = (magnitude + shifter) - shifter;
  const auto rounded_bits = std::bit_cast<std::uint32_t>(rounded * 0x1p-112F);
  return static_cast<Half>(sign | rounded_bits >> 13U);
}

float exp2_negative(float z);

}  // namespace neardata::unit
