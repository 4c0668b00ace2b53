// SPDX-License-Identifier: Apache-2.0
//
// Looks at a run from outside, every few thousand instants, and may end it.
#pragma once

#include <cstdint>
#include <utility>

#include "core/engine/engine.h"

namespace neardata::system {

class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  /// `done` counts the results of the run: bytes that a unit has read, or jobs whose outputs the
  /// host has. False cancels the run.
  [[nodiscard]] virtual bool keep_going(core::Fs now, std::uint64_t done) = 0;
};

/// Reports `count()` to a watcher at every observation of the engine.
template <typename Count>
class CountingObserver final : public core::Observer {
 public:
  CountingObserver(RunWatcher& watcher, Count count)
      : watcher_(watcher), count_(std::move(count)) {}
  bool keep_going(core::Fs now) override { return watcher_.keep_going(now, count_()); }

 private:
  RunWatcher& watcher_;
  Count count_;
};

}  // namespace neardata::system
