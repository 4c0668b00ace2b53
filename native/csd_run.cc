// SPDX-License-Identifier: Apache-2.0
#include "csd_run.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

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
  class Watcher final : public system::CsdWatcher {
   public:
    Watcher(CsdRun& run, bool reports) : run_(run), reports_(reports) {}

    bool keep_going(std::size_t jobs_done) override {
      const std::size_t all = run_.jobs_done_ += jobs_done - seen_;
      seen_ = jobs_done;
      if (!reports_) return !run_.stopped();
      return run_.report(static_cast<double>(all), static_cast<double>(run_.runs_.places.size()));
    }

   private:
    CsdRun& run_;
    bool reports_;  ///< on the run's own thread
    std::size_t seen_ = 0;
  };

  /// Devices share nothing, so as many run at once as the machine has threads.
  void execute() override {
    const std::size_t devices = session_.devices.size();
    runs_.results.resize(devices);
    runs_.wall_seconds.resize(devices);
    runs_.places = std::move(request_.places);
    const std::size_t threads =
        std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, devices);
    {
      std::vector<std::jthread> helpers;
      try {
        for (std::size_t i = 1; i < threads; ++i) {
          helpers.emplace_back([this] { run_devices(false); });
        }
      } catch (...) {
        fail();
      }
      run_devices(true);
    }
    if (failure_) std::rethrow_exception(failure_);
    for (system::CsdDevice& device : session_.devices) {
      runs_.writes.push_back(device.cache().counters());
    }
  }

  Napi::Value result(Napi::Env env) override {
    return csd_result_to_js(env, runs_, session_.clock);
  }

  /// Ends on every thread what one of them cannot go on with.
  void fail() {
    const std::scoped_lock lock(failing_);
    if (!failure_) failure_ = std::current_exception();
    stop();
  }

  void run_devices(bool reports) {
    try {
      for (std::size_t d = next_++; d < session_.devices.size(); d = next_++) {
        run_device(d, reports);
      }
    } catch (...) {
      fail();
    }
  }

  void run_device(std::size_t d, bool reports) {
    Watcher watcher(*this, reports);
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

  Napi::Reference<Napi::Value> handle_;
  CsdSessionState& session_;
  RunningMark running_;
  CsdRunRequest request_;
  std::atomic<std::size_t> next_ = 0;  ///< device that nobody runs yet
  std::atomic<std::size_t> jobs_done_ = 0;
  std::mutex failing_;
  std::exception_ptr failure_;
  CsdRuns runs_;
};

}  // namespace

Result start_csd_run(Napi::Env env, Napi::Value handle, CsdSessionState& session,
                     CsdRunRequest request, Napi::Function progress) {
  return Run::start(std::make_unique<CsdRun>(env, handle, session, std::move(request), progress));
}

}  // namespace neardata::native
