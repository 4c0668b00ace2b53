// SPDX-License-Identifier: Apache-2.0
#include "dram_replay.h"

#include <memory>
#include <string_view>

#include "dram/replay.h"
#include "dram_memory.h"
#include "dram_report.h"
#include "entry.h"
#include "memory_backend.h"
#include "reader.h"

namespace neardata::native {

namespace {

/// Marks our handles, so that no other external object passes for one.
constexpr napi_type_tag kHandleTag{0x6e65617264617461, 0x6472616d2d726570};

/// A replay, and whether it can go on: after a message or an exception it cannot.
struct State {
  State(const dram::MemoryConfig& memory, dram::ReplayOutputs outputs) : replay(memory, outputs) {}

  dram::Replay replay;
  bool over = false;
};

using Handle = Napi::External<State>;

std::expected<State*, Refusal> state_of(const Napi::CallbackInfo& info) {
  if (!info[0].IsExternal() || !info[0].As<Handle>().CheckTypeTag(&kHandleTag)) {
    return misuse("the first argument is no replay");
  }
  return info[0].As<Handle>().Data();
}

std::expected<dram::Replay*, Refusal> replay_of(const Napi::CallbackInfo& info) {
  const auto state = state_of(info);
  if (!state) return std::unexpected(state.error());
  return &(*state)->replay;
}

/// Does something with the replay that a message may end.
Result go(const Napi::CallbackInfo& info, auto&& act) {
  const auto state = state_of(info);
  if (!state) return std::unexpected(state.error());
  if ((*state)->over) return misuse("the replay is over: it has ended with a message");
  (*state)->over = true;
  const std::optional<dram::TraceError> error = act((*state)->replay);
  (*state)->over = error.has_value();
  const Napi::Env env = info.Env();
  if (!error) return env.Undefined();
  Napi::Object out = Napi::Object::New(env);
  out.Set("line", Napi::Number::New(env, static_cast<double>(error->line)));
  out.Set("message", Napi::String::New(env, error->what));
  return out;
}

Napi::Value bytes_to_js(Napi::Env env, std::string_view text) {
  const NewArray<std::uint8_t> bytes(env, text.size());
  std::copy(text.begin(), text.end(), bytes.data.begin());
  return bytes.value;
}

/// One sentence a line; src/dram/replay.ts takes them apart.
std::string lines_of(const std::vector<std::string>& sentences) {
  std::string all;
  for (const std::string& sentence : sentences) all += (all.empty() ? "" : "\n") + sentence;
  return all;
}

Result open(const Napi::CallbackInfo& info) {
  Problem problem;
  const Reader config(info[0], "config", problem);
  const dram::MemoryConfig memory = read_dram_memory(config);
  const dram::ReplayOutputs outputs{config.flag("commands"), config.flag("completions")};
  if (problem) return std::unexpected(*problem);
  if (auto broken = dram::broken_rules(memory.controller); !broken.empty()) {
    return std::unexpected(Refusal{"bad-input", lines_of(broken)});
  }
  if (auto refused = backend_refuses(memory.controller)) {
    return std::unexpected(Refusal{"bad-input", *std::move(refused)});
  }
  auto state = std::make_unique<State>(memory, outputs);
  const Handle handle = Handle::New(info.Env(), state.release(), [](Napi::Env, State* owned) {
    std::unique_ptr<State>{owned}.reset();
  });
  handle.TypeTag(&kHandleTag);
  return handle;
}

Result feed(const Napi::CallbackInfo& info) {
  const auto state = state_of(info);
  if (!state) return std::unexpected(state.error());
  const auto bytes = TypedArray<std::uint8_t>::of(info[1]);
  if (!bytes) return misuse("a piece of a trace is a Uint8Array with memory of its own");
  const auto data = bytes->data();
  const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
  return go(info, [&](dram::Replay& replay) { return replay.feed(text); });
}

Result finish(const Napi::CallbackInfo& info) {
  return go(info, [](dram::Replay& replay) { return replay.finish(); });
}

Result go_on(const Napi::CallbackInfo& info) {
  return go(info, [](dram::Replay& replay) { return replay.go_on(); });
}

Result busy(const Napi::CallbackInfo& info) {
  const auto replay = replay_of(info);
  if (!replay) return std::unexpected(replay.error());
  return Napi::Boolean::New(info.Env(), (*replay)->busy());
}

Result commands(const Napi::CallbackInfo& info) {
  const auto replay = replay_of(info);
  if (!replay) return std::unexpected(replay.error());
  return bytes_to_js(info.Env(), (*replay)->take_commands());
}

Result completions(const Napi::CallbackInfo& info) {
  const auto replay = replay_of(info);
  if (!replay) return std::unexpected(replay.error());
  return bytes_to_js(info.Env(), (*replay)->take_completions());
}

Result lines(const Napi::CallbackInfo& info) {
  const auto replay = replay_of(info);
  if (!replay) return std::unexpected(replay.error());
  return Napi::Number::New(info.Env(), static_cast<double>((*replay)->lines()));
}

Result report(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto replay = replay_of(info);
  if (!replay) return std::unexpected(replay.error());
  const auto& channels = (*replay)->channels();
  Napi::Array reports = Napi::Array::New(env, channels.size());
  for (std::size_t c = 0; c < channels.size(); ++c) {
    reports.Set(static_cast<std::uint32_t>(c), dram_report(env, channels[c]->statistics()));
  }
  Napi::Object out = Napi::Object::New(env);
  out.Set("totalCycles",
          Napi::Number::New(env, static_cast<double>((*replay)->total_cycles().value)));
  out.Set("channels", reports);
  return out;
}

}  // namespace

void register_dram_replay(Napi::Env env, Napi::Object exports) {
  export_function<open>(env, exports, "dramReplayOpen");
  export_function<feed>(env, exports, "dramReplayFeed");
  export_function<finish>(env, exports, "dramReplayFinish");
  export_function<go_on>(env, exports, "dramReplayGoOn");
  export_function<busy>(env, exports, "dramReplayBusy");
  export_function<commands>(env, exports, "dramReplayCommands");
  export_function<completions>(env, exports, "dramReplayCompletions");
  export_function<lines>(env, exports, "dramReplayLines");
  export_function<report>(env, exports, "dramReplayReport");
}

}  // namespace neardata::native
