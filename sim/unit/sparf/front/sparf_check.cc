// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/front/sparf_check.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "unit/sparf/sparf_layout.h"

namespace neardata::unit {

namespace {

constexpr std::uint64_t kMostField = 0xFFFF;
constexpr std::uint64_t kFarLines = 0xFFF00000;
constexpr std::uint64_t kMostDimsPerPage = 8;
constexpr std::uint64_t kMostPageBytes = 16384;
constexpr std::uint64_t kBytesPerValue = 2;

std::uint64_t up(std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step; }

bool positive(float value) { return std::isnormal(value) && value > 0; }

bool page_fits(const SparfParameters& unit, std::uint64_t bytes) {
  const std::uint64_t row = kBytesPerValue * unit.width;
  const std::uint64_t ring = std::uint64_t{unit.ring_lines} * kLineBytes;
  return std::has_single_bit(bytes) && bytes >= std::max<std::uint64_t>(row, kLineBytes) &&
         bytes <= std::min({kMostPageBytes, row * unit.max_page_rows, ring});
}

/// The selected dimensions of a block of tokens are in a ring at the same time, each in separate
/// lines, and their pages are in flight at the same time.
bool block_fits(const SparfParameters& unit, const SparfTask& task) {
  const std::uint64_t block = task.page_bytes / (kBytesPerValue * task.dims_per_page);
  const std::uint64_t tokens = std::min<std::uint64_t>(task.dim_flash, block);
  const std::uint64_t pages = std::min(task.r, unit.width / task.dims_per_page);
  return task.r * up(tokens, kValuesPerLine) <= unit.ring_lines &&
         (tokens == 0 || pages <= unit.tags);
}

bool tokens_fit(const SparfParameters& unit, const SparfTask& task) {
  if (task.operation == SparfOperation::kAppend) return task.tokens < kMostField;
  const std::uint64_t whole = up(task.tokens, kSelectionTokens) * kSelectionTokens;
  return task.tokens >= 1 && task.tokens <= kMostField &&
         unit.keys(whole, task.group) <= unit.max_keys;
}

}  // namespace

SparfField broken_field(const SparfParameters& unit, const SparfTask& task) {
  const bool append = task.operation == SparfOperation::kAppend;
  const bool sparse = task.operation == SparfOperation::kSparse;
  const bool head = sparse || task.operation == SparfOperation::kDense;
  const bool means = task.mean && (sparse || append);
  const auto among = [](std::uint64_t value, std::uint64_t least, std::uint64_t most) {
    return value >= least && value <= most;
  };
  const auto near = [](std::uint32_t line) { return line < kFarLines; };
  if (!append && !head) return SparfField::kOperation;
  if (head && !among(task.group, 1, unit.max_group)) return SparfField::kGroup;
  if (!among(task.dims_per_page, 1, kMostDimsPerPage)) return SparfField::kDimsPerPage;
  if (task.unused != 0) return SparfField::kMode;
  if (!tokens_fit(unit, task)) return SparfField::kTokens;
  if (sparse && !among(task.k, 1, kMostField)) return SparfField::kTake;
  if (sparse && task.window > kMostField) return SparfField::kWindow;
  const bool page = page_fits(unit, task.page_bytes);
  const bool dim_flash = task.dim_flash <= std::min<std::uint64_t>(task.token_flash, kMostField);
  if (head && !among(task.r, 1, unit.width)) return SparfField::kDims;
  if (sparse && page && dim_flash && !block_fits(unit, task)) return SparfField::kDims;
  if (!dim_flash) return SparfField::kDimFlash;
  if (task.token_flash > std::min<std::uint64_t>(task.tokens, kMostField)) {
    return SparfField::kTokenFlash;
  }
  if (!near(task.q_line)) return SparfField::kQLine;
  if (means && !near(task.sum_line)) return SparfField::kSumLine;
  if (!near(task.k_line)) return SparfField::kKLine;
  if (!near(task.v_line)) return SparfField::kVLine;
  if (head && !near(task.out_line)) return SparfField::kOutLine;
  if (head && !positive(task.scale)) return SparfField::kScale;
  if (sparse && means && !positive(task.reciprocal)) return SparfField::kReciprocal;
  if (!page) return SparfField::kPageBytes;
  return SparfField::kNone;
}

}  // namespace neardata::unit
