// SPDX-License-Identifier: Apache-2.0
//
// Cycle model of `sparf_page_issue` and `sparf_ring_allocator`: items for one page ring are
// accepted, get lines of the ring, are requested and arrive; jobs go on in order. It works from
// item to item: each time is known once those that it depends on are.
#pragma once

#include <deque>
#include <vector>

#include "unit/sparf/sparf_layout.h"

namespace neardata::unit {

class SparfRing {
 public:
  SparfRing(std::uint32_t lines, std::uint32_t pages);

  /// The item is offered from `since` on, after the one before it was accepted and granted: when it
  /// is accepted.
  SparfTime accept(const SparfItem& item, SparfTime since);
  /// An item is accepted and not granted yet.
  [[nodiscard]] bool has_item() const { return has_item_; }
  [[nodiscard]] const SparfItem& item() const { return item_; }
  /// From when on the item is requested; kSparfNever while the ring has no free space for it.
  [[nodiscard]] SparfTime requests() const { return requests_; }
  /// Its number: of a page its tag in this ring.
  [[nodiscard]] std::uint32_t number() const { return number_; }
  /// The request is granted.
  void grant(SparfTime now);

  /// The last line of page `number` is written in a slot at `slot`.
  void arrive(std::uint32_t number, SparfTime slot);

  /// The oldest job that the kernel has not accepted, and the cycle from which it is offered;
  /// kSparfNever while a part of it is missing.
  [[nodiscard]] SparfTime job_since() const { return job_since_; }
  [[nodiscard]] const SparfJob& job() const { return jobs_.front().job; }
  void job_taken(SparfTime now);
  /// The kernel releases the lines of the oldest job that it has accepted.
  void job_done(SparfTime now);

 private:
  struct Job {
    SparfJob job;
    std::uint64_t end_page = 0;
    SparfTime written = 0;
  };
  /// Lines and pages reserved so far when a job ended.
  struct End {
    std::uint64_t line = 0;
    std::uint64_t page = 0;
  };
  struct Free {
    End end;
    SparfTime since = 0;
  };

  void reserve();
  void offer_job();

  std::uint64_t ring_lines_;
  std::uint64_t most_pages_;
  SparfTime idle_since_ = 0;
  bool has_item_ = false;
  SparfTime accepted_ = 0;
  SparfItem item_;
  SparfTime requests_ = kSparfNever;
  std::uint32_t number_ = 0;

  std::uint64_t line_ = 0;  ///< reserved so far
  std::uint64_t page_ = 0;
  End freed_;
  SparfTime room_since_ = 0;  ///< from then on freed_ counts as free space
  std::deque<Free> frees_;    ///< not needed yet

  std::vector<SparfTime> arrived_;  ///< by number; kSparfNever until it is known
  std::vector<SparfTime> present_;  ///< by number: all pages up to it have arrived
  std::uint64_t present_page_ = 0;
  SparfTime last_present_ = 0;

  std::deque<Job> jobs_;
  std::deque<End> ends_;
  SparfTime last_taken_ = -1;
  SparfTime job_since_ = kSparfNever;
};

}  // namespace neardata::unit
