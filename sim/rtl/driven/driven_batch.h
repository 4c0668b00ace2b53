// SPDX-License-Identifier: Apache-2.0
//
// Copies of messages for a lane of a driven unit (rtl/shim/driven_plugin.h), until they have moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "rtl/shim/driven_words.h"

namespace neardata::rtl {

/// Whole messages. If one of them has a pause, a word with the pause is before each message.
struct DrivenBatch {
  WordBuffer words{};
  std::size_t count = 0;  ///< of messages
  bool paused = false;
};

/// The batches of one lane, the first one first.
class DrivenBatches {
 public:
  /// `width`: words of a message.
  explicit DrivenBatches(std::size_t width) : width_(width) {}

  /// Copies messages; their memory is that of an earlier batch that has moved, if it is large
  /// enough.
  [[nodiscard]] DrivenBatch copy(std::span<const std::uint32_t> words,
                                 std::span<const std::uint32_t> pauses);
  /// Holds a batch until its messages have moved.
  const DrivenBatch& hold(DrivenBatch batch);
  /// Only so many messages wait; batches of which none waits are released.
  void release(std::uint64_t waiting);
  [[nodiscard]] bool empty() const { return batches_.empty(); }

 private:
  std::size_t width_;
  std::deque<DrivenBatch> batches_;
  std::uint64_t count_ = 0;  ///< of messages of all batches
  DrivenBatch spare_;
};

}  // namespace neardata::rtl
