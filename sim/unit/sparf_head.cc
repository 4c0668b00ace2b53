// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf_head.h"

#include <algorithm>
#include <numeric>

#include "unit/attention_logits.h"

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

void SparfHead::load(std::vector<Half> queries, ValueSums sums) {
  queries_ = std::move(queries);
  sums_ = std::move(sums);
  sums_.resize(width_);
}

const Indices& SparfHead::choose_dims() {
  dims_ = unit::choose_dims(queries_, width_, task_.r);
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

Softmax SparfHead::rank(std::span<const Half> query, bool ranked_alone) {
  std::vector<Half> chosen;
  std::vector<Half> masked(width_);
  for (const std::uint32_t c : dims_) chosen.push_back(masked[c] = query[c]);
  std::vector<float> logits(task_.tokens);
  const std::span all(logits);
  column_logits(chosen, columns_.data(), task_.dim_flash, all.first(task_.dim_flash));
  std::vector<const Half*> tail;
  for (std::uint32_t t = task_.dim_flash; t < task_.tokens; ++t) tail.push_back(tail_row(t));
  row_logits(masked, tail, all.subspan(task_.dim_flash));
  Softmax weights = softmax(logits, scale_ratio(query, dims_) * task_.scale);
  if (ranked_alone) logits_ = std::move(logits);
  return weights;
}

const Indices& SparfHead::choose_tokens() {
  if (dense()) {
    tokens_ = range(0, task_.tokens);
    mass_.assign(task_.group, Mass{});
  } else {
    std::vector<Softmax> queries;
    for (std::size_t g = 0; g < task_.group; ++g)
      queries.push_back(rank(query(g), task_.group == 1));
    const std::vector<float> scores = task_.group == 1 ? std::move(logits_) : group_scores(queries);
    tokens_ = unit::choose_tokens(scores, task_.k, task_.window);
    for (const Softmax& weights : queries) mass_.push_back(mass_of(weights, tokens_));
  }
  keys_.assign(tokens_.size(), zeros_.data());
  values_.assign(tokens_.size(), zeros_.data());
  return tokens_;
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
  std::vector<const Half*>& rows = page.kind == PageKind::kTokenKeys ? keys_ : values_;
  std::uint64_t count = 0;
  for (auto it = std::ranges::lower_bound(tokens_, first); it != tokens_.end() && *it < end; ++it) {
    rows[static_cast<std::size_t>(it - tokens_.begin())] =
        values + std::size_t{*it - first} * width_;
    count += width_;
  }
  return count;
}

void SparfHead::keep_rank_row(std::uint32_t token, std::span<const Half> keys) {
  std::ranges::copy(keys, tail_row(token));
}

void SparfHead::keep_attend_row(PageKind kind, std::uint32_t token, std::span<const Half> row) {
  const auto at =
      static_cast<std::size_t>(std::ranges::lower_bound(tokens_, token) - tokens_.begin());
  own_rows_.emplace_back(row.begin(), row.end());
  (kind == PageKind::kTokenKeys ? keys_ : values_)[at] = own_rows_.back().data();
}

std::vector<Half> SparfHead::output() const {
  std::vector<Half> out(std::size_t{task_.group} * width_);
  std::vector<float> logits(tokens_.size());
  for (std::size_t g = 0; g < task_.group; ++g) {
    row_logits(query(g), keys_, logits);
    // Without the mean the chosen tokens stand for all, as in dense attention.
    const Mass mass = task_.mean ? mass_[g] : Mass{};
    attend(softmax(logits, task_.scale), values_, mass, sums_, task_.reciprocal,
           std::span(out).subspan(g * width_, width_));
  }
  return out;
}

}  // namespace neardata::unit
