// SPDX-License-Identifier: Apache-2.0
//
// A product times a power of two is exact in a double, and so are its truncation and the sum of all
// products (below 2^53), so doubles represent the integers of the hardware.
#include "unit/sparf/values/attention_logits.h"

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
  const auto magnitude = static_cast<std::int16_t>(half & 0x7FFFU);
  const auto field = static_cast<std::int16_t>(magnitude >> 10);
  const std::int32_t exponent = std::max<std::int16_t>(field, 1) - 15;
  return static_cast<std::int16_t>(exponent + (magnitude == 0 ? kNoProduct : 0));
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

constexpr std::size_t kPart = 128;  ///< of a row, whose cuts stay in the cache

}  // namespace

void column_logits(std::span<const Half> query, const Half* columns, std::size_t stride,
                   std::span<float> logits) {
  for (std::size_t t = 0; t < logits.size(); t += kTokens) {
    const std::size_t count = std::min(kTokens, logits.size() - t);
    column_block(query, columns + t, stride, logits.subspan(t, count));
  }
}

RowQuery::RowQuery(std::span<const Half> query) : exponents_(query.size()), values_(query.size()) {
  std::ranges::transform(query, exponents_.begin(), factor_exponent);
  std::ranges::transform(query, values_.begin(), half_value);
}

float RowQuery::logit(const Half* row) const {
  const std::int16_t top = largest_exponent(row);
  if (top <= kNoProduct / 2) return 0;
  const auto scale = static_cast<float>(power_of_two(kPlaces - top));
  return rounded(sum_of_cuts(row, scale), top);
}

std::int16_t RowQuery::largest_exponent(const Half* row) const {
  std::int16_t top = 2 * kNoProduct;
  for (std::size_t c = 0; c < exponents_.size(); ++c) {
    const auto exponent = static_cast<std::int16_t>(exponents_[c] + factor_exponent(row[c]));
    top = std::max(top, exponent);
  }
  return top;
}

/// A product of two binary16 numbers, times a power of two, is exact in a float, too, and its
/// truncation is an integer below 2^44. Parts of a row are in a separate array, so that the
/// compiler vectorises both loops.
double RowQuery::sum_of_cuts(const Half* row, float scale) const {
  std::array<std::int64_t, kPart> cuts;
  std::int64_t sum = 0;
  for (std::size_t start = 0; start < values_.size(); start += kPart) {
    const std::size_t count = std::min(kPart, values_.size() - start);
    const float* values = values_.data() + start;
    const Half* halves = row + start;
    for (std::size_t c = 0; c < count; ++c) {
      cuts[c] = static_cast<std::int64_t>(values[c] * half_value(halves[c]) * scale);
    }
    for (std::size_t c = 0; c < count; ++c) sum += cuts[c];
  }
  return static_cast<double>(sum);
}

}  // namespace neardata::unit
