// SPDX-License-Identifier: Apache-2.0
//
// Carries reports of a run to a function of JavaScript, from any thread. Its own thread-safe
// function, and not Napi::AsyncProgressWorker: that one does not outlive an environment that ends
// during the run.
#pragma once

#include <napi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

namespace neardata::native {

/// People and progress bars need no more.
inline constexpr std::chrono::milliseconds kProgressInterval{50};

/// Shared, because reports that are under way to JavaScript may outlive the session.
using CancelFlag = std::shared_ptr<std::atomic<bool>>;

/// False while the environment ends: it still calls back, and refuses to be called.
inline bool can_run_js(Napi::Env env) {
  bool found = false;
  return napi_has_named_property(env, env.Global(), "Object", &found) == napi_ok;
}

class ProgressLine {
 public:
  ProgressLine(Napi::Env env, Napi::Function function, CancelFlag cancelled)
      : cancelled_(std::move(cancelled)),
        line_(Napi::ThreadSafeFunction::New(env, function, "neardata.progress", kQueue, 1)) {
    line_.Unref(env);  // the run keeps the process alive, its progress need not
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() {
    if (open_) line_.Release();
  }

  /// Calls the function with two numbers, soon.
  void send(double first, double second) {
    if (!open_) return;
    const napi_status status = line_.NonBlockingCall([first, second, cancelled = cancelled_](
                                                         Napi::Env env, Napi::Function f) {
      const std::array<napi_value, 2> arguments{Napi::Number::New(env, first),
                                                Napi::Number::New(env, second)};
      // Refused by an environment that ends, or thrown by the function: the run is over. The
      // status is all that there is to know of it; a thrown error is reported as uncaught.
      const napi_status called =
          napi_call_function(env, env.Undefined(), f, arguments.size(), arguments.data(), nullptr);
      if (called != napi_ok) *cancelled = true;
    });
    // A full queue drops a report; a closing one must not be touched again.
    if (status == napi_closing) open_ = false;
  }

 private:
  static constexpr std::size_t kQueue = 16;

  CancelFlag cancelled_;
  Napi::ThreadSafeFunction line_;
  bool open_ = true;
};

}  // namespace neardata::native
