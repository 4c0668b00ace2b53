// SPDX-License-Identifier: Apache-2.0
//
// Cycle model of `sparf_append_unit`, with its values: copies a token's rows of K and V from the
// host's lines to the head's, updates the sums of V, and requests programs of full pages.
#pragma once

#include <cstddef>
#include <vector>

#include "unit/sparf/sparf_layout.h"
#include "unit/sparf/values/sparf_head.h"

namespace neardata::unit {

class SparfAppend {
 public:
  explicit SparfAppend(const SparfParameters& parameters)
      : parameters_(parameters),
        row_lines_(row_lines(parameters.width)),
        sum_lines_(sum_lines(parameters.width)) {}

  [[nodiscard]] SparfTime idle_since() const { return idle_since_; }
  void take(SparfTime now, const SparfTask& task);
  [[nodiscard]] const SparfTask& task() const { return task_; }

  // The run of lines that it reads, and the time of its request.
  [[nodiscard]] SparfTime read_since() const { return read_since_; }
  [[nodiscard]] std::uint32_t read_line() const {
    return rows_read_ ? task_.sum_line : task_.q_line;
  }
  [[nodiscard]] std::uint32_t read_lines() const {
    return rows_read_ ? sum_lines_ : 2 * row_lines_;
  }
  void read_taken(SparfTime now);
  [[nodiscard]] SparfTime line_ready() const { return take_since_; }
  void line(SparfTime now, const DramLine& line);

  // The line that it writes.
  [[nodiscard]] SparfTime write_since() const { return write_since_; }
  [[nodiscard]] const DramWrite& write() const { return write_; }
  void written(SparfTime now);

  // The page that is to be written.
  [[nodiscard]] SparfTime page_since() const { return page_since_; }
  [[nodiscard]] const HeadPage& page() const { return pages_[next_page_]; }
  void page_taken(SparfTime now);

  [[nodiscard]] SparfTime done_since() const { return done_since_; }
  [[nodiscard]] SparfDone done() const {
    return {.tag = task_.tag,
            .refused = field_ != SparfField::kNone,
            .non_finite = non_finite_,
            .field = field_};
  }
  void done_taken(SparfTime now);

 private:
  void add(std::uint32_t sum_line, DramLine& sums) const;

  SparfParameters parameters_;
  std::uint32_t row_lines_;
  std::uint32_t sum_lines_;
  SparfTask task_;
  SparfField field_ = SparfField::kNone;  ///< that breaks a rule
  bool non_finite_ = false;
  SparfTime idle_since_ = 0;
  SparfTime read_since_ = kSparfNever;
  SparfTime take_since_ = kSparfNever;
  SparfTime write_since_ = kSparfNever;
  SparfTime page_since_ = kSparfNever;
  SparfTime done_since_ = kSparfNever;
  bool rows_read_ = false;
  std::uint32_t place_ = 0;  ///< line among those read
  std::vector<std::byte> values_;
  DramWrite write_;
  std::vector<HeadPage> pages_;
  std::size_t next_page_ = 0;
};

}  // namespace neardata::unit
