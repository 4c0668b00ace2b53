// SPDX-License-Identifier: Apache-2.0
//
// Errors of a simulation, as values. Misuse of an interface and faults of the simulated machine use
// the same type. Only libraries behind a model throw exceptions.
#pragma once

#include <cstdint>
#include <expected>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/time.h"

namespace neardata::core {

enum class Fault : std::uint8_t {
  kBadConfig,  ///< an impossible configuration
  kAssertion,  ///< an assertion of the RTL failed
  kDeadlock,   ///< work is outstanding and no component will ever do it
  kPhysics,    ///< more bytes than the pins carry, or an answer faster than it can be
  kProtocol,   ///< a component broke an interface's rules
  kCancelled,  ///< the caller requested the end
  kTimeLimit,  ///< simulated time reached the caller's limit
};

struct SimError {
  Fault fault = Fault::kProtocol;
  std::string place;    ///< component, bus, module instance or file and line
  std::string message;  ///< one sentence
  Fs time{};
};

/// A library of a model failed, and the model with it: a model throws it instead of the library's
/// own exception. The engine converts it to the error of a run.
class LibraryError : public std::runtime_error {
 public:
  LibraryError(std::string library, const std::string& message)
      : std::runtime_error(message), library_(std::move(library)) {}
  [[nodiscard]] const std::string& library() const { return library_; }

 private:
  std::string library_;
};

template <typename T>
using Expected = std::expected<T, SimError>;

/// The error of a machine that cannot be built.
[[nodiscard]] inline std::unexpected<SimError> bad_config(std::string place, std::string message) {
  return std::unexpected(SimError{Fault::kBadConfig, std::move(place), std::move(message), Fs{}});
}

/// The error of a component that broke an interface's rules.
[[nodiscard]] inline std::unexpected<SimError> broken_rule(std::string place, std::string message,
                                                           Fs now) {
  return std::unexpected(SimError{Fault::kProtocol, std::move(place), std::move(message), now});
}

/// The error of a run that its caller stopped.
[[nodiscard]] inline SimError cancelled(std::string place, Fs now) {
  return {Fault::kCancelled, std::move(place), "the caller stopped it", now};
}

}  // namespace neardata::core
