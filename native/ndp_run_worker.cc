// SPDX-License-Identifier: Apache-2.0
#include "ndp_run_worker.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "ndp_result.h"

namespace neardata::native {

namespace {

using WallClock = std::chrono::steady_clock;

/// People and progress bars need no more.
constexpr std::chrono::milliseconds kProgressInterval{50};

struct ProgressReport {
  double cycles;
  double bytes_read;
};

void cancel_session(NdpSessionState* session) { session->cancelled = true; }

using CancelAtExit = Napi::Env::CleanupHook<decltype(&cancel_session), NdpSessionState>;

/// Passes progress on, now and then, and the wish to stop.
class Watcher final : public system::RunWatcher {
 public:
  using Report = std::function<void(const ProgressReport&)>;

  Watcher(Report report, const std::atomic<bool>& cancelled)
      : report_(std::move(report)), cancelled_(cancelled) {}

  bool keep_going(core::Cycle cycle, std::uint64_t bytes_read) override {
    const auto wall = WallClock::now();
    if (wall - last_ >= kProgressInterval) {
      last_ = wall;
      report_({static_cast<double>(cycle.value), static_cast<double>(bytes_read)});
    }
    return !cancelled_.load(std::memory_order_relaxed);
  }

 private:
  Report report_;
  const std::atomic<bool>& cancelled_;
  WallClock::time_point last_ = WallClock::now();
};

class RunWorker final : public Napi::AsyncProgressWorker<ProgressReport> {
 public:
  RunWorker(Napi::Env env, Napi::Value handle, NdpSessionState& session, NdpRunRequest request,
            Napi::Function progress)
      : AsyncProgressWorker(env, "neardata.ndpRun"),
        handle_(Napi::Reference<Napi::Value>::New(handle, 1)),
        progress_(Napi::Persistent(progress)),
        deferred_(Napi::Promise::Deferred::New(env)),
        session_(session),
        request_(std::move(request)),
        at_exit_(env.AddCleanupHook(&cancel_session, &session)) {
    session_.running = true;
    session_.cancelled = false;
  }

  [[nodiscard]] Napi::Promise promise() const { return deferred_.Promise(); }

 protected:
  void Execute(const ExecutionProgress& progress) override {
    Watcher watcher([&](const ProgressReport& report) { progress.Send(&report, 1); },
                    session_.cancelled);
    const auto start = WallClock::now();
    result_ = session_.dimm->run(request_.jobs, request_.options, watcher);
    wall_seconds_ = std::chrono::duration<double>(WallClock::now() - start).count();
  }

  void OnProgress(const ProgressReport* report, std::size_t count) override {
    if (report == nullptr || count == 0 || !session_.running) return;
    progress_.Call(
        {Napi::Number::New(Env(), report->cycles), Napi::Number::New(Env(), report->bytes_read)});
  }

  void OnOK() override {
    finish();
    deferred_.Resolve(ndp_result_to_js(Env(), *result_, session_.unit_clock, wall_seconds_));
  }

  void OnError(const Napi::Error& error) override {
    finish();
    deferred_.Reject(error.Value());
  }

 private:
  void finish() {
    session_.running = false;
    at_exit_.Remove(Env());
  }

  Napi::Reference<Napi::Value> handle_;
  Napi::FunctionReference progress_;
  Napi::Promise::Deferred deferred_;
  NdpSessionState& session_;
  NdpRunRequest request_;
  CancelAtExit at_exit_;
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
