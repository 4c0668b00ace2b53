// SPDX-License-Identifier: Apache-2.0
#include "ndp_run_worker.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "ndp_result.h"
#include "progress_line.h"

namespace neardata::native {

namespace {

using WallClock = std::chrono::steady_clock;

/// Passes progress on, now and then, and the wish to stop.
class Watcher final : public system::RunWatcher {
 public:
  Watcher(ProgressLine& line, const std::atomic<bool>& cancelled)
      : line_(line), cancelled_(cancelled) {}

  bool keep_going(core::Cycle cycle, std::uint64_t bytes_read) override {
    const auto wall = WallClock::now();
    if (wall - last_ >= kProgressInterval) {
      last_ = wall;
      line_.send(static_cast<double>(cycle.value), static_cast<double>(bytes_read));
    }
    return !cancelled_.load(std::memory_order_relaxed);
  }

 private:
  ProgressLine& line_;
  const std::atomic<bool>& cancelled_;
  WallClock::time_point last_ = WallClock::now();
};

class RunWorker final : public Napi::AsyncWorker {
 public:
  RunWorker(Napi::Env env, Napi::Value handle, NdpSessionState& session, NdpRunRequest request,
            Napi::Function progress)
      : AsyncWorker(env, "neardata.ndpRun"),
        handle_(Napi::Reference<Napi::Value>::New(handle, 1)),
        progress_(env, progress, session.cancelled),
        deferred_(Napi::Promise::Deferred::New(env)),
        session_(session),
        request_(std::move(request)) {
    session_.running = true;
    *session_.cancelled = false;
  }

  [[nodiscard]] Napi::Promise promise() const { return deferred_.Promise(); }

 protected:
  void Execute() override {
    Watcher watcher(progress_, *session_.cancelled);
    const auto start = WallClock::now();
    result_ = session_.dimm->run(request_.jobs, request_.options, watcher);
    wall_seconds_ = std::chrono::duration<double>(WallClock::now() - start).count();
  }

  void OnOK() override {
    session_.running = false;
    if (!can_run_js(Env())) return;
    deferred_.Resolve(ndp_result_to_js(Env(), *result_, session_.unit_clock, wall_seconds_));
  }

  void OnError(const Napi::Error& error) override {
    session_.running = false;
    if (!can_run_js(Env())) return;
    deferred_.Reject(error.Value());
  }

 private:
  Napi::Reference<Napi::Value> handle_;
  ProgressLine progress_;
  Napi::Promise::Deferred deferred_;
  NdpSessionState& session_;
  NdpRunRequest request_;
  std::optional<system::NdpRunResult> result_;
  double wall_seconds_ = 0;
};

}  // namespace

Napi::Value start_ndp_run(Napi::Env env, Napi::Value handle, NdpSessionState& session,
                          NdpRunRequest request, Napi::Function progress) {
  // The worker owns itself: node-addon-api frees it after OnOK or OnError.
  auto worker = std::make_unique<RunWorker>(env, handle, session, std::move(request), progress);
  const Napi::Promise promise = worker->promise();
  worker.release()->Queue();
  return promise;
}

}  // namespace neardata::native
