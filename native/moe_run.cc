// SPDX-License-Identifier: Apache-2.0
#include "moe_run.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "memory_backend.h"
#include "moe_config.h"
#include "moe_result.h"
#include "run.h"

namespace neardata::native {

namespace {

using WallClock = std::chrono::steady_clock;

class MoeRun final : public Run, private core::Observer {
 public:
  MoeRun(Napi::Env env, MoeRequest request, std::optional<rtl::NdpPlugin> plugin,
         Napi::Function progress, CancelFlag cancelled)
      : Run(env, "moeRun", progress, std::move(cancelled)),
        request_(std::move(request)),
        plugin_(std::move(plugin)) {}

 private:
  void execute() override {
    const auto start = WallClock::now();
    system::Stores stores(request_.config.dimms);
    for (auto& dimm : stores) dimm.resize(request_.config.dimm.parameters.streams);
    system::fill_sources(request_.work.moves, request_.seed, stores);
    for (const MoeContents& contents : request_.contents) {
      stores[contents.place.dimm][contents.place.stream].write(contents.place.burst, contents.data);
    }
    result_ = system::run_moe(request_.config, plugin_ ? &*plugin_ : nullptr, request_.work, stores,
                              *this);
    read_outputs(stores);
    wall_seconds_ = std::chrono::duration<double>(WallClock::now() - start).count();
  }

  Napi::Value result(Napi::Env env) override {
    const core::Clock clock(request_.config.network.link.clock());
    return moe_result_to_js(env, result_, outputs_, clock, wall_seconds_);
  }

  bool keep_going(core::Fs now) override { return report(static_cast<double>(now.value), 0); }

  void read_outputs(const system::Stores& stores) {
    for (const MoeOutput& output : request_.outputs) {
      for (const system::ByteStore& store : stores[output.job.dimm]) {
        auto& bytes = outputs_.emplace_back(std::size_t{output.bursts} * unit::kBurstBytes);
        store.read(output.burst, bytes);
      }
    }
  }

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
  const auto cancelled = std::make_shared<std::atomic<bool>>(false);
  auto done = Run::start(std::make_unique<MoeRun>(env, *std::move(request), *std::move(plugin),
                                                  info[1].As<Napi::Function>(), cancelled));
  if (!done) return done;
  Napi::Object out = Napi::Object::New(env);
  out.Set("done", *done);
  out.Set("cancel",
          Napi::Function::New(env, [cancelled](const Napi::CallbackInfo&) { *cancelled = true; }));
  return out;
}

}  // namespace

void register_moe(Napi::Env env, Napi::Object exports) {
  export_function<run>(env, exports, "moeRun");
}

}  // namespace neardata::native
