// SPDX-License-Identifier: Apache-2.0
//
// A Verilated context that keeps what its model printed and where it stopped. Contexts of one
// process, also of one thread, know nothing of each other. A failed assertion sets gotError() and
// ends nothing. A context is current on a thread from `enter` to the next one's.
#pragma once

#include <verilated.h>

#include <string>
#include <string_view>

namespace neardata::rtl {

/// The instance name to give a model; it does not appear in messages.
inline constexpr std::string_view kModelName = "TOP";

class RtlContext : public VerilatedContext {
 public:
  RtlContext() {
    // Verilator would start a thread for each processor but one, for models that use none of them.
    threads(1);
    fatalOnError(false);
    traceEverOn(true);
  }

  void enter() { Verilated::threadContextp(this); }

  void print(std::string_view text);
  void stop(const char* file, int line, const char* scope);

  /// The scope and the file and line of the first stop; empty before it.
  [[nodiscard]] const std::string& place() const { return place_; }
  /// The text of the failed assertion, or that it failed.
  [[nodiscard]] const std::string& message() const { return message_; }

 private:
  std::string printed_;
  std::string place_;
  std::string message_;
};

}  // namespace neardata::rtl
