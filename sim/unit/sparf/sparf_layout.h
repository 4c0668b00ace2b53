// SPDX-License-Identifier: Apache-2.0
//
// The state and the fetches of a head in the fronts of the attention engine: the records
// `context_t`, `page_t`, `job_t` and `item_t` of sparf_pkg. Times are cycles of the engine, 0 the
// first one after reset; "since" is the first cycle in which a register has a value.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "unit/sparf/sparf_task.h"
#include "unit/sparf/sparf_unit.h"

namespace neardata::unit {

using SparfTime = std::int64_t;
inline constexpr SparfTime kSparfNever = std::numeric_limits<SparfTime>::max() / 4;

inline constexpr std::uint32_t kBeatsPerLine = 8;
inline constexpr std::uint32_t kValuesPerBeat = 4;
inline constexpr std::uint32_t kValuesPerLine = 32;
inline constexpr std::uint32_t kSelectionTokens = 8;  ///< of a beat of selections

/// Lines of controller DRAM of the sums of a head's values; `width` is 8 at least.
constexpr std::uint32_t sum_lines(std::uint32_t width) {
  return static_cast<std::uint32_t>(width / kSumsPerLine);
}

/// Chosen dimensions among those of one embedding-order page.
struct SparfDimGroup {
  std::uint32_t group = 0;
  std::uint32_t mask = 0;
};

/// The front's record of a head.
struct SparfContext {
  SparfTask task;
  bool dense = false;
  std::uint32_t take = 0;             ///< min(k, S)
  std::uint32_t sel_beats = 0;        ///< of selections, at most
  std::uint32_t log_dims = 0;         ///< of dimensions in an embedding-order page
  std::uint32_t log_rows = 0;         ///< of tokens in a token-order page
  std::uint32_t log_block = 0;        ///< of tokens in an embedding-order page
  std::vector<SparfDimGroup> groups;  ///< with a chosen dimension, ascending
};

/// Rows of a page, at most 128.
class SparfRows {
 public:
  SparfRows() = default;
  /// The rows from `first` on that `bits` names.
  SparfRows(std::uint32_t bits, std::uint32_t first) { add(bits, first); }
  [[nodiscard]] static SparfRows all(std::uint32_t rows) {
    SparfRows mask;
    for (std::uint32_t at = 0; at < rows; at += kPart) {
      mask.add(static_cast<std::uint32_t>((std::uint64_t{1} << std::min(kPart, rows - at)) - 1),
               at);
    }
    return mask;
  }

  void add(std::uint32_t bits, std::uint32_t first) {
    words_[first / kWord] |= std::uint64_t{bits} << first % kWord;
  }
  void drop_first() { words_[words_[0] == 0 ? 1 : 0] &= words_[words_[0] == 0 ? 1 : 0] - 1; }
  [[nodiscard]] bool empty() const { return (words_[0] | words_[1]) == 0; }
  [[nodiscard]] bool has(std::uint32_t row) const {
    return (words_[row / kWord] >> row % kWord & 1U) != 0;
  }
  [[nodiscard]] std::uint32_t first() const {
    return static_cast<std::uint32_t>(words_[0] != 0 ? std::countr_zero(words_[0])
                                                     : 64 + std::countr_zero(words_[1]));
  }
  [[nodiscard]] std::uint32_t last() const {
    return static_cast<std::uint32_t>(words_[1] != 0 ? 127 - std::countl_zero(words_[1])
                                                     : 63 - std::countl_zero(words_[0]));
  }
  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>(std::popcount(words_[0]) + std::popcount(words_[1]));
  }

 private:
  static constexpr std::uint32_t kWord = 64;
  static constexpr std::uint32_t kPart = 32;
  std::array<std::uint64_t, 2> words_{};
};

/// How a page crosses its channel's filter: rows of `row_beats` beats; of `rows` the first
/// `used_beats` pass.
struct SparfPageLayout {
  bool split = false;      ///< each row begins a line
  std::uint32_t base = 0;  ///< first line in the ring
  std::int64_t beats = 1;
  std::uint32_t row_beats = 1;
  std::uint32_t used_beats = 1;
  SparfRows rows;

  [[nodiscard]] std::uint32_t kept() const { return rows.count() * used_beats; }
};

struct SparfJob {
  bool column = false;
  bool second = false;
  bool last = false;  ///< of this step of this head
  std::uint32_t slot = 0;
  std::uint32_t count = 0;  ///< tokens
};

/// A page to read, or lines of DRAM, for a ring. It begins and ends a job or is a part of one.
struct SparfItem {
  bool flash = false;
  bool ends = false;
  PageKind kind = PageKind::kTokenKeys;
  std::uint32_t index = 0;  ///< of the page; of DRAM the first token
  std::uint32_t line = 0;
  std::uint32_t lines = 0;  ///< of the ring
  SparfPageLayout page;
  SparfJob job;
};

}  // namespace neardata::unit
