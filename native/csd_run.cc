// SPDX-License-Identifier: Apache-2.0
#include "csd_run.h"

#include <chrono>
#include <memory>
#include <utility>

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
  /// Passes progress on, and the wish to stop.
  class Watcher final : public system::RunWatcher {
   public:
    explicit Watcher(CsdRun& run) : run_(run) {}
    bool keep_going(core::Fs /*now*/, std::uint64_t jobs_done) override {
      return run_.report(static_cast<double>(jobs_done),
                         static_cast<double>(run_.runs_.places.size()));
    }

   private:
    CsdRun& run_;
  };

  void execute() override {
    system::CsdMachine& machine = *session_.machine;
    runs_.places = std::move(request_.places);
    Watcher watcher(*this);
    const double made_before = making_seconds();
    const auto start = WallClock::now();
    runs_.result = request_.prompts.empty()
                       ? machine.run(request_.jobs, request_.options, watcher)
                       : machine.write(request_.prompts, request_.options, watcher);
    // Pages that are made when they are first read are filled, not simulated.
    runs_.wall_seconds = std::chrono::duration<double>(WallClock::now() - start).count() -
                         (making_seconds() - made_before);
    for (const system::KvCache& cache : machine.caches()) runs_.writes.push_back(cache.counters());
  }

  Napi::Value result(Napi::Env env) override {
    return csd_result_to_js(env, runs_, session_.clock);
  }

  [[nodiscard]] double making_seconds() const {
    double seconds = 0;
    for (system::KvCache& cache : session_.machine->caches()) {
      seconds += cache.pages().making_seconds();
    }
    return seconds;
  }

  Napi::Reference<Napi::Value> handle_;
  CsdSessionState& session_;
  RunningMark running_;
  CsdRunRequest request_;
  CsdRuns runs_;
};

}  // namespace

Result start_csd_run(Napi::Env env, Napi::Value handle, CsdSessionState& session,
                     CsdRunRequest request, Napi::Function progress) {
  return Run::start(std::make_unique<CsdRun>(env, handle, session, std::move(request), progress));
}

}  // namespace neardata::native
