// SPDX-License-Identifier: Apache-2.0
//
// The values of one attention head in the engine, without times: accepts queries, rows and pages in
// any order within a step, applies the filter, and returns the selections, the next pages and the
// output.
//
//   load_queries(...), load_sums(...)      sums of V, if any
//   choose_dims(), rank_pages(), keep...   step 1; dense attention has none
//   choose_tokens()                        dense attention chooses all
//   attend_pages(), keep..., output()      step 2
//
// Keys of step 2 become logits when they pass the filter. Pages of values are not copied: they must
// stay valid until output(). A row that the filter dropped is zeros.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "unit/sparf/sparf_task.h"
#include "unit/sparf/values/attention_logits.h"
#include "unit/sparf/values/attention_values.h"

namespace neardata::unit {

struct HeadPage {
  PageKind kind = PageKind::kTokenKeys;
  std::uint32_t index = 0;
};

/// Pages that are full after the append of a token, in order of writing.
[[nodiscard]] std::vector<HeadPage> full_pages(const SparfTask& append, std::uint32_t width);

class SparfHead {
 public:
  SparfHead(const SparfTask& task, std::uint32_t width)
      : task_(task), width_(width), sums_(width), zeros_(width) {}
  SparfHead(const SparfHead&) = delete;
  SparfHead& operator=(const SparfHead&) = delete;

  [[nodiscard]] const SparfTask& task() const { return task_; }

  /// Queries one behind another.
  void load_queries(std::vector<Half> queries);
  /// Sums of V, as many as a row has values.
  void load_sums(ValueSums sums);

  /// Digits that the choice of dimensions looks at, known with the queries.
  [[nodiscard]] std::uint32_t dim_digits() const { return dim_digits_; }
  const Indices& choose_dims();
  /// Embedding-order pages of step 1: by block of tokens, by group of dimensions.
  [[nodiscard]] std::vector<HeadPage> rank_pages() const;
  /// Tokens whose keys step 1 reads from DRAM.
  [[nodiscard]] Indices rank_rows() const;

  const Indices& choose_tokens();
  /// Digits that this choice looks at.
  [[nodiscard]] std::uint32_t token_digits() const { return token_digits_; }
  /// Chosen tokens among the eight from `beat` * 8 on, as bits.
  [[nodiscard]] std::uint32_t chosen_mask(std::uint32_t beat) const;
  /// Token-order pages of step 2: by group of tokens, keys before values.
  [[nodiscard]] std::vector<HeadPage> attend_pages() const;
  /// Chosen tokens whose keys and values step 2 reads from DRAM.
  [[nodiscard]] Indices attend_rows() const;

  /// Stores the values of the page that pass the filter. @returns their number
  std::uint64_t keep(const HeadPage& page, const Half* values);
  void keep_rank_row(std::uint32_t token, std::span<const Half> keys);
  void keep_attend_row(PageKind kind, std::uint32_t token, std::span<const Half> row);

  /// Whether a query, a chosen key or a chosen value is infinite or not a number, so far.
  [[nodiscard]] bool non_finite() const { return non_finite_; }

  /// By query.
  [[nodiscard]] const std::vector<Mass>& mass() const { return mass_; }
  /// Rows of output one behind another.
  [[nodiscard]] std::vector<Half> output() const;

 private:
  [[nodiscard]] std::span<const Half> query(std::size_t g) const {
    return std::span(queries_).subspan(g * width_, width_);
  }
  /// Of the keys, token dim_flash or a later one.
  [[nodiscard]] Half* tail_row(std::uint32_t token) {
    return tail_keys_.data() + std::size_t{token - task_.dim_flash} * width_;
  }
  /// Of step 1.
  [[nodiscard]] std::vector<float> rank_logits(std::span<const Half> query);
  [[nodiscard]] bool ranks_non_finite() const;
  /// Where `token`, or the first chosen one behind it, is among the chosen.
  [[nodiscard]] std::size_t place_of(std::uint32_t token) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(tokens_, token) - tokens_.begin());
  }
  [[nodiscard]] bool dense() const { return task_.operation == SparfOperation::kDense; }
  std::uint64_t keep_dims(std::uint32_t index, const Half* values);
  std::uint64_t keep_tokens(const HeadPage& page, const Half* values);
  void keep_attend_row(PageKind kind, std::size_t place, const Half* row);

  SparfTask task_;
  std::uint32_t width_;
  std::vector<Half> queries_;
  std::vector<RowQuery> row_queries_;
  ValueSums sums_;
  Indices dims_;
  Indices tokens_;
  bool non_finite_ = false;
  std::uint32_t dim_digits_ = 0, token_digits_ = 0;
  std::vector<Half> columns_;               ///< by chosen dimension, tokens below dim_flash
  std::vector<Half> zeros_;                 ///< a row
  std::vector<Half> tail_keys_;             ///< rows from token dim_flash on
  std::deque<std::vector<Half>> own_rows_;  ///< of values that no page contains
  std::vector<const Half*> values_;         ///< rows of the chosen tokens
  std::vector<float> logits_;               ///< of the chosen tokens, query by query
  std::vector<Mass> mass_;
};

}  // namespace neardata::unit
