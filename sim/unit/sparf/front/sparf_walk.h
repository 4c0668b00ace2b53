// SPDX-License-Identifier: Apache-2.0
//
// Cycle models of `sparf_dim_walker` and `sparf_token_walker`: the items of a head's step, and the
// first cycle of each offer as a function of the acceptance of the previous item.
#pragma once

#include <deque>
#include <optional>

#include "unit/sparf/sparf_layout.h"

namespace neardata::unit {

/// A beat of selections from the kernel, and the cycle from which it can be read.
struct SparfSelection {
  std::uint32_t beat = 0;
  std::uint32_t mask = 0;
  SparfTime since = 0;
};

/// State of a walker: it offers an item from cycle `since` on; it is idle from `since` on; or it
/// waits for a selection.
enum class SparfWalk : std::uint8_t { kItem, kIdle, kWaits };

class SparfDimWalker {
 public:
  explicit SparfDimWalker(std::uint32_t width) : width_(width) {}

  /// The walker's first block begins at `begin`; the head must have a dimension and a token of
  /// flash.
  void start(SparfTime begin, const SparfContext& head, std::uint32_t slot);
  /// The item was accepted at `now`.
  SparfWalk accepted(SparfTime now);

  [[nodiscard]] SparfTime since() const { return since_; }
  [[nodiscard]] const SparfItem& item() const { return item_; }

 private:
  void block(SparfTime begin);
  void offer();

  std::uint32_t width_;
  const SparfContext* head_ = nullptr;
  std::uint32_t token_ = 0;  ///< first of the block
  std::uint32_t used_ = 0;   ///< tokens of the block
  std::uint32_t block_index_ = 0;
  std::size_t group_ = 0;  ///< place in the head's groups
  SparfTime since_ = 0;
  SparfItem item_;
};

class SparfTokenWalker {
 public:
  /// Parameters of a head for a walk.
  struct Walk {
    std::uint32_t slot = 0;
    bool select = false;
    bool second = false;
    std::uint32_t first = 0;
    std::uint32_t flash_end = 0;
    std::uint32_t end = 0;
    std::uint32_t take = 0;
    std::uint32_t log_rows = 0;
    std::uint32_t dram_line = 0;  ///< of token `dram_first`
    std::uint32_t dram_first = 0;
  };

  /// `kind` is that of the pages. Selections outlive the walker, which removes them from the front.
  SparfTokenWalker(std::uint32_t width, PageKind kind, std::deque<SparfSelection>& selections);

  /// The walker is in its first state from `begin` on.
  SparfWalk start(SparfTime begin, const Walk& walk);
  SparfWalk accepted(SparfTime now);
  /// Continues if it waited for a selection and one is available.
  SparfWalk resume();

  [[nodiscard]] SparfTime since() const { return since_; }
  [[nodiscard]] const SparfItem& item() const { return item_; }

 private:
  enum class State : std::uint8_t { kFetch, kSplit, kPiece, kPage, kRow, kRowItem };

  SparfWalk range(SparfTime since);
  SparfWalk select();
  void split();
  /// The next state after a cycle in kPiece; nothing when the walk ends.
  [[nodiscard]] std::optional<State> piece();
  void offer_page();
  void offer_row();
  [[nodiscard]] std::uint32_t ring_lines(std::uint32_t rows) const;

  std::uint32_t width_;
  std::uint32_t chunk_rows_;  ///< of DRAM in an item
  std::uint32_t log_row_lines_;
  PageKind kind_;
  std::deque<SparfSelection>& selections_;
  Walk walk_;
  State state_ = State::kFetch;
  SparfTime since_ = 0;
  std::uint32_t token_ = 0;
  std::uint32_t left_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t offset_ = 0;
  std::uint32_t group_ = 0;
  SparfRows rows_;
  bool open_ = false;
  std::uint32_t beat_ = 0;
  std::uint32_t piece_ = 0;
  std::uint32_t below_ = 0;
  SparfItem item_;
};

}  // namespace neardata::unit
