// SPDX-License-Identifier: Apache-2.0
#include "moe_run.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "memory_backend.h"
#include "moe_config.h"
#include "moe_result.h"
#include "progress_line.h"

namespace neardata::native {

namespace {

using WallClock = std::chrono::steady_clock;

class Watcher final : public core::Observer {
 public:
  Watcher(ProgressLine& line, const std::atomic<bool>& cancelled)
      : line_(line), cancelled_(cancelled) {}

  bool keep_going(core::Fs now) override {
    const auto wall = WallClock::now();
    if (wall - last_ >= kProgressInterval) {
      last_ = wall;
      line_.send(static_cast<double>(now.value), 0);
    }
    return !cancelled_.load(std::memory_order_relaxed);
  }

 private:
  ProgressLine& line_;
  const std::atomic<bool>& cancelled_;
  WallClock::time_point last_ = WallClock::now();
};

class MoeWorker final : public Napi::AsyncWorker {
 public:
  MoeWorker(Napi::Env env, MoeRequest request, std::optional<rtl::NdpPlugin> plugin,
            Napi::Function progress)
      : AsyncWorker(env, "neardata.moeRun"),
        cancelled_(std::make_shared<std::atomic<bool>>(false)),
        progress_(env, progress, cancelled_),
        deferred_(Napi::Promise::Deferred::New(env)),
        request_(std::move(request)),
        plugin_(std::move(plugin)) {}

  [[nodiscard]] Napi::Promise promise() const { return deferred_.Promise(); }
  [[nodiscard]] CancelFlag cancelled() const { return cancelled_; }

 protected:
  void Execute() override {
    const auto start = WallClock::now();
    system::Stores stores(request_.config.dimms);
    for (auto& dimm : stores) dimm.resize(request_.config.dimm.parameters.streams);
    system::fill_sources(request_.work.moves, request_.seed, stores);
    for (const MoeContents& contents : request_.contents) {
      stores[contents.place.dimm][contents.place.stream].write(contents.place.burst, contents.data);
    }
    system::MoeMachine machine(request_.config, plugin_ ? &*plugin_ : nullptr, request_.work,
                               stores);
    Watcher watcher(progress_, *cancelled_);
    result_ = machine.run(watcher);
    read_outputs(stores);
    wall_seconds_ = std::chrono::duration<double>(WallClock::now() - start).count();
  }

  void OnOK() override {
    if (!can_run_js(Env())) return;
    const core::Clock clock(request_.config.network.link.clock());
    deferred_.Resolve(moe_result_to_js(Env(), result_, outputs_, clock, wall_seconds_));
  }

  void OnError(const Napi::Error& error) override {
    if (can_run_js(Env())) deferred_.Reject(error.Value());
  }

 private:
  void read_outputs(const system::Stores& stores) {
    for (const MoeOutput& output : request_.outputs) {
      for (const system::ByteStore& store : stores[output.job.dimm]) {
        auto& bytes = outputs_.emplace_back(output.bursts * unit::kBurstBytes);
        store.read(output.burst, bytes);
      }
    }
  }

  CancelFlag cancelled_;
  ProgressLine progress_;
  Napi::Promise::Deferred deferred_;
  MoeRequest request_;
  std::optional<rtl::NdpPlugin> plugin_;
  system::MoeResult result_;
  MoeBytes outputs_;
  double wall_seconds_ = 0;
};

Result run(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  auto request = read_moe(info[0]);
  if (!request) return std::unexpected(std::move(request).error());
  if (!info[1].IsFunction()) return misuse("progress is no function");
  if (const auto* memory = std::get_if<system::DramConfig>(&request->config.dimm.memory)) {
    if (auto refused = backend_refuses(memory->controller)) {
      return std::unexpected(Refusal{"bad-input", "memory: " + *std::move(refused)});
    }
  }
  auto plugin = system::load_unit(request->config.dimm);
  if (!plugin) {
    const core::SimError& error = plugin.error();
    return std::unexpected(Refusal{"bad-input", error.place + ": " + error.message});
  }
  // The worker owns itself: node-addon-api frees it after OnOK or OnError.
  auto worker = std::make_unique<MoeWorker>(env, *std::move(request), *std::move(plugin),
                                            info[1].As<Napi::Function>());
  Napi::Object out = Napi::Object::New(env);
  out.Set("done", worker->promise());
  out.Set("cancel", Napi::Function::New(env, [flag = worker->cancelled()](
                                                 const Napi::CallbackInfo&) { *flag = true; }));
  worker.release()->Queue();
  return out;
}

}  // namespace

void register_moe(Napi::Env env, Napi::Object exports) {
  export_function<run>(env, exports, "moeRun");
}

}  // namespace neardata::native
