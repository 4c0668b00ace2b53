// SPDX-License-Identifier: Apache-2.0
//
// What the attention engine computes between logits and output, bit for bit: selections, softmax
// weights, weighted sums, blend. Sums of weights are integers in units of 2^-36, sums of values in
// units of 2^-24; every other operation is rounded to binary32. Selections are ascending; ties go
// to the lower index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "unit/sparf/values/attention_numbers.h"

namespace neardata::unit {

using Indices = std::vector<std::uint32_t>;

/// log2(e) / sqrt(width), rounded.
float logit_scale(std::uint32_t width);

/// The choice, and the number of 4-bit digits, most significant first, that distinguish the
/// smallest chosen key from the largest other key; all digits if these are equal, none if no digit
/// can differ. `sparf_argtopk` examines this number of digits.
struct Choice {
  Indices indices;
  std::uint32_t digits = 0;
};

/// The r dimensions with the largest sum of |q| over the queries (rows of `width` values).
Choice choose_dims(std::span<const Half> queries, std::size_t width, std::size_t r);

/// sqrt(|q|_1 / |q over dims|_1); 1 when nothing is left of q.
float scale_ratio(std::span<const Half> query, std::span<const std::uint32_t> dims);

/// The k tokens with the largest scores, the last `window` ahead of all others.
Choice choose_tokens(std::span<const float> scores, std::size_t k, std::size_t window);

struct Softmax {
  std::vector<float> weights;  ///< 2^-((largest - logit) scale)
  std::uint64_t total = 0;     ///< in units of 2^-36, each weight cut to it
};

Softmax softmax(std::span<const float> logits, float scale);

/// The scores by which a group ranks its tokens: the sum over queries of weight divided by the
/// query's total.
std::vector<float> group_scores(std::span<const Softmax> queries);

/// The approximate weight of the chosen tokens and of the others, both over the total.
struct Mass {
  float chosen = 1;
  float others = 0;
};

Mass mass_of(const Softmax& softmax, std::span<const std::uint32_t> tokens);

/// Sums of values of one head, in units of 2^-24: exact. The upper two bits of a sum with an
/// infinity or a NaN differ, and do so for ever.
using ValueSums = std::vector<std::int64_t>;

inline bool sum_lost(std::int64_t sum) { return (sum >> 62 & 1) != (sum >> 63 & 1); }

/// Adds one row.
void add_values(std::span<const Half> row, std::span<std::int64_t> sums);

/// The mean of the values of a head.
struct ValueMean {
  std::span<const std::int64_t> sums;
  float reciprocal = 0;  ///< of the number of values
};

/// One row of output: `softmax` over the rows of values (as many as weights), and the mean.
void attend(const Softmax& softmax, Rows values, const Mass& mass, const ValueMean& mean,
            std::span<Half> out);

}  // namespace neardata::unit
