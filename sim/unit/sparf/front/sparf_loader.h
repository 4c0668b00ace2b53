// SPDX-License-Identifier: Apache-2.0
//
// Cycle model of `sparf_head_loader` and of a front's slots: a descriptor occupies a slot, is
// checked, and is refused or passed to the kernel; then its lines are fetched. One descriptor at a
// time.
#pragma once

#include <vector>

#include "unit/sparf/sparf_layout.h"

namespace neardata::unit {

class SparfLoader {
 public:
  explicit SparfLoader(const SparfParameters& parameters);

  /// First cycle in which it can accept a descriptor; kSparfNever while it is busy or no slot is
  /// free.
  [[nodiscard]] SparfTime takes_from() const;
  void take(SparfTime now, const SparfTask& task);

  /// The cycle in which the slot is reserved.
  [[nodiscard]] SparfTime fits_at() const { return fits_at_; }
  void fit();

  [[nodiscard]] SparfTime head_since() const { return head_since_; }
  [[nodiscard]] SparfTime refuse_since() const { return refuse_since_; }
  [[nodiscard]] std::uint32_t slot() const { return slot_; }
  void head_taken(SparfTime now);
  void refused(SparfTime now);
  /// Of the descriptor at work: the field that breaks a rule.
  [[nodiscard]] SparfField field() const { return field_; }
  /// From when on the sums of the head at work are read; kSparfNever before.
  [[nodiscard]] SparfTime idle_since() const { return idle_since_; }

  // The run of lines that it fetches, and how many of them the kernel has consumed.
  [[nodiscard]] SparfTime read_since() const { return read_since_; }
  [[nodiscard]] std::uint32_t read_line() const {
    return rows_read_ ? context().task.sum_line : context().task.q_line;
  }
  [[nodiscard]] std::uint32_t read_lines() const { return rows_read_ ? sum_lines_ : rows(); }
  void read_taken(SparfTime now);
  void line_taken(SparfTime now);
  /// Lines of queries, before sums.
  [[nodiscard]] std::uint32_t rows() const { return context().task.group * row_lines_; }
  [[nodiscard]] std::uint32_t lines_left() const { return lines_left_; }

  [[nodiscard]] SparfContext& context(std::uint32_t slot) { return slots_[slot].context; }
  [[nodiscard]] const SparfContext& context(std::uint32_t slot) const {
    return slots_[slot].context;
  }
  [[nodiscard]] const SparfContext& context() const { return slots_[slot_].context; }
  void free(std::uint32_t slot, SparfTime now);
  /// Occupied slots.
  [[nodiscard]] std::uint32_t heads() const { return heads_; }

 private:
  struct ContextSlot {
    SparfContext context;
    bool used = false;
    SparfTime free_since = 0;
    SparfTime ready_since = 0;  ///< a descriptor can be accepted for it
  };

  [[nodiscard]] bool wants_sums() const { return !context().dense && context().task.mean; }

  SparfParameters parameters_;
  std::uint32_t row_lines_;
  std::uint32_t sum_lines_;
  std::vector<ContextSlot> slots_;
  std::uint32_t heads_ = 0;
  std::uint32_t slot_ = 0;
  SparfTime idle_since_ = 0;
  SparfField field_ = SparfField::kNone;
  SparfTime fits_at_ = kSparfNever;
  SparfTime head_since_ = kSparfNever;
  SparfTime refuse_since_ = kSparfNever;
  SparfTime read_since_ = kSparfNever;
  bool rows_read_ = false;
  std::uint32_t lines_left_ = 0;
};

}  // namespace neardata::unit
