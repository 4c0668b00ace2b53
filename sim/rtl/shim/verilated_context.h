// SPDX-License-Identifier: Apache-2.0
//
// A Verilated context that forwards the printed lines of its model, and records where the model
// stopped. Contexts of one process, also of one thread, are independent. A failed assertion sets
// gotError() and does not stop the model. Errors after which Verilator cannot continue, such as
// logic that does not settle, throw ModelStopped. A context is current on a thread from `enter`
// until the next `enter` of another one.
#pragma once

#include <verilated.h>

#include <string>
#include <string_view>

#include "rtl/shim/unit_plugin.h"

namespace neardata::rtl {

/// The instance name of a model; it does not appear in messages.
inline constexpr std::string_view kModelName = "TOP";

/// Thrown through a model whose evaluation cannot continue. The context has the reason.
struct ModelStopped {};

class RtlContext : public VerilatedContext {
 public:
  explicit RtlContext(NeardataUnitPrinter printer) : printer_(printer) {
    // Verilator would start a thread for each processor but one, for models that use none of them.
    threads(1);
    fatalOnError(false);
    traceEverOn(true);
  }

  void enter() { Verilated::threadContextp(this); }

  void print(std::string_view text);
  void stop(const char* file, int line, const char* scope);
  /// Same as `stop`, for an error after which Verilator's code does not return.
  void stop_for_good(const char* file, int line, const char* scope, std::string_view why);
  /// Code outside the RTL, such as a function that it imports, threw an exception.
  void stop_by_exception(const char* what);

  /// Whether the model printed something that was not passed on.
  [[nodiscard]] bool has_text() const { return !printed_.empty(); }
  /// Passes on whole lines; with `all`, a line without its end, too.
  void pass_on(bool all);

  /// The scope and the file and line of the first stop; empty before it.
  [[nodiscard]] const std::string& place() const { return place_; }
  /// The text of the failed assertion, or that it failed.
  [[nodiscard]] const std::string& message() const { return message_; }

 private:
  NeardataUnitPrinter printer_;
  std::string printed_;  ///< not passed on
  std::string place_;
  std::string message_;
};

}  // namespace neardata::rtl
