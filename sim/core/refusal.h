// SPDX-License-Identifier: Apache-2.0
//
// The reason of a refused request: an argument has an illegal value, or the call does not match the
// function.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include "core/error.h"

namespace neardata::core {

struct Refusal {
  const char* code;     ///< `misuse`, `bad-input`, ...: those of src/base/errors.ts
  std::string message;  ///< one sentence
};

/// The result of a call.
template <typename T>
using Answer = std::expected<T, Refusal>;

/// The two sides of a call disagree.
[[nodiscard]] inline std::unexpected<Refusal> misuse(std::string message) {
  return std::unexpected(Refusal{"misuse", std::move(message)});
}

/// A value that is of the right kind is refused.
[[nodiscard]] inline std::unexpected<Refusal> bad_input(std::string message) {
  return std::unexpected(Refusal{"bad-input", std::move(message)});
}

/// A machine that cannot be built.
[[nodiscard]] inline std::unexpected<Refusal> bad_input(const SimError& error) {
  return bad_input(error.place + ": " + error.message);
}

}  // namespace neardata::core
