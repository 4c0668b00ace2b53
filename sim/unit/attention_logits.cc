// SPDX-License-Identifier: Apache-2.0
//
// A product times a power of two is exact in a double, and so are its cut and the sum of all of
// them (below 2^53), so doubles stand for the integers of the hardware.
#include "unit/attention_logits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace neardata::unit {

namespace {

constexpr std::int16_t kNoProduct = -1000;
/// Two significands of 10 fraction bits, and 22 guard bits.
constexpr std::int32_t kPlaces = 42;

double power_of_two(std::int32_t exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
}

/// Exponent of a factor that is not zero; far below all others for a zero.
std::int16_t factor_exponent(Half half) {
  const auto field = static_cast<std::int16_t>(half >> 10U & 31U);
  const auto exponent = static_cast<std::int16_t>(std::max<std::int16_t>(field, 1) - 15);
  return (half & 0x7FFFU) == 0 ? kNoProduct : exponent;
}

float rounded(double sum, std::int32_t top) {
  return top <= kNoProduct / 2 ? 0.0F : static_cast<float>(sum * power_of_two(top - kPlaces));
}

constexpr std::size_t kTokens = 256;  ///< whose sums stay in the cache

void column_block(std::span<const Half> query, const Half* columns, std::size_t stride,
                  std::span<float> logits) {
  std::array<std::int32_t, kTokens> top;
  std::array<double, kTokens> scale;
  std::array<double, kTokens> sum{};
  const std::size_t count = logits.size();
  top.fill(2 * kNoProduct);
  for (std::size_t i = 0; i < query.size(); ++i) {
    const std::int32_t exponent = factor_exponent(query[i]);
    const Half* column = columns + i * stride;
    for (std::size_t t = 0; t < count; ++t) {
      top[t] = std::max(top[t], exponent + factor_exponent(column[t]));
    }
  }
  for (std::size_t t = 0; t < count; ++t) {
    scale[t] = power_of_two(kPlaces - std::max(top[t], kNoProduct / 2));
  }
  for (std::size_t i = 0; i < query.size(); ++i) {
    const double factor = half_value(query[i]);
    const Half* column = columns + i * stride;
    for (std::size_t t = 0; t < count; ++t) {
      sum[t] += std::trunc(factor * static_cast<double>(half_value(column[t])) * scale[t]);
    }
  }
  for (std::size_t t = 0; t < count; ++t) logits[t] = rounded(sum[t], top[t]);
}

constexpr std::size_t kLanes = 8;

/// The logits of a query's rows. A product of two binary16 numbers, times a power of two, and its
/// cut are exact in a float, too. A loop for every format, so that they become vector code.
class RowLogits {
 public:
  explicit RowLogits(std::span<const Half> query)
      : exponents_(query.size()), values_(query.size()), cuts_(query.size()), terms_(query.size()) {
    std::ranges::transform(query, exponents_.begin(), factor_exponent);
    std::ranges::transform(query, values_.begin(), half_value);
  }

  float logit(const Half* row) {
    const std::int16_t top = largest_exponent(row);
    if (top <= kNoProduct / 2) return 0;
    const auto scale = static_cast<float>(power_of_two(kPlaces - top));
    for (std::size_t c = 0; c < cuts_.size(); ++c) {
      cuts_[c] = std::trunc(values_[c] * half_value(row[c]) * scale);
    }
    std::ranges::copy(cuts_, terms_.begin());
    return rounded(sum(), top);
  }

 private:
  [[nodiscard]] std::int16_t largest_exponent(const Half* row) const {
    std::int16_t top = 2 * kNoProduct;
    for (std::size_t c = 0; c < exponents_.size(); ++c) {
      const auto exponent = static_cast<std::int16_t>(exponents_[c] + factor_exponent(row[c]));
      top = std::max(top, exponent);
    }
    return top;
  }

  [[nodiscard]] double sum() const {
    std::array<double, kLanes> sums{};
    std::size_t c = 0;
    for (; c + kLanes <= terms_.size(); c += kLanes) {
      for (std::size_t j = 0; j < kLanes; ++j) sums[j] += terms_[c + j];
    }
    double sum = 0;
    for (; c < terms_.size(); ++c) sum += terms_[c];
    for (const double part : sums) sum += part;
    return sum;
  }

  std::vector<std::int16_t> exponents_;
  std::vector<float> values_;
  std::vector<float> cuts_;
  std::vector<double> terms_;
};

}  // namespace

void column_logits(std::span<const Half> query, const Half* columns, std::size_t stride,
                   std::span<float> logits) {
  for (std::size_t t = 0; t < logits.size(); t += kTokens) {
    const std::size_t count = std::min(kTokens, logits.size() - t);
    column_block(query, columns + t, stride, logits.subspan(t, count));
  }
}

void row_logits(std::span<const Half> query, Rows rows, std::span<float> logits) {
  RowLogits reader(query);
  for (std::size_t t = 0; t < logits.size(); ++t) logits[t] = reader.logit(rows[t]);
}

}  // namespace neardata::unit
