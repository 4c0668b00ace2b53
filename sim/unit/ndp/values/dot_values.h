// SPDX-License-Identifier: Apache-2.0
//
// Dot products as the GEMV array forms them, bit for bit. In a block every product is exact, is
// aligned to the largest exponent as a number of 44 bits, 22 of them below the product's last
// place, or of fewer (magnitudes cut), and summed as an integer; the block's sum is rounded to FP32
// and added to an FP32 accumulator, blocks in ascending order. All rounding is to nearest even; NaN
// is canonical.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "unit/ndp/formats.h"
#include "unit/ndp/ndp_unit.h"

namespace neardata::unit {

/// Two significands with 10 bits below the point.
inline constexpr int kProductFraction = 20;
/// Below the last place of the product with the largest exponent.
inline constexpr int kGuardBits = 22;

/// A product's magnitude at the scale of its block: `shift` places below the largest, cut to
/// `aligned` bits.
[[nodiscard]] inline std::int64_t aligned_product(std::int32_t product, std::int32_t shift,
                                                  std::uint32_t aligned) {
  const auto cut = static_cast<std::int32_t>(kMostAlignedBits - aligned);
  return std::int64_t{std::abs(product)} << kGuardBits >> std::min(shift + cut, 63);
}

/// Of the last place of a sum of such products, above that of the exponents' sum.
[[nodiscard]] inline int aligned_place(std::uint32_t aligned) {
  return static_cast<int>(kMostAlignedBits - aligned) - kGuardBits - kProductFraction;
}

/// Exponent of a zero: below all others by more than their range.
inline constexpr std::int16_t kZeroExponent = -1024;
inline constexpr std::uint16_t kSignBit = 0x8000;

/// Values of a 16-bit format, decoded for many dot products.
class Operands {
 public:
  explicit Operands(Format format) : format_(format) {}

  /// Replaces the values.
  void decode(std::span<const std::uint16_t> bits);

  [[nodiscard]] Format format() const { return format_; }
  [[nodiscard]] std::size_t size() const { return bits_.size(); }
  [[nodiscard]] std::span<const std::uint16_t> bits() const { return bits_; }
  [[nodiscard]] std::span<const std::int16_t> significands() const { return significands_; }
  [[nodiscard]] std::span<const std::int16_t> exponents() const { return exponents_; }
  [[nodiscard]] bool special() const { return special_; }
  [[nodiscard]] int bias() const;
  [[nodiscard]] bool finite(std::uint16_t bits) const;
  [[nodiscard]] bool nan(std::uint16_t bits) const;

 private:
  template <Format format>
  void decode_as();

  friend float block_sum(const Operands& a, const Operands& b, std::size_t first, std::size_t count,
                         std::uint32_t aligned);

  Format format_;
  std::vector<std::uint16_t> bits_;
  std::vector<std::int16_t> significands_;  ///< with sign; 11 bits
  std::vector<std::int16_t> exponents_;     ///< of zeros far below all others
  bool special_ = false;                    ///< a NaN or an infinity is among them
};

/// The sum of the products a[first + i] * b[first + i], i < count, each cut to `aligned` bits at
/// the scale of the largest, rounded to FP32.
[[nodiscard]] float block_sum(const Operands& a, const Operands& b, std::size_t first,
                              std::size_t count, std::uint32_t aligned);

/// The nearest value of the format.
[[nodiscard]] std::uint16_t round_to(Format format, float value);

}  // namespace neardata::unit
