// SPDX-License-Identifier: Apache-2.0
//
// Sessions for JavaScript, of any machine (sim/api lists them). A session is an opaque handle.
// Sessions are independent of each other and belong to the environment that opened them.
//
//   NAMEOpen(config) -> handle                     builds the machine, loads its plug-in
//   NAMEDescribe(handle) -> MachineGraph           its parts, and the edges between them
//   NAMECancel(handle)                             ends the present run as cancelled
//   NAMEAbandon(handle) -> boolean                 gives up a run that does not end (run.h)
//   NAMEClose(handle)                              frees the machine
//   its own calls(handle, ...) -> a record         at once
//   its own runs(handle, request, progress)        -> promise of a record, off the JS thread
//
// `progress` is called on the JS thread periodically, with two numbers. During a run, a handle
// accepts only cancel; after close, it accepts only close. A run does not access JavaScript's
// memory.
#pragma once

#include <napi.h>

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/record.h"
#include "core/refusal.h"
#include "entry.h"
#include "handle.h"
#include "layout.h"
#include "reader.h"
#include "run.h"
#include "writer.h"

namespace neardata::native {

/// The contents of a handle. `machine` and `running` belong to the JS thread, except that a run in
/// progress uses the machine on its own thread while `running` blocks all other calls.
template <typename Machine>
struct Session {
  std::unique_ptr<Machine> machine;  ///< nothing once closed
  bool running = false;
  AsyncRun* run = nullptr;  ///< the one in progress
  CancelFlag cancelled = std::make_shared<std::atomic<bool>>(false);
};

template <typename Machine>
using SessionPointer = std::unique_ptr<Session<Machine>>;

template <typename Machine>
core::Answer<Session<Machine>*> session_of(const Napi::CallbackInfo& info) {
  auto* held = held_by<SessionPointer<Machine>>(info[0], Machine::kName);
  if (held == nullptr) {
    return core::misuse("the first argument is no " + std::string(Machine::kName));
  }
  return held->get();
}

/// A session that is open and does not run.
template <typename Machine>
core::Answer<Session<Machine>*> idle_session_of(const Napi::CallbackInfo& info) {
  auto session = session_of<Machine>(info);
  if (!session) return session;
  if (!(*session)->machine) return core::misuse("the session is closed");
  if ((*session)->running) return core::misuse("the session is running");
  return session;
}

/// Reads a record from the first argument, or from the arguments from `first` on.
template <typename Given>
core::Answer<void> read_given(const Napi::CallbackInfo& info, const char* call, const char* object,
                              std::size_t first, Given& given) {
  Reading reading;
  if (object != nullptr) {
    read_record(InputValue(info[first], object, reading), given);
  } else {
    std::size_t at = first;
    read_fields(
        given, [&](const char* name) { return InputValue(info[at++], call, name, reading, true); });
  }
  auto done = reading.finish();
  // Thrown by a getter: that error is pending, and nothing more is done.
  if (info.Env().IsExceptionPending()) return core::misuse("what was given threw");
  return done;
}

/// The value of an answer.
template <typename T>
Result answer_to_js(Napi::Env env, const core::Answer<T>& answer) {
  if (!answer) return std::unexpected(answer.error());
  if constexpr (std::is_void_v<T>) {
    return env.Undefined();
  } else {
    return to_js(env, *answer);
  }
}

/// The argument and result types of a call.
template <typename Function>
struct Signature;
template <typename Out, typename In>
struct Signature<core::Answer<Out> (*)(const In&)> {
  using Given = In;
  using Gives = Out;
};
template <typename Machine, typename Out, typename In>
struct Signature<core::Answer<Out> (Machine::*)(const In&)> {
  using Given = In;
  using Gives = Out;
};
template <typename Machine, typename Out, typename In>
struct Signature<core::Answer<Out> (Machine::*)(In&&)> {
  using Given = In;
  using Gives = Out;
};
template <typename Machine, typename Out, typename In>
struct Signature<Out (Machine::*)(In&, core::Progress&)> {
  using Gives = Out;
};

/// A run of a session; the handle stays alive until the run ends.
template <typename Machine, typename PreparedRun, typename Out>
class SessionRun final : public AsyncRun, private core::Progress {
 public:
  using Do = Out (Machine::*)(PreparedRun&, core::Progress&);

  SessionRun(const Napi::CallbackInfo& info, const char* name, Session<Machine>& session,
             PreparedRun work, Do run)
      : AsyncRun(info.Env(), name, info[2].As<Napi::Function>(), session.cancelled),
        handle_(Napi::Reference<Napi::Value>::New(info[0], 1)),
        session_(session),
        running_(session.running),
        work_(std::move(work)),
        run_(run) {
    session_.run = this;
  }
  ~SessionRun() override { session_.run = nullptr; }

 private:
  void execute() override { out_.emplace((session_.machine.get()->*run_)(work_, *this)); }
  Napi::Value result(Napi::Env env) override { return to_js(env, *out_); }
  bool report(double first, double second) override { return AsyncRun::report(first, second); }

  Napi::Reference<Napi::Value> handle_;
  Session<Machine>& session_;
  RunningMark running_;
  PreparedRun work_;
  Do run_;
  std::optional<Out> out_;
};

template <typename T>
inline constexpr bool kIsRun = false;
template <typename Prepare, typename Do>
inline constexpr bool kIsRun<core::RunCall<Prepare, Do>> = true;
/// Whether sessions of the machine have runs.
template <typename Machine>
inline constexpr bool kRuns =
    std::apply([]<typename... Call>(const Call&...) { return (kIsRun<Call> || ...); },
               calls_of(static_cast<const Machine*>(nullptr)));

/// Exports calls with and without a session, and records their types in the layout.
class Exporter {
 public:
  Exporter(Napi::Env env, Napi::Object exports, Layout& layout)
      : env_(env), exports_(exports), layout_(layout) {}

  /// A tuple of core::Sessions and core::Call.
  template <typename... Export>
  void add_all(const std::tuple<Export...>& all) {
    std::apply([&](const auto&... one) { (add_one(one), ...); }, all);
  }

 private:
  template <typename Machine>
  void add_one(const core::Sessions<Machine>& sessions) {
    add_common<Machine>(sessions.prefix);
    std::apply([&](const auto&... call) { (add<Machine>(call), ...); },
               calls_of(static_cast<const Machine*>(nullptr)));
  }

  /// A function of a record.
  template <typename Function>
  void add_one(const core::Call<Function>& call) {
    using Given = typename Signature<Function>::Given;
    say(call.name, takes<Given>(call.object),
        layout_.type_of<typename Signature<Function>::Gives>());
    export_call(env_, exports_, call.name, [call](const Napi::CallbackInfo& info) -> Result {
      Given given;
      auto good = read_given(info, call.name, call.object, 0, given);
      if (!good) return std::unexpected(std::move(good).error());
      return answer_to_js(info.Env(), call.function(given));
    });
  }

  template <typename Machine>
  void add_common(const std::string& name) {
    using Config = typename Machine::Config;
    say(name + "Open", layout_.type_of<Config>(), "handle");
    export_call(env_, exports_, name + "Open", [](const Napi::CallbackInfo& info) -> Result {
      Config config;
      auto good = read_given(info, "", "config", 0, config);
      if (!good) return std::unexpected(std::move(good).error());
      auto machine = Machine::open(std::move(config));
      if (!machine) return std::unexpected(std::move(machine).error());
      auto session = std::make_unique<Session<Machine>>();
      session->machine = *std::move(machine);
      return make_handle(info.Env(), std::move(session), Machine::kName);
    });
    if constexpr (requires(Machine machine) { machine.describe(); }) {
      say(name + "Describe", "handle",
          layout_.type_of<decltype(std::declval<Machine&>().describe())>());
      export_call(env_, exports_, name + "Describe", [](const Napi::CallbackInfo& info) -> Result {
        const auto session = idle_session_of<Machine>(info);
        if (!session) return std::unexpected(session.error());
        return to_js(info.Env(), (*session)->machine->describe());
      });
    }
    if constexpr (kRuns<Machine>) {
      say(name + "Cancel", "handle", "void");
      say(name + "Abandon", "handle", "boolean");
      say(name + "Close", "handle", "void");
      export_call(env_, exports_, name + "Cancel", [](const Napi::CallbackInfo& info) -> Result {
        const auto session = session_of<Machine>(info);
        if (!session) return std::unexpected(session.error());
        *(*session)->cancelled = true;
        return info.Env().Undefined();
      });
      export_call(env_, exports_, name + "Abandon", [](const Napi::CallbackInfo& info) -> Result {
        const auto session = session_of<Machine>(info);
        if (!session) return std::unexpected(session.error());
        const bool left = (*session)->run != nullptr && (*session)->run->abandon();
        if (left) {
          // The thread continues with the machine, which is never freed.
          static_cast<void>((*session)->machine.release());
          (*session)->run = nullptr;
          (*session)->running = false;
        }
        return Napi::Boolean::New(info.Env(), left);
      });
      export_call(env_, exports_, name + "Close", [](const Napi::CallbackInfo& info) -> Result {
        const auto session = session_of<Machine>(info);
        if (!session) return std::unexpected(session.error());
        if ((*session)->running) return core::misuse("the session is running");
        (*session)->machine.reset();
        return info.Env().Undefined();
      });
    }
  }

  template <typename Machine, typename Function>
  void add(const core::Call<Function>& call) {
    using Given = typename Signature<Function>::Given;
    say(call.name, "handle " + takes<Given>(call.object),
        layout_.type_of<typename Signature<Function>::Gives>());
    export_call(env_, exports_, call.name, [call](const Napi::CallbackInfo& info) -> Result {
      const auto session = idle_session_of<Machine>(info);
      if (!session) return std::unexpected(session.error());
      Given given;
      auto good = read_given(info, call.name, call.object, 1, given);
      if (!good) return std::unexpected(std::move(good).error());
      return answer_to_js(info.Env(), ((*session)->machine.get()->*call.function)(given));
    });
  }

  template <typename Machine, typename Prepare, typename Do>
  void add(const core::RunCall<Prepare, Do>& call) {
    using Given = typename Signature<Prepare>::Given;
    using PreparedRun = typename Signature<Prepare>::Gives;
    using Out = typename Signature<Do>::Gives;
    say(call.name, "handle " + layout_.type_of<Given>() + " progress",
        "Promise<" + layout_.type_of<Out>() + ">");
    export_call(env_, exports_, call.name, [call](const Napi::CallbackInfo& info) -> Result {
      Given given;
      auto good = read_given(info, call.name, call.object, 1, given);
      // Getters of the request may have closed the session, or started a run.
      const auto session = idle_session_of<Machine>(info);
      if (!session) return std::unexpected(session.error());
      if (!good) return std::unexpected(std::move(good).error());
      auto work = ((*session)->machine.get()->*call.prepare)(std::move(given));
      if (!work) return std::unexpected(std::move(work).error());
      if (!info[2].IsFunction()) return core::misuse("progress is no function");
      return AsyncRun::start(std::make_unique<SessionRun<Machine, PreparedRun, Out>>(
          info, call.name, **session, *std::move(work), call.run));
    });
  }

  void say(const std::string& name, const std::string& takes, const std::string& gives) {
    layout_.calls[name] = takes + " -> " + gives;
  }
  /// The arguments of a call, apart from a handle.
  template <typename Given>
  std::string takes(const char* object) {
    return object == nullptr ? layout_.fields_of<Given>(true) : layout_.type_of<Given>();
  }

  Napi::Env env_;
  Napi::Object exports_;
  Layout& layout_;
};

}  // namespace neardata::native
