// SPDX-License-Identifier: Apache-2.0
//
// The protocol of the C++ checks: each is a function that returns the error, if any. run_checks
// prints one line per check, "ok NAME" or "FAIL NAME: why", and the .test.ts beside it turns lines
// into tests.
#pragma once

#include <cstdio>
#include <optional>
#include <span>
#include <string>

#include "core/engine/engine.h"

namespace neardata::checks {

using Verdict = std::optional<std::string>;
inline constexpr auto kFine = std::nullopt;

struct Check {
  const char* name;
  Verdict (*run)();
};

inline void run_checks(std::span<const Check> checks) {
  for (const Check& check : checks) {
    const Verdict wrong = check.run();
    std::printf("%s %s%s%s\n", wrong ? "FAIL" : "ok", check.name, wrong ? ": " : "",
                wrong ? wrong->c_str() : "");
  }
}

/// An observer that cancels a run after this many observations; by default never.
class Patient final : public core::Observer {
 public:
  explicit Patient(int looks = 1 << 30) : looks_(looks) {}
  [[nodiscard]] bool keep_going(core::Fs) override { return --looks_ > 0; }

 private:
  int looks_;
};

}  // namespace neardata::checks
