// SPDX-License-Identifier: Apache-2.0
//
// The beats of a flash channel, generated from page messages: a beat is valid from the first edge
// after its bus transfer and after the acceptance of the previous beat.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>

#include "unit/sparf/sparf_unit.h"

namespace neardata::rtl {

class BeatStream {
 public:
  void add(const unit::SparfPage& page) { pages_.push_back(page); }

  [[nodiscard]] bool ready(core::Fs now) const { return !pages_.empty() && due() <= now; }
  /// The arrival of the next beat; kNever if there is none.
  [[nodiscard]] core::Fs due() const {
    return pages_.empty() ? core::kNever : pages_.front().beats.at(beat_);
  }
  [[nodiscard]] const unit::SparfPage& page() const { return pages_.front(); }
  [[nodiscard]] bool first() const { return beat_ == 0; }
  [[nodiscard]] std::uint64_t data() const {
    std::uint64_t data = 0;
    if (page().error) return data;
    std::memcpy(&data, page().data + static_cast<std::size_t>(beat_) * unit::kBeatBytes,
                sizeof data);
    return data;
  }
  void pop() {
    if (++beat_ < pages_.front().beat_count()) return;
    beat_ = 0;
    pages_.pop_front();
  }
  [[nodiscard]] std::size_t pages() const { return pages_.size(); }

 private:
  std::deque<unit::SparfPage> pages_;
  std::int64_t beat_ = 0;  ///< of the first page
};

}  // namespace neardata::rtl
