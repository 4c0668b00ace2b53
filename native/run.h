// SPDX-License-Identifier: Apache-2.0
//
// A run on a thread of its own. The base class owns the thread, the promise, the progress reports,
// the stop request and the end of the environment. A derived class implements the work and the
// conversion of the result. A run keeps the process alive. The threads of the system limit the
// number of concurrent runs.
//
// A started run owns itself until its promise is settled on the JS thread. If its environment ends
// first (termination of a worker, exit of the process), the run is stopped, its thread is joined,
// and the promise stays pending.
//
// A thread in code of a user (RTL that loops within a cycle, a function that RTL imports) cannot be
// ended from outside. Such a run is abandoned: its thread continues until the process ends, and its
// memory is never freed.
#pragma once

#include <napi.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "entry.h"

namespace neardata::native {

/// The wish that a run stops. Shared, because it may be uttered after the run has ended.
using CancelFlag = std::shared_ptr<std::atomic<bool>>;

/// Sets a session's `running` while a run of it is active; used on the JS thread.
class RunningMark {
 public:
  explicit RunningMark(bool& running) : running_(running) { running_ = true; }
  RunningMark(const RunningMark&) = delete;
  RunningMark& operator=(const RunningMark&) = delete;
  ~RunningMark() { running_ = false; }

 private:
  bool& running_;
};

class AsyncRun {
 public:
  AsyncRun(const AsyncRun&) = delete;
  AsyncRun& operator=(const AsyncRun&) = delete;
  virtual ~AsyncRun();

  /// Starts the run and returns its promise. Throws std::system_error without a thread.
  static Result start(std::unique_ptr<AsyncRun> run);

  /// Leaves the thread to itself and rejects the promise with `cancelled`. False where the thread
  /// has ended: the promise is about to be settled.
  bool abandon();

 protected:
  /// `progress` is called on the JS thread with two numbers at intervals. If it throws, the error
  /// is reported as uncaught and the run is stopped. `name` is a literal.
  AsyncRun(Napi::Env env, const char* name, Napi::Function progress, CancelFlag cancelled);

  /// The work, on the run's own thread: it must not access JavaScript. Its exception rejects the
  /// promise.
  virtual void execute() = 0;
  /// The value of the promise, computed on the JS thread after the work.
  virtual Napi::Value result(Napi::Env env) = 0;

  /// Whether the run has to stop; from any thread.
  [[nodiscard]] bool stopped() const { return cancelled_->load(std::memory_order_relaxed); }
  void stop() { *cancelled_ = true; }
  /// Reports progress, if the last report is some time ago, on the thread of `execute`. False when
  /// the run has to stop.
  [[nodiscard]] bool report(double first, double second);

 private:
  friend class Runs;

  void work();
  void send(AsyncRun* reporter);
  /// Whether the thread ends within some time.
  [[nodiscard]] bool ends_by(std::chrono::steady_clock::time_point time);
  /// Detaches the thread, which stops its calls into the environment. False if it has ended.
  bool leave();
  void call_progress(napi_env env, napi_value function);
  void resolve_promise();
  static void receive(napi_env env, napi_value function, void* context, void* data);

  Napi::Env env_;
  const char* name_;
  CancelFlag cancelled_;
  Napi::Promise::Deferred deferred_;
  napi_threadsafe_function line_ = nullptr;
  std::thread thread_;
  std::mutex ending_;  ///< of `line_` on the thread, and of these
  std::condition_variable changed_;
  bool ended_ = false;
  bool abandoned_ = false;
  std::optional<Refusal> failure_;  ///< of the work
  std::chrono::steady_clock::time_point last_report_ = std::chrono::steady_clock::now();
  std::atomic<bool> reporting_ = false;  ///< a report is pending, with the two numbers
  double first_ = 0;
  double second_ = 0;
};

/// Makes an environment stop its runs when it ends; called once for each.
void watch_runs(Napi::Env env);

}  // namespace neardata::native
