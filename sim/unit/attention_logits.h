// SPDX-License-Identifier: Apache-2.0
//
// Logits of the attention engine, bit for bit: the exact products of a row are aligned to the
// largest sum of exponents with 22 bits below the smallest place of that product, cut, added as
// integers and rounded to binary32 once. Zeros do not count for the largest exponent. The order of
// the dimensions has no influence.
#pragma once

#include <cstddef>
#include <span>

#include "unit/attention_numbers.h"

namespace neardata::unit {

/// Keys by dimension: dimension i of the query meets `columns[i * stride + t]` of token t.
void column_logits(std::span<const Half> query, const Half* columns, std::size_t stride,
                   std::span<float> logits);

/// Keys by token: a row each.
void row_logits(std::span<const Half> query, Rows rows, std::span<float> logits);

}  // namespace neardata::unit
