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

constexpr std::int32_t kNoProduct = -1000;
/// Two significands of 10 fraction bits, and 22 guard bits.
constexpr std::int32_t kPlaces = 42;

double power_of_two(std::int32_t exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
}

/// Exponent of a factor that is not zero; far below all others for a zero.
std::int32_t factor_exponent(Half half) {
  return (half & 0x7FFFU) == 0 ? kNoProduct : half_exponent(half);
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

float row_logit(std::span<const std::int32_t> exponents, std::span<const double> query,
                const Half* row) {
  const std::size_t width = query.size();
  std::int32_t top = 2 * kNoProduct;
  for (std::size_t c = 0; c < width; ++c) {
    top = std::max(top, exponents[c] + factor_exponent(row[c]));
  }
  const double scale = power_of_two(kPlaces - std::max(top, kNoProduct / 2));
  std::array<double, kLanes> sums{};
  std::size_t c = 0;
  for (; c + kLanes <= width; c += kLanes) {
    for (std::size_t j = 0; j < kLanes; ++j) {
      sums[j] += std::trunc(query[c + j] * static_cast<double>(half_value(row[c + j])) * scale);
    }
  }
  double sum = 0;
  for (; c < width; ++c) {
    sum += std::trunc(query[c] * static_cast<double>(half_value(row[c])) * scale);
  }
  for (const double part : sums) sum += part;
  return rounded(sum, top);
}

}  // namespace

void column_logits(std::span<const Half> query, const Half* columns, std::size_t stride,
                   std::span<float> logits) {
  for (std::size_t t = 0; t < logits.size(); t += kTokens) {
    const std::size_t count = std::min(kTokens, logits.size() - t);
    column_block(query, columns + t, stride, logits.subspan(t, count));
  }
}

void row_logits(std::span<const Half> query, const Half* rows, std::span<float> logits) {
  std::vector<std::int32_t> exponents(query.size());
  std::vector<double> values(query.size());
  std::ranges::transform(query, exponents.begin(), factor_exponent);
  std::ranges::transform(query, values.begin(), half_value);
  for (std::size_t t = 0; t < logits.size(); ++t) {
    logits[t] = row_logit(exponents, values, rows + t * query.size());
  }
}

}  // namespace neardata::unit
