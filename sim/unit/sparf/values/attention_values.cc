// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/values/attention_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace neardata::unit {

namespace {

constexpr float kWeightUnit = 0x1p-36F;
constexpr float kValueUnit = 0x1p-24F;
/// Partial sums of the weighted values: the additions in flight in a pipelined adder.
constexpr std::size_t kPartialSums = 8;

std::uint64_t in_units(float weight) { return static_cast<std::uint64_t>(weight * 0x1p36F); }

float rounded_total(std::uint64_t units) { return static_cast<float>(units) * kWeightUnit; }

/// As the hardware has it in 40 bits, in units of 2^-24: nothing of an infinity, of a NaN its
/// fraction.
double magnitude(Half half) {
  const double size = std::abs(static_cast<double>(half_value(half)));
  return size < 0x1p16 ? size : size - 0x1p16;
}

/// Bits of a value in units of 2^-24, and the upper part of a sum with a value that is not finite.
constexpr std::int64_t kTermMask = (std::int64_t{1} << 41) - 1;
constexpr std::int64_t kLostSum = std::int64_t{1} << 62;

/// Digits that distinguish two keys of `bits` bits, or all of them.
std::uint32_t telling_digits(std::uint64_t key, std::uint64_t other, std::uint32_t bits) {
  constexpr std::uint32_t kDigitBits = 4;
  const auto same = static_cast<std::uint32_t>(std::countl_zero((key ^ other) << (64 - bits)));
  return std::min(same, bits - 1) / kDigitBits + 1;
}

/// A score in the order of unsigned numbers; -0 as +0.
std::uint32_t ordered(float score) {
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0F);
  return bits >> 31U != 0 ? ~bits : bits | 0x80000000U;
}

/// The `count` largest of scores[from, to), appended to `chosen`.
void largest(std::span<const float> scores, std::size_t from, std::size_t to, std::size_t count,
             Choice& chosen) {
  if (count == 0) return;
  std::vector<float> sorted(scores.begin() + static_cast<std::ptrdiff_t>(from),
                            scores.begin() + static_cast<std::ptrdiff_t>(to));
  const auto nth = sorted.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::ranges::nth_element(sorted, nth, std::greater{});
  const float threshold = *nth;
  const auto above = std::count_if(sorted.begin(), nth, [&](float s) { return s > threshold; });
  std::size_t ties = count - static_cast<std::size_t>(above);
  if (count < sorted.size()) {
    constexpr std::uint32_t kScoreBits = 32;
    const float next = *std::max_element(nth + 1, sorted.end());
    chosen.digits = telling_digits(ordered(threshold), ordered(next), kScoreBits);
  }
  for (std::size_t i = from; i < to; ++i) {
    if (scores[i] < threshold) continue;
    if (scores[i] == threshold) {
      if (ties == 0) continue;
      --ties;
    }
    chosen.indices.push_back(static_cast<std::uint32_t>(i));
  }
}

}  // namespace

float logit_scale(std::uint32_t width) {
  return static_cast<float>(std::numbers::log2e / std::sqrt(static_cast<double>(width)));
}

Choice choose_dims(std::span<const Half> queries, std::size_t width, std::size_t r) {
  // Sums of up to 8 magnitudes of binary16, in units of 2^-24, are exact in 43 bits: doubles order
  // them. The hardware's keys have 44.
  constexpr std::uint32_t kSumBits = 44;
  std::vector<double> sums(width);
  for (std::size_t i = 0; i < queries.size(); ++i) sums[i % width] += magnitude(queries[i]);
  Indices dims(width);
  std::iota(dims.begin(), dims.end(), 0U);
  std::ranges::stable_sort(dims, [&](auto a, auto b) { return sums[a] > sums[b]; });
  const auto key = [&](std::size_t place) {
    return static_cast<std::uint64_t>(sums[dims[place]] * 0x1p24);
  };
  Choice chosen;
  if (r > 0 && r < width) chosen.digits = telling_digits(key(r - 1), key(r), kSumBits);
  dims.resize(std::min(r, width));
  std::ranges::sort(dims);
  chosen.indices = std::move(dims);
  return chosen;
}

float scale_ratio(std::span<const Half> query, std::span<const std::uint32_t> dims) {
  double all = 0;
  double chosen = 0;
  for (const Half value : query) all += magnitude(value);
  for (const std::uint32_t c : dims) chosen += magnitude(query[c]);
  const auto part = static_cast<float>(chosen);
  const float ratio = part == 0 ? 1.0F : static_cast<float>(all) / part;
  return std::sqrt(ratio);
}

Choice choose_tokens(std::span<const float> scores, std::size_t k, std::size_t window) {
  const std::size_t taken = std::min(k, scores.size());
  const std::size_t forced = std::min(window, scores.size());
  const std::size_t first_forced = scores.size() - forced;
  Choice tokens;
  tokens.indices.reserve(taken);
  if (forced >= taken) {
    largest(scores, first_forced, scores.size(), taken, tokens);
    return tokens;
  }
  largest(scores, 0, first_forced, taken - forced, tokens);
  for (std::size_t t = first_forced; t < scores.size(); ++t) {
    tokens.indices.push_back(static_cast<std::uint32_t>(t));
  }
  return tokens;
}

Softmax softmax(std::span<const float> logits, float scale) {
  const float top = std::ranges::max(logits);
  Softmax result;
  result.weights.reserve(logits.size());
  for (const float logit : logits) {
    const float weight = exp2_negative((top - logit) * scale);
    result.weights.push_back(weight);
    result.total += in_units(weight);
  }
  return result;
}

std::vector<float> group_scores(std::span<const Softmax> queries) {
  std::vector<float> scores(queries.front().weights.size());
  for (const Softmax& query : queries) {
    const float reciprocal = 1.0F / rounded_total(query.total);
    for (std::size_t t = 0; t < scores.size(); ++t) {
      const float share = query.weights[t] * reciprocal;
      scores[t] += share;
    }
  }
  return scores;
}

Mass mass_of(const Softmax& softmax, std::span<const std::uint32_t> tokens) {
  std::uint64_t chosen = 0;
  for (const std::uint32_t t : tokens) chosen += in_units(softmax.weights[t]);
  const float total = rounded_total(softmax.total);
  return {.chosen = rounded_total(chosen) / total,
          .others = rounded_total(softmax.total - chosen) / total};
}

void add_values(std::span<const Half> row, std::span<std::int64_t> sums) {
  for (std::size_t c = 0; c < row.size(); ++c) {
    const bool lost = non_finite_half(row[c]) || sum_lost(sums[c]);
    sums[c] += static_cast<std::int64_t>(half_value(row[c]) * 0x1p24F);
    if (lost) sums[c] = (sums[c] & kTermMask) | kLostSum;
  }
}

void attend(const Softmax& softmax, Rows values, const Mass& mass, const ValueMean& mean,
            std::span<Half> out) {
  const std::size_t width = out.size();
  std::vector<float> partial(kPartialSums * width);
  for (std::size_t i = 0; i < softmax.weights.size(); ++i) {
    const float weight = softmax.weights[i];
    float* sum = partial.data() + i % kPartialSums * width;
    const Half* row = values[i];
    for (std::size_t c = 0; c < width; ++c) {
      const float product = weight * half_value(row[c]);
      sum[c] += product;
    }
  }
  const float gain = mass.chosen / rounded_total(softmax.total);
  for (std::size_t c = 0; c < width; ++c) {
    const auto part = [&](std::size_t i) { return partial[i * width + c]; };
    const float sum =
        ((part(0) + part(1)) + (part(2) + part(3))) + ((part(4) + part(5)) + (part(6) + part(7)));
    const float value =
        mass.others == 0 ? 0.0F : static_cast<float>(mean.sums[c]) * kValueUnit * mean.reciprocal;
    const float rest = mass.others * value;
    const float scaled = sum * gain;
    out[c] = to_half(scaled + rest);
  }
}

}  // namespace neardata::unit
