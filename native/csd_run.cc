// SPDX-License-Identifier: Apache-2.0
#include "csd_run.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "core/worker_pool.h"
#include "csd_result.h"
#include "run.h"

namespace neardata::native {

namespace {

using WallClock = std::chrono::steady_clock;

class CsdRun final : public Run {
 public:
  CsdRun(Napi::Env env, Napi::Value handle, CsdSessionState& session, CsdRunRequest request,
         Napi::Function progress)
      : Run(env, "csdRun", progress, session.cancelled),
        handle_(Napi::Reference<Napi::Value>::New(handle, 1)),
        session_(session),
        running_(session.running),
        request_(std::move(request)) {}

 private:
  /// Passes one device's progress on, and the wish to stop.
  class Watcher final : public system::RunWatcher {
   public:
    Watcher(CsdRun& run, bool reports) : run_(run), reports_(reports) {}

    bool keep_going(core::Fs /*now*/, std::uint64_t jobs_done) override {
      const std::uint64_t all = run_.jobs_done_ += jobs_done - seen_;
      seen_ = jobs_done;
      if (!reports_) return !run_.stopped();
      return run_.report(static_cast<double>(all), static_cast<double>(run_.runs_.places.size()));
    }

   private:
    CsdRun& run_;
    bool reports_;  ///< on the run's own thread
    std::uint64_t seen_ = 0;
  };

  /// Devices share nothing, so they run side by side.
  void execute() override {
    const auto devices = static_cast<std::uint32_t>(session_.devices.size());
    runs_.results.resize(devices);
    runs_.wall_seconds.resize(devices);
    runs_.places = std::move(request_.places);
    std::vector<std::uint32_t> all(devices);
    std::iota(all.begin(), all.end(), 0);
    core::WorkerPool pool(std::min(request_.threads, devices));
    const auto own = std::this_thread::get_id();
    pool.run(all, [&](std::uint32_t d) {
      try {
        run_device(d, std::this_thread::get_id() == own);
      } catch (...) {
        stop();  // the others need not go on
        throw;
      }
    });
    for (system::CsdDevice& device : session_.devices) {
      runs_.writes.push_back(device.cache().counters());
    }
  }

  Napi::Value result(Napi::Env env) override {
    return csd_result_to_js(env, runs_, session_.clock);
  }

  void run_device(std::uint32_t d, bool reports) {
    Watcher watcher(*this, reports);
    const auto start = WallClock::now();
    system::CsdRunOptions options = request_.options;
    if (d > 0) options.rtl.trace.reset();  // one file, one device
    system::CsdDevice& device = session_.devices[d];
    const double made_before = device.cache().pages().making_seconds();
    runs_.results[d] = request_.prompts.empty()
                           ? device.run(request_.jobs[d], options, watcher)
                           : device.write(request_.prompts[d], options, watcher);
    // Pages that are made when they are first read are filled, not simulated.
    runs_.wall_seconds[d] = std::chrono::duration<double>(WallClock::now() - start).count() -
                            (device.cache().pages().making_seconds() - made_before);
  }

  Napi::Reference<Napi::Value> handle_;
  CsdSessionState& session_;
  RunningMark running_;
  CsdRunRequest request_;
  std::atomic<std::uint64_t> jobs_done_ = 0;
  CsdRuns runs_;
};

}  // namespace

Result start_csd_run(Napi::Env env, Napi::Value handle, CsdSessionState& session,
                     CsdRunRequest request, Napi::Function progress) {
  return Run::start(std::make_unique<CsdRun>(env, handle, session, std::move(request), progress));
}

}  // namespace neardata::native
