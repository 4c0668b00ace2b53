// SPDX-License-Identifier: Apache-2.0
//
// What can go wrong in a simulation, as a value. Misuse of an interface and faults of the machine
// under study travel the same way; nothing is thrown.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "core/time.h"

namespace neardata::core {

enum class Fault : std::uint8_t {
  kBadConfig,  ///< what was asked for cannot be built
  kAssertion,  ///< an assertion of the RTL failed
  kDeadlock,   ///< work is outstanding and nothing will ever do it
  kPhysics,    ///< more bytes than the pins carry, or an answer faster than it can be
  kProtocol,   ///< a component broke an interface's rules
  kCancelled,  ///< the caller asked to stop
  kTimeLimit,  ///< simulated time reached the caller's limit
};

struct SimError {
  Fault fault = Fault::kProtocol;
  std::string place;    ///< component, bus, module instance or file and line
  std::string message;  ///< one sentence
  Fs time{};
};

template <typename T>
using Expected = std::expected<T, SimError>;

}  // namespace neardata::core
