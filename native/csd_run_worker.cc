// SPDX-License-Identifier: Apache-2.0
#include "csd_run_worker.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "csd_result.h"
#include "progress_line.h"

namespace neardata::native {

namespace {

using WallClock = std::chrono::steady_clock;

/// Jobs done by all devices.
struct Tally {
  std::size_t jobs = 0;
  std::atomic<std::size_t> done = 0;
};

/// Passes one device's progress on, now and then, and the wish to stop.
class Watcher final : public system::CsdWatcher {
 public:
  Watcher(ProgressLine* line, Tally& tally, const std::atomic<bool>& cancelled)
      : line_(line), tally_(tally), cancelled_(cancelled) {}

  bool keep_going(std::size_t jobs_done) override {
    const std::size_t all = tally_.done += jobs_done - seen_;
    seen_ = jobs_done;
    const auto wall = WallClock::now();
    if (line_ != nullptr && wall - last_ >= kProgressInterval) {
      last_ = wall;
      line_->send(static_cast<double>(all), static_cast<double>(tally_.jobs));
    }
    return !cancelled_.load(std::memory_order_relaxed);
  }

 private:
  ProgressLine* line_;  ///< none on all threads but one
  Tally& tally_;
  const std::atomic<bool>& cancelled_;
  std::size_t seen_ = 0;
  WallClock::time_point last_ = WallClock::now();
};

class RunWorker final : public Napi::AsyncWorker {
 public:
  RunWorker(Napi::Env env, Napi::Value handle, CsdSessionState& session, CsdRunRequest request,
            Napi::Function progress)
      : AsyncWorker(env, "neardata.csdRun"),
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
  /// Devices share nothing, so as many run at once as the machine has threads.
  void Execute() override {
    const std::size_t devices = session_.devices.size();
    runs_.results.resize(devices);
    runs_.wall_seconds.resize(devices);
    runs_.places = std::move(request_.places);
    tally_.jobs = runs_.places.size();
    const std::size_t threads =
        std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, devices);
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < threads; ++i) {
      helpers.emplace_back([this] { run_devices(nullptr); });
    }
    run_devices(&progress_);
    helpers.clear();
    for (system::CsdDevice& device : session_.devices) {
      runs_.writes.push_back(device.cache().counters());
    }
  }

  void OnOK() override {
    session_.running = false;
    if (!can_run_js(Env())) return;
    deferred_.Resolve(csd_result_to_js(Env(), runs_, session_.clock));
  }

  void OnError(const Napi::Error& error) override {
    session_.running = false;
    if (!can_run_js(Env())) return;
    deferred_.Reject(error.Value());
  }

 private:
  void run_devices(ProgressLine* line) {
    for (std::size_t d = next_++; d < session_.devices.size(); d = next_++) {
      Watcher watcher(line, tally_, *session_.cancelled);
      const auto start = WallClock::now();
      system::CsdRunOptions options = request_.options;
      if (d > 0) options.trace.reset();  // one file, one device
      system::CsdDevice& device = session_.devices[d];
      const double made_before = device.cache().pages().making_seconds();
      runs_.results[d] = request_.prompts.empty()
                             ? device.run(request_.jobs[d], options, watcher)
                             : device.write(request_.prompts[d], options, watcher);
      // Pages that are made when they are first read are filled, not simulated.
      runs_.wall_seconds[d] = std::chrono::duration<double>(WallClock::now() - start).count() -
                              (device.cache().pages().making_seconds() - made_before);
    }
  }

  Napi::Reference<Napi::Value> handle_;
  ProgressLine progress_;
  Napi::Promise::Deferred deferred_;
  CsdSessionState& session_;
  CsdRunRequest request_;
  std::atomic<std::size_t> next_ = 0;
  Tally tally_;
  CsdRuns runs_;
};

}  // namespace

Napi::Value start_csd_run(Napi::Env env, Napi::Value handle, CsdSessionState& session,
                          CsdRunRequest request, Napi::Function progress) {
  // The worker owns itself: node-addon-api frees it after OnOK or OnError.
  auto worker = std::make_unique<RunWorker>(env, handle, session, std::move(request), progress);
  const Napi::Promise promise = worker->promise();
  worker.release()->Queue();
  return promise;
}

}  // namespace neardata::native
