// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/values/attention_numbers.h"

#include <array>
#include <numbers>

namespace neardata::unit {

namespace {

constexpr float kCutoff = 64;  ///< from here on the power is 0
constexpr unsigned kStepBits = 7;
constexpr unsigned kFractionBits = 26;
constexpr unsigned kRestBits = kFractionBits - kStepBits;
constexpr int kTableBits = 25;
constexpr int kCurveBits = 28;
constexpr unsigned kSlopeBits = 24;

const std::array<std::uint32_t, 1U << kStepBits> kTable = [] {
  std::array<std::uint32_t, 1U << kStepBits> table{};
  for (std::size_t h = 0; h < table.size(); ++h) {
    const double power = kTableBits - static_cast<double>(h) / table.size();
    table[h] = static_cast<std::uint32_t>(std::floor(std::exp2(power) + 0.5));
  }
  return table;
}();

}  // namespace

float exp2_negative(float z) {
  if (z >= kCutoff) return 0;
  // ln 2 in units of 2^-24, to the nearest.
  constexpr std::uint64_t kSlope = 11'629'080;
  static_assert(2 * kSlope - 1 < std::numbers::ln2 * (2U << kSlopeBits) &&
                std::numbers::ln2 * (2U << kSlopeBits) < 2 * kSlope + 1);
  const auto fixed = static_cast<std::uint64_t>(static_cast<double>(z) * (1U << kFractionBits));
  const auto whole = static_cast<int>(fixed >> kFractionBits);
  const std::uint64_t step = fixed >> kRestBits & ((1U << kStepBits) - 1);
  const std::uint64_t rest = fixed & ((1U << kRestBits) - 1);
  const std::uint64_t u = rest * kSlope >> (kFractionBits + kSlopeBits - kCurveBits);
  const std::uint64_t curve = (std::uint64_t{1} << kCurveBits) - u + (u * u >> (kCurveBits + 1));
  const std::uint64_t product = kTable[step] * curve;  // below 2^54, exact in a double
  const auto scale = std::bit_cast<double>(
      static_cast<std::uint64_t>(1023 - kTableBits - kCurveBits - whole) << 52U);
  return static_cast<float>(static_cast<double>(product) * scale);
}

}  // namespace neardata::unit
