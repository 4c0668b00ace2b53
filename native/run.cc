// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <new>
#include <set>
#include <utility>

namespace neardata::native {

namespace {

/// Progress bars need no shorter interval.
constexpr std::chrono::milliseconds kReportInterval{50};

/// How long an environment that ends waits for the threads of its runs.
constexpr std::chrono::milliseconds kPatience{1000};

/// An abandoned thread runs until the process ends: its code stays loaded, and the process ends
/// without destructors, which would destroy objects of the thread. The exit handler that is
/// registered last is called first.
void keep_for_abandoned_thread() {
  static const bool kept = [] {
    Dl_info own{};
    if (dladdr(reinterpret_cast<const void*>(&keep_for_abandoned_thread), &own) != 0) {
      static_cast<void>(dlopen(own.dli_fname, RTLD_NOW | RTLD_NODELETE));
    }
    return on_exit([](int status, void*) { _exit(status); }, nullptr) == 0;
  }();
  static_cast<void>(kept);
}

/// False while the environment ends: it still calls back, and refuses to be called.
bool can_run_js(Napi::Env env) {
  bool found = false;
  return napi_has_named_property(env, env.Global(), "Object", &found) == napi_ok;
}

}  // namespace

/// The active runs of an environment, used on its JS thread.
class Runs {
 public:
  static Runs& of(Napi::Env env) { return *env.GetInstanceData<Runs>(); }

  void add(AsyncRun& run) { runs_.insert(&run); }
  void remove(AsyncRun& run) { runs_.erase(&run); }

  /// Stops all runs and waits for their threads; abandons those that do not end.
  void stop() {
    for (AsyncRun* run : runs_) run->stop();
    const auto latest = std::chrono::steady_clock::now() + kPatience;
    for (AsyncRun* run : runs_) {
      if (run->ends_by(latest) || !run->leave()) {
        if (run->thread_.joinable()) run->thread_.join();
      }
    }
  }
  /// The environment must not be called from here on: the runs are dropped.
  void end() {
    stop();
    for (AsyncRun* run : std::exchange(runs_, {})) {
      if (!run->abandoned_) std::unique_ptr<AsyncRun>{run}.reset();
    }
  }

 private:
  std::set<AsyncRun*> runs_;
};

AsyncRun::AsyncRun(Napi::Env env, const char* name, Napi::Function progress, CancelFlag cancelled)
    : env_(env),
      name_(name),
      cancelled_(std::move(cancelled)),
      deferred_(Napi::Promise::Deferred::New(env)) {
  *cancelled_ = false;
  const napi_status made =
      napi_create_threadsafe_function(env, progress, nullptr, Napi::String::New(env, name), 0, 1,
                                      nullptr, nullptr, this, receive, &line_);
  if (made != napi_ok) throw std::bad_alloc();
}

AsyncRun::~AsyncRun() {
  if (thread_.joinable()) thread_.join();
  if (line_ != nullptr) napi_release_threadsafe_function(line_, napi_tsfn_release);
}

Result AsyncRun::start(std::unique_ptr<AsyncRun> run) {
  Runs& runs = Runs::of(run->env_);
  const Napi::Promise promise = run->deferred_.Promise();
  runs.add(*run);
  try {
    run->thread_ = std::thread([started = run.get()] { started->work(); });
  } catch (...) {
    runs.remove(*run);
    throw;
  }
  run.release();  // NOLINT(bugprone-unused-return-value): it owns itself, see above
  return promise;
}

void AsyncRun::work() {
  try {
    execute();
  } catch (...) {
    failure_ = refusal_of_exception(name_);
  }
  send(nullptr);
}

bool AsyncRun::report(double first, double second) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_report_ >= kReportInterval && !reporting_.exchange(true)) {
    last_report_ = now;
    first_ = first;
    second_ = second;
    send(this);
  }
  return !stopped();
}

/// The run that reports progress, or null for the end. The queue has no limit, and an environment
/// that ends waits for this thread, or abandons it, before it closes the line.
void AsyncRun::send(AsyncRun* reporter) {
  const std::scoped_lock lock(ending_);
  if (abandoned_) return;
  if (reporter == nullptr) ended_ = true;
  static_cast<void>(napi_call_threadsafe_function(line_, reporter, napi_tsfn_nonblocking));
  changed_.notify_all();
}

bool AsyncRun::ends_by(std::chrono::steady_clock::time_point time) {
  std::unique_lock lock(ending_);
  return changed_.wait_until(lock, time, [this] { return ended_ || abandoned_; });
}

bool AsyncRun::leave() {
  {
    const std::scoped_lock lock(ending_);
    if (ended_) return false;
    if (abandoned_) return true;
    abandoned_ = true;
  }
  keep_for_abandoned_thread();
  thread_.detach();
  return true;
}

bool AsyncRun::abandon() {
  stop();
  if (!leave()) return false;
  // The run itself stays: its thread uses it.
  Runs::of(env_).remove(*this);
  napi_release_threadsafe_function(std::exchange(line_, nullptr), napi_tsfn_release);
  deferred_.Reject(error_of(
      env_, {"cancelled", "the run was stopped; its thread does not end before the process"}));
  return true;
}

void AsyncRun::receive(napi_env env, napi_value function, void* context, void* data) {
  if (env == nullptr) return;  // the environment has ended, and the run with it
  auto* run = static_cast<AsyncRun*>(context);
  if (data != nullptr) {
    run->call_progress(env, function);
  } else {
    run->resolve_promise();
  }
}

void AsyncRun::call_progress(napi_env env, napi_value function) {
  const std::array<napi_value, 2> arguments{Napi::Number::New(env, first_),
                                            Napi::Number::New(env, second_)};
  reporting_ = false;
  // If a closing environment rejects the call, or the function throws, the run is stopped. The
  // status is the only information; a thrown error is reported as uncaught.
  const napi_status called = napi_call_function(env, Napi::Env(env).Undefined(), function,
                                                arguments.size(), arguments.data(), nullptr);
  if (called != napi_ok) stop();
}

void AsyncRun::resolve_promise() {
  const std::unique_ptr<AsyncRun> self(this);
  Runs::of(env_).remove(*this);
  thread_.join();
  if (!can_run_js(env_)) return;
  if (failure_) {
    deferred_.Reject(error_of(env_, *failure_));
    return;
  }
  const Napi::Value value = guard(env_, name_, [&] { return Result(result(env_)); });
  if (env_.IsExceptionPending()) {
    deferred_.Reject(env_.GetAndClearPendingException().Value());
  } else {
    deferred_.Resolve(value);
  }
}

void watch_runs(Napi::Env env) {
  auto runs = std::make_unique<Runs>();
  Runs* const all = runs.get();
  env.SetInstanceData(runs.release());
  env.AddCleanupHook([all] { all->end(); });
  // The exit of a process does not close its environments: destructors would run concurrently with
  // the threads.
  const Napi::Value process = env.Global().Get("process");
  process.As<Napi::Object>().Get("on").As<Napi::Function>().Call(
      process, {Napi::String::New(env, "exit"),
                Napi::Function::New(env, [all](const Napi::CallbackInfo&) { all->stop(); })});
}

}  // namespace neardata::native
