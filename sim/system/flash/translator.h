// SPDX-License-Identifier: Apache-2.0
//
// When the place of a page is known: one after another, in the order in which they are asked for.
#pragma once

#include <algorithm>

#include "system/flash/flash_types.h"

namespace neardata::system {

class Translator {
 public:
  explicit Translator(const TranslationConfig& config) : config_(config) {}

  /// A page is asked for at `now`, with its entry of the table at hand.
  [[nodiscard]] core::Fs done(core::Fs now) {
    const core::Fs start = std::max(now, free_);
    free_ = start + config_.interval;
    return start + config_.latency;
  }

 private:
  TranslationConfig config_;
  core::Fs free_;
};

}  // namespace neardata::system
