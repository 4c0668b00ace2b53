// SPDX-License-Identifier: Apache-2.0
//
// Logits of the attention engine, bit for bit: the exact products of a row are aligned to the
// largest sum of exponents with 22 bits below the smallest place of that product, cut, added as
// integers and rounded to binary32 once. Zeros do not count for the largest exponent. The order of
// the dimensions has no influence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "unit/sparf/values/attention_numbers.h"

namespace neardata::unit {

/// Keys by dimension: dimension i of the query is multiplied by `columns[i * stride + t]` of token
/// t.
void column_logits(std::span<const Half> query, const Half* columns, std::size_t stride,
                   std::span<float> logits);

/// A query for keys by token, which are rows of the query's length.
class RowQuery {
 public:
  explicit RowQuery(std::span<const Half> query);

  [[nodiscard]] float logit(const Half* row) const;

 private:
  [[nodiscard]] std::int16_t largest_exponent(const Half* row) const;
  [[nodiscard]] double sum_of_cuts(const Half* row, float scale) const;

  std::vector<std::int16_t> exponents_;
  std::vector<float> values_;
};

}  // namespace neardata::unit
