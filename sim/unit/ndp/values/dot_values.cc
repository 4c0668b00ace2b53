// SPDX-License-Identifier: Apache-2.0
#include "unit/ndp/values/dot_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

namespace neardata::unit {

namespace {

struct FieldLayout {
  int fraction_bits;
  int widen;  ///< zeros below the fraction, so that significands have 11 bits
  int largest_field;
  int bias;

  [[nodiscard]] int infinity() const { return largest_field << fraction_bits; }
};

constexpr FieldLayout field_layout(Format format) {
  return format == Format::Bf16 ? FieldLayout{7, 3, 255, 127} : FieldLayout{10, 0, 31, 15};
}

/// The sum of a block with NaNs or infinities; nothing if all its products are finite.
std::optional<float> special_sum(std::span<const std::uint16_t> a, std::span<const std::uint16_t> b,
                                 int infinity) {
  bool positive = false;
  bool negative = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int a_size = a[i] & ~kSignBit;
    const int b_size = b[i] & ~kSignBit;
    if (a_size < infinity && b_size < infinity) continue;
    const bool nan = a_size > infinity || b_size > infinity || a_size == 0 || b_size == 0;
    if (nan) return std::numeric_limits<float>::quiet_NaN();
    ((a[i] ^ b[i]) & kSignBit) == 0 ? positive = true : negative = true;
  }
  if (!positive && !negative) return std::nullopt;
  if (positive && negative) return std::numeric_limits<float>::quiet_NaN();
  const float size = std::numeric_limits<float>::infinity();
  return positive ? size : -size;
}

}  // namespace

template <Format format>
void Operands::decode_as() {
  constexpr FieldLayout kLayout = field_layout(format);
  const std::uint16_t* bits = bits_.data();
  std::int16_t* significands = significands_.data();
  std::int16_t* exponents = exponents_.data();
  int special = 0;
  for (std::size_t i = 0; i < bits_.size(); ++i) {
    const int word = bits[i];
    const int field = word >> kLayout.fraction_bits & kLayout.largest_field;
    const int hidden = field == 0 ? 0 : 1 << kLayout.fraction_bits;
    const int size = (hidden | (word & ((1 << kLayout.fraction_bits) - 1))) << kLayout.widen;
    significands[i] = static_cast<std::int16_t>((word & kSignBit) != 0 ? -size : size);
    exponents[i] = static_cast<std::int16_t>(size == 0 ? kZeroExponent : std::max(field, 1));
    special |= field == kLayout.largest_field ? 1 : 0;
  }
  special_ = special != 0;
}

int Operands::bias() const { return field_layout(format_).bias; }

bool Operands::finite(std::uint16_t bits) const {
  return (bits & ~kSignBit) < field_layout(format_).infinity();
}

bool Operands::nan(std::uint16_t bits) const {
  return (bits & ~kSignBit) > field_layout(format_).infinity();
}

void Operands::decode(std::span<const std::uint16_t> bits) {
  bits_.assign(bits.begin(), bits.end());
  significands_.resize(bits.size());
  exponents_.resize(bits.size());
  if (format_ == Format::Bf16) {
    decode_as<Format::Bf16>();
  } else {
    decode_as<Format::Fp16>();
  }
}

float block_sum(const Operands& a, const Operands& b, std::size_t first, std::size_t count,
                std::uint32_t aligned) {
  const FieldLayout layout = field_layout(a.format_);
  if (a.special_ || b.special_) {
    const auto special = special_sum(std::span(a.bits_).subspan(first, count),
                                     std::span(b.bits_).subspan(first, count), layout.infinity());
    if (special) return *special;
  }
  const std::int16_t* ea = a.exponents_.data() + first;
  const std::int16_t* eb = b.exponents_.data() + first;
  const std::int16_t* ma = a.significands_.data() + first;
  const std::int16_t* mb = b.significands_.data() + first;
  std::int32_t largest = kZeroExponent;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, std::int32_t{ea[i]} + eb[i]);
  if (largest < 0) return 0;  // every product is zero
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t product = std::int32_t{ma[i]} * mb[i];
    const std::int64_t size = aligned_product(product, largest - ea[i] - eb[i], aligned);
    sum += product < 0 ? -size : size;
  }
  // Below 2^53, so exact as a double, and normal because of its exponent: it is rounded once.
  const int exponent = largest - 2 * layout.bias + aligned_place(aligned);
  return static_cast<float>(std::ldexp(static_cast<double>(sum), exponent));
}

namespace {

std::uint16_t round_to_fp16(float value) {
  const auto word = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(word >> 16U & kSignBit);
  const float size = std::fabs(value);
  constexpr float kSmallestNormal = 0x1p-14F;
  constexpr float kOverflow = 65520;  // half a place beyond the largest
  if (size >= kOverflow) return sign | 0x7C00U;
  if (size < kSmallestNormal) {
    // A whole number of the smallest subnormals; scaling is exact, nearbyint is to nearest even.
    return sign | static_cast<std::uint16_t>(std::nearbyint(size * 0x1p24F));
  }
  constexpr std::uint32_t kRebias = 112U << 23U;
  const std::uint32_t bits = (word & 0x7FFFFFFFU) - kRebias;
  return sign | static_cast<std::uint16_t>((bits + 0xFFFU + (bits >> 13U & 1U)) >> 13U);
}

}  // namespace

std::uint16_t round_to(Format format, float value) {
  if (std::isnan(value)) return format == Format::Bf16 ? 0x7FC0 : 0x7E00;
  if (format == Format::Fp16) return round_to_fp16(value);
  const auto word = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((word + 0x7FFFU + (word >> 16U & 1U)) >> 16U);
}

}  // namespace neardata::unit
