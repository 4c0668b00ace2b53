// SPDX-License-Identifier: Apache-2.0
//
// When a head finds room for its logits, and when they can be used (`sparf_logit_halves`). Heads
// fill, arrive and are released in one order; at most two are inside.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "unit/sparf/kernel/sparf_kernel_time.h"

namespace neardata::unit {

class LogitHalvesCycle {
 public:
  /// First cycle with space for the next head, which needs all of the memory or half of it.
  [[nodiscard]] KernelTime room(bool whole) const {
    if (inside_ == 2) return kNever;
    if (inside_ == 1) return whole || whole_ ? kNever : released_ + 1;
    return whole || whole_ ? released_ + 1 : released_before_ + 1;
  }

  void fill(std::uint32_t slot, bool whole) {
    whole_ = whole;
    heads_[inside_++] = {slot, kNever};
  }

  /// The last logit of the oldest head whose logits are not there.
  void arrive(KernelTime at) { heads_[arrived_++].arrived = at; }

  /// From when the oldest head's logits can be used.
  [[nodiscard]] KernelTime usable() const {
    return arrived_ == 0 ? kNever : std::max(heads_[0].arrived + 1, released_) + 1;
  }
  [[nodiscard]] std::uint32_t slot() const { return heads_[0].slot; }

  void release(KernelTime at) {
    released_before_ = released_;
    released_ = at;
    heads_[0] = heads_[1];
    --inside_;
    --arrived_;
  }

 private:
  struct QueuedHead {
    std::uint32_t slot;
    KernelTime arrived;
  };

  std::array<QueuedHead, 2> heads_{};
  std::size_t inside_ = 0, arrived_ = 0;
  bool whole_ = false;  ///< the youngest head
  KernelTime released_ = -1, released_before_ = -1;
};

}  // namespace neardata::unit
