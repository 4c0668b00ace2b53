// SPDX-License-Identifier: Apache-2.0
#include "ndp_run.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "ndp_result.h"
#include "run.h"

namespace neardata::native {

namespace {

using WallClock = std::chrono::steady_clock;

class NdpRun final : public Run, private system::RunWatcher {
 public:
  NdpRun(Napi::Env env, Napi::Value handle, NdpSessionState& session, NdpRunRequest request,
         Napi::Function progress)
      : Run(env, "ndpRun", progress, session.cancelled),
        handle_(Napi::Reference<Napi::Value>::New(handle, 1)),
        session_(session),
        running_(session.running),
        request_(std::move(request)) {}

 private:
  void execute() override {
    const auto start = WallClock::now();
    result_ = session_.dimm->run(request_.jobs, request_.options, *this);
    wall_seconds_ = std::chrono::duration<double>(WallClock::now() - start).count();
  }

  Napi::Value result(Napi::Env env) override {
    return ndp_result_to_js(env, *result_, session_.unit_clock, wall_seconds_);
  }

  bool keep_going(core::Fs now, std::uint64_t bytes_read) override {
    const core::Cycle cycle = session_.unit_clock.at_or_after(now);
    return report(static_cast<double>(cycle.value), static_cast<double>(bytes_read));
  }

  Napi::Reference<Napi::Value> handle_;
  NdpSessionState& session_;
  RunningMark running_;
  NdpRunRequest request_;
  std::optional<system::NdpRunResult> result_;
  double wall_seconds_ = 0;
};

}  // namespace

Result start_ndp_run(Napi::Env env, Napi::Value handle, NdpSessionState& session,
                     NdpRunRequest request, Napi::Function progress) {
  return Run::start(std::make_unique<NdpRun>(env, handle, session, std::move(request), progress));
}

}  // namespace neardata::native
