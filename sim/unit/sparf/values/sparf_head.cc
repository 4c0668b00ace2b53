// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/values/sparf_head.h"

#include <algorithm>
#include <numeric>

namespace neardata::unit {

namespace {

/// Numbers of the groups of `size` that ascending indices below `end` touch.
Indices groups_of(std::span<const std::uint32_t> indices, std::uint32_t size, std::uint32_t end) {
  Indices groups;
  for (const std::uint32_t index : indices) {
    if (index >= end) break;
    if (groups.empty() || groups.back() != index / size) groups.push_back(index / size);
  }
  return groups;
}

Indices range(std::uint32_t from, std::uint32_t to) {
  Indices indices(to - from);
  std::iota(indices.begin(), indices.end(), from);
  return indices;
}

}  // namespace

std::vector<HeadPage> full_pages(const SparfTask& append, std::uint32_t width) {
  const std::uint32_t n = append.page_bytes / (2 * width);
  const std::uint32_t block = append.tokens_per_dim_page();
  const std::uint32_t groups = (width + append.dims_per_page - 1) / append.dims_per_page;
  std::vector<HeadPage> pages;
  if ((append.tokens + 1) % n == 0) {
    pages.push_back({PageKind::kTokenKeys, append.tokens / n});
    pages.push_back({PageKind::kTokenValues, append.tokens / n});
  }
  for (std::uint32_t g = 0; g < groups && (append.tokens + 1) % block == 0; ++g) {
    pages.push_back({PageKind::kDimKeys, append.tokens / block * groups + g});
  }
  return pages;
}

void SparfHead::load_queries(std::vector<Half> queries) {
  queries_ = std::move(queries);
  non_finite_ = non_finite_ || any_non_finite(queries_);
  for (std::size_t g = 0; g < task_.group; ++g) row_queries_.emplace_back(query(g));
  if (dense()) return;
  Choice chosen = unit::choose_dims(queries_, width_, task_.r);
  dims_ = std::move(chosen.indices);
  dim_digits_ = chosen.digits;
}

void SparfHead::load_sums(ValueSums sums) {
  sums_ = std::move(sums);
  sums_.resize(width_);
  non_finite_ = non_finite_ || std::ranges::any_of(sums_, sum_lost);
}

const Indices& SparfHead::choose_dims() {
  columns_.resize(dims_.size() * task_.dim_flash);
  tail_keys_.resize(std::size_t{task_.tokens - task_.dim_flash} * width_);
  return dims_;
}

std::vector<HeadPage> SparfHead::rank_pages() const {
  const std::uint32_t block = task_.tokens_per_dim_page();
  const std::uint32_t blocks = (task_.dim_flash + block - 1) / block;
  const std::uint32_t groups = (width_ + task_.dims_per_page - 1) / task_.dims_per_page;
  const Indices touched = groups_of(dims_, task_.dims_per_page, width_);
  std::vector<HeadPage> pages;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    for (const std::uint32_t g : touched) pages.push_back({PageKind::kDimKeys, b * groups + g});
  }
  return pages;
}

Indices SparfHead::rank_rows() const { return range(task_.dim_flash, task_.tokens); }

std::vector<float> SparfHead::rank_logits(std::span<const Half> query) {
  std::vector<Half> chosen;
  std::vector<Half> masked(width_);
  for (const std::uint32_t c : dims_) chosen.push_back(masked[c] = query[c]);
  std::vector<float> logits(task_.tokens);
  column_logits(chosen, columns_.data(), task_.dim_flash, std::span(logits).first(task_.dim_flash));
  const RowQuery tail(masked);
  for (std::uint32_t t = task_.dim_flash; t < task_.tokens; ++t)
    logits[t] = tail.logit(tail_row(t));
  return logits;
}

const Indices& SparfHead::choose_tokens() {
  if (dense()) {
    tokens_ = range(0, task_.tokens);
    mass_.assign(task_.group, Mass{});
  } else {
    non_finite_ = non_finite_ || ranks_non_finite();
    std::vector<float> scores;
    std::vector<Softmax> queries;
    for (std::size_t g = 0; g < task_.group; ++g) {
      scores = rank_logits(query(g));
      queries.push_back(softmax(scores, scale_ratio(query(g), dims_) * task_.scale));
    }
    // The logits of a single query rank as its weights do.
    if (task_.group > 1) scores = group_scores(queries);
    Choice chosen = unit::choose_tokens(scores, task_.k, task_.window);
    tokens_ = std::move(chosen.indices);
    token_digits_ = chosen.digits;
    for (const Softmax& weights : queries) mass_.push_back(mass_of(weights, tokens_));
  }
  logits_.resize(tokens_.size() * task_.group);
  values_.assign(tokens_.size(), zeros_.data());
  return tokens_;
}

/// Whether a key of step 1 is, in the chosen dimensions.
bool SparfHead::ranks_non_finite() const {
  if (any_non_finite(columns_)) return true;
  for (std::size_t row = 0; row < tail_keys_.size(); row += width_) {
    for (const std::uint32_t c : dims_) {
      if (non_finite_half(tail_keys_[row + c])) return true;
    }
  }
  return false;
}

std::uint32_t SparfHead::chosen_mask(std::uint32_t beat) const {
  constexpr std::uint32_t kTokens = 8;
  const std::uint32_t first = beat * kTokens;
  std::uint32_t mask = 0;
  for (auto it = std::ranges::lower_bound(tokens_, first);
       it != tokens_.end() && *it - first < kTokens; ++it) {
    mask |= 1U << (*it - first);
  }
  return mask;
}

std::vector<HeadPage> SparfHead::attend_pages() const {
  std::vector<HeadPage> pages;
  for (const std::uint32_t g :
       groups_of(tokens_, task_.page_bytes / (2 * width_), task_.token_flash)) {
    pages.push_back({PageKind::kTokenKeys, g});
    pages.push_back({PageKind::kTokenValues, g});
  }
  return pages;
}

Indices SparfHead::attend_rows() const {
  return {std::ranges::lower_bound(tokens_, task_.token_flash), tokens_.end()};
}

std::uint64_t SparfHead::keep(const HeadPage& page, const Half* values) {
  return page.kind == PageKind::kDimKeys ? keep_dims(page.index, values)
                                         : keep_tokens(page, values);
}

std::uint64_t SparfHead::keep_dims(std::uint32_t index, const Half* values) {
  const std::uint32_t block = task_.tokens_per_dim_page();
  const std::uint32_t m = task_.dims_per_page;
  const std::uint32_t groups = (width_ + m - 1) / m;
  const std::uint32_t first_dim = index % groups * m;
  const std::uint32_t first_token = index / groups * block;
  const std::uint32_t tokens = std::min(block, task_.dim_flash - first_token);
  std::uint64_t kept = 0;
  for (auto it = std::ranges::lower_bound(dims_, first_dim);
       it != dims_.end() && *it < first_dim + m; ++it) {
    const auto column = static_cast<std::size_t>(it - dims_.begin());
    std::copy_n(values + std::size_t{*it - first_dim} * block, tokens,
                columns_.data() + column * task_.dim_flash + first_token);
    kept += tokens;
  }
  return kept;
}

std::uint64_t SparfHead::keep_tokens(const HeadPage& page, const Half* values) {
  const std::uint32_t n = task_.page_bytes / (2 * width_);
  const std::uint32_t first = page.index * n;
  const std::uint32_t end = std::min(first + n, task_.token_flash);
  std::uint64_t count = 0;
  for (std::size_t i = place_of(first); i < tokens_.size() && tokens_[i] < end; ++i) {
    keep_attend_row(page.kind, i, values + std::size_t{tokens_[i] - first} * width_);
    count += width_;
  }
  return count;
}

void SparfHead::keep_attend_row(PageKind kind, std::size_t place, const Half* row) {
  non_finite_ = non_finite_ || any_non_finite(std::span(row, width_));
  if (kind == PageKind::kTokenValues) {
    values_[place] = row;
    return;
  }
  for (std::size_t g = 0; g < task_.group; ++g) {
    logits_[g * tokens_.size() + place] = row_queries_[g].logit(row);
  }
}

void SparfHead::keep_rank_row(std::uint32_t token, std::span<const Half> keys) {
  std::ranges::copy(keys, tail_row(token));
}

void SparfHead::keep_attend_row(PageKind kind, std::uint32_t token, std::span<const Half> row) {
  const Half* kept = row.data();
  if (kind == PageKind::kTokenValues) {
    own_rows_.emplace_back(row.begin(), row.end());
    kept = own_rows_.back().data();
  }
  keep_attend_row(kind, place_of(token), kept);
}

std::vector<Half> SparfHead::output() const {
  std::vector<Half> out(std::size_t{task_.group} * width_);
  for (std::size_t g = 0; g < task_.group; ++g) {
    const auto logits = std::span(logits_).subspan(g * tokens_.size(), tokens_.size());
    // Without the mean, the chosen tokens represent all tokens, as in dense attention.
    const Mass mass = task_.mean ? mass_[g] : Mass{};
    attend(softmax(logits, task_.scale), values_, mass, {sums_, task_.reciprocal},
           std::span(out).subspan(g * width_, width_));
  }
  return out;
}

}  // namespace neardata::unit
