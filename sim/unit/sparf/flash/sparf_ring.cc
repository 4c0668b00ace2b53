// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/flash/sparf_ring.h"

namespace neardata::unit {

namespace {

// A line is chosen in its slot and written a cycle later. The page's mark is valid a cycle after
// that, and is then examined.
constexpr SparfTime kSlotToArrived = 2;
// A job's end is determined, written, read and then compared with the arrived lines.
constexpr SparfTime kGrantToJob = 3;
// The end of lines that the kernel releases is read, freed and counted.
constexpr SparfTime kDoneToFree = 3;

}  // namespace

SparfRing::SparfRing(std::uint32_t lines, std::uint32_t pages)
    : ring_lines_(lines),
      most_pages_(pages),
      arrived_(pages, kSparfNever),
      present_(pages, kSparfNever) {}

SparfTime SparfRing::accept(const SparfItem& item, SparfTime since) {
  has_item_ = true;
  item_ = item;
  accepted_ = std::max(since, idle_since_);
  reserve();
  return accepted_;
}

/// Reserves lines for the item as soon as they are free.
void SparfRing::reserve() {
  const auto room = [&] {
    return line_ + item_.lines - freed_.line <= ring_lines_ && page_ - freed_.page < most_pages_;
  };
  while (!room()) {
    if (frees_.empty()) return;
    freed_ = frees_.front().end;
    room_since_ = frees_.front().since;
    frees_.pop_front();
  }
  requests_ = std::max(accepted_ + 1, room_since_) + 1;
  number_ = static_cast<std::uint32_t>(page_ % most_pages_);
  item_.page.base = static_cast<std::uint32_t>(line_ % ring_lines_);
  line_ += item_.lines;
  ++page_;
}

void SparfRing::grant(SparfTime now) {
  if (item_.ends) {
    jobs_.push_back({item_.job, page_, now});
    ends_.push_back({line_, page_});
    if (jobs_.size() == 1) offer_job();
  }
  has_item_ = false;
  requests_ = kSparfNever;
  idle_since_ = now + 1;
}

void SparfRing::arrive(std::uint32_t number, SparfTime slot) {
  arrived_[number] = slot + kSlotToArrived;
  const std::uint64_t before = present_page_;
  for (std::size_t at = present_page_ % most_pages_; arrived_[at] != kSparfNever;
       at = present_page_ % most_pages_) {
    last_present_ = std::max(last_present_, arrived_[at]) + 1;
    present_[at] = last_present_;
    arrived_[at] = kSparfNever;
    ++present_page_;
  }
  if (present_page_ != before && job_since_ == kSparfNever) offer_job();
}

void SparfRing::offer_job() {
  if (jobs_.empty() || jobs_.front().end_page > present_page_) return;
  const Job& job = jobs_.front();
  const SparfTime present = present_[(job.end_page - 1) % most_pages_];
  job_since_ = std::max({job.written + kGrantToJob, last_taken_ + 1, present});
}

void SparfRing::job_taken(SparfTime now) {
  jobs_.pop_front();
  last_taken_ = now;
  job_since_ = kSparfNever;
  offer_job();
}

void SparfRing::job_done(SparfTime now) {
  frees_.push_back({ends_.front(), now + kDoneToFree});
  ends_.pop_front();
  if (has_item_ && requests_ == kSparfNever) reserve();
}

}  // namespace neardata::unit
