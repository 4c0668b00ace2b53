// SPDX-License-Identifier: Apache-2.0
//
// The number of digits that the selections of a head examine in `sparf_kernel`: from the values of
// the engine's model, which depend only on the head's data, not on outputs of the kernel.
#pragma once

#include <span>
#include <vector>

#include "testbench/sparf_kernel_head.h"
#include "testbench/sparf_kernel_trace.h"
#include "unit/sparf/values/sparf_head.h"

namespace neardata::bench {

/// Keys are in token order here; the order of their arrival does not change a logit.
inline ChoiceDigits digits_of(const Head& head) {
  const HeadFields& f = head.fields;
  if (f.dense != 0) return {};
  unit::SparfTask task;
  task.operation = unit::SparfOperation::kSparse;
  task.group = f.group;
  task.tokens = f.tokens;
  task.r = f.dims;
  task.k = f.take;
  task.window = f.window;
  task.scale = std::bit_cast<float>(f.scale);
  unit::SparfHead values(task, kWidth);
  std::vector<unit::Half> queries;
  for (std::uint32_t g = 0; g < f.group; ++g) {
    const std::span<const std::uint16_t> query = head.query(g);
    queries.insert(queries.end(), query.begin(), query.end());
  }
  values.load_queries(std::move(queries));
  values.choose_dims();
  for (std::uint32_t t = 0; t < f.tokens; ++t) values.keep_rank_row(t, head.key(t));
  values.choose_tokens();
  return {values.dim_digits(), values.token_digits()};
}

}  // namespace neardata::bench
