// SPDX-License-Identifier: Apache-2.0
#include "csd_session.h"

#include <memory>
#include <span>
#include <utility>

#include "csd_config.h"
#include "csd_run.h"
#include "csd_session_state.h"
#include "entry.h"
#include "machine_record.h"
#include "reader.h"

namespace neardata::native {

namespace {

/// Marks our handles, so that no other external object passes for one.
constexpr napi_type_tag kHandleTag{0x6e65617264617461, 0x6373642d73657373};

constexpr napi_type_tag kPagesTag{0x6e65617264617461, 0x6373642d70616765};
constexpr napi_type_tag kKeptTag{0x6e65617264617461, 0x6373642d6b657074};

using Handle = Napi::External<CsdSessionState>;
/// A head's pages, good in any session.
using Pages = std::shared_ptr<const system::HeadPages>;
using PagesHandle = Napi::External<Pages>;
/// What the devices of a session held.
using Kept = std::vector<system::KvCache>;
using KeptHandle = Napi::External<Kept>;

template <typename T>
Napi::Value handle_of(Napi::Env env, T value, const napi_type_tag& tag) {
  auto owned = std::make_unique<T>(std::move(value));
  auto handle = Napi::External<T>::New(
      env, owned.release(), [](Napi::Env, T* held) { std::unique_ptr<T>{held}.reset(); });
  handle.TypeTag(&tag);
  return handle;
}

std::unexpected<Refusal> refused(const core::SimError& error) {
  return std::unexpected(Refusal{"bad-input", error.place + ": " + error.message});
}

std::expected<CsdSessionState*, Refusal> session_of(const Napi::CallbackInfo& info) {
  if (!info[0].IsExternal() || !info[0].As<Handle>().CheckTypeTag(&kHandleTag)) {
    return misuse("the first argument is no session of computational storage devices");
  }
  return info[0].As<Handle>().Data();
}

/// A session that is open and does not run.
std::expected<CsdSessionState*, Refusal> idle_session_of(const Napi::CallbackInfo& info) {
  auto session = session_of(info);
  if (!session) return session;
  if (!(*session)->machine) return misuse("the session is closed");
  if ((*session)->running) return misuse("the session is running");
  return session;
}

std::optional<std::uint32_t> whole(const Napi::CallbackInfo& info, std::size_t argument) {
  const auto value = whole_argument(info, argument);
  if (!value || *value > 0xFFFFFFFF) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

std::expected<system::KvCache*, Refusal> device_of(const Napi::CallbackInfo& info) {
  const auto session = idle_session_of(info);
  if (!session) return std::unexpected(session.error());
  const auto device = whole(info, 1);
  auto& caches = (*session)->machine->caches();
  if (!device || *device >= caches.size()) return misuse("the session has no such device");
  return &caches[*device];
}

struct Head {
  system::KvCache* cache;
  system::KvHeadId id;
};

std::expected<Head, Refusal> head_of(const Napi::CallbackInfo& info) {
  const auto device = device_of(info);
  if (!device) return std::unexpected(device.error());
  const auto sequence = whole(info, 2);
  const auto number = whole(info, 3);
  system::KvCache& cache = **device;
  const auto head = sequence && number ? cache.head(*sequence, *number) : std::nullopt;
  if (!head) return misuse("the device has no such sequence or head");
  return Head{&cache, *head};
}

Result open(const Napi::CallbackInfo& info) {
  auto config = read_csd_config(info[0]);
  if (!config) return std::unexpected(std::move(config).error());
  std::optional<rtl::SparfPlugin> plugin;
  if (config->model == system::UnitModel::kRtl) {
    auto loaded = rtl::SparfPlugin::load(config->plugin);
    if (!loaded) return refused(loaded.error());
    plugin = *std::move(loaded);
  }
  auto state = std::make_unique<CsdSessionState>(core::Clock(config->clock), std::move(plugin));
  const rtl::SparfPlugin* rtl = state->plugin ? &*state->plugin : nullptr;
  if (auto good = system::CsdMachine::check(*config, rtl); !good) return refused(good.error());
  state->machine.emplace(*config, rtl);
  const Handle handle = Handle::New(
      info.Env(), state.release(),
      [](Napi::Env, CsdSessionState* owned) { std::unique_ptr<CsdSessionState>{owned}.reset(); });
  handle.TypeTag(&kHandleTag);
  return handle;
}

Result sequence(const Napi::CallbackInfo& info) {
  const auto device = device_of(info);
  if (!device) return std::unexpected(device.error());
  const auto heads = whole(info, 2);
  const auto dims = whole(info, 3);
  constexpr std::uint32_t kMostHeads = 4096;
  if (!heads || *heads < 1 || *heads > kMostHeads || !dims || *dims < 1 || *dims > 8 ||
      (*dims & (*dims - 1)) != 0 || !info[4].IsBoolean()) {
    return misuse("a sequence has 1 to 4096 heads and 1, 2, 4 or 8 dimensions a page");
  }
  const auto id = (*device)->open(
      {.heads = *heads, .dims_per_page = *dims, .padded = info[4].As<Napi::Boolean>().Value()});
  if (!id) return refused(id.error());
  return Napi::Number::New(info.Env(), *id);
}

Result pages(const Napi::CallbackInfo& info) {
  const auto head = head_of(info);
  if (!head) return std::unexpected(head.error());
  const auto of_keys = TypedArray<unit::Half>::of(info[4]);
  const auto of_values = TypedArray<unit::Half>::of(info[5]);
  if (!of_keys || !of_values) return misuse("keys and values are no Uint16Arrays");
  const auto keys = of_keys->data();
  const auto values = of_values->data();
  const std::uint32_t width = head->cache->config().width;
  if (keys.size() != values.size() || keys.size() % width != 0) {
    return misuse("keys and values are no Uint16Arrays of equally many rows");
  }
  const flash::KvShape& shape = head->cache->shape(head->id);
  return handle_of<Pages>(
      info.Env(), std::make_shared<const system::HeadPages>(keys, values, shape), kPagesTag);
}

Result prefill(const Napi::CallbackInfo& info) {
  const auto head = head_of(info);
  if (!head) return std::unexpected(head.error());
  if (!info[4].IsExternal() || !info[4].As<PagesHandle>().CheckTypeTag(&kPagesTag)) {
    return misuse("these are no pages of a head");
  }
  const Pages& pages = *info[4].As<PagesHandle>().Data();
  const system::KvCacheConfig& config = head->cache->config();
  if (!pages->fits(head->cache->shape(head->id)) || pages->tokens() > config.max_tokens) {
    return misuse("the pages are of another shape, or have more rows than fit the engine");
  }
  if (head->cache->describe(head->id).tokens != 0) return misuse("the head has tokens already");
  if (auto done = head->cache->prefill(head->id, pages); !done) return refused(done.error());
  return info.Env().Undefined();
}

Result keep(const Napi::CallbackInfo& info) {
  const auto session = idle_session_of(info);
  if (!session) return std::unexpected(session.error());
  return handle_of<Kept>(info.Env(), (*session)->machine->caches(), kKeptTag);
}

Result restore(const Napi::CallbackInfo& info) {
  const auto session = idle_session_of(info);
  if (!session) return std::unexpected(session.error());
  if (!info[1].IsExternal() || !info[1].As<KeptHandle>().CheckTypeTag(&kKeptTag)) {
    return misuse("this is nothing that a session kept");
  }
  if (!(*session)->machine->restore(*info[1].As<KeptHandle>().Data())) {
    return misuse("the session has other devices than the one that kept this");
  }
  return info.Env().Undefined();
}

Result close_sequence(const Napi::CallbackInfo& info) {
  const auto device = device_of(info);
  if (!device) return std::unexpected(device.error());
  const auto id = whole(info, 2);
  if (!id || !(*device)->head(*id, 0)) return misuse("the device has no such sequence");
  (*device)->close(*id);
  return info.Env().Undefined();
}

Result plant(const Napi::CallbackInfo& info) {
  const auto head = head_of(info);
  if (!head) return std::unexpected(head.error());
  const auto kind = whole(info, 4);
  const auto index = whole(info, 5);
  const auto bit = whole(info, 6);
  if (!kind || *kind > 2 || !index || !bit) {
    return misuse("kind, index and bit are no whole numbers, or there is no such kind");
  }
  const flash::Owner owner =
      head->cache->owner(head->id, static_cast<unit::PageKind>(*kind), *index);
  const auto place = head->cache->readable(owner);
  if (!place || !head->cache->pages().turn_over(*place, *bit)) {
    return misuse("there is no such page on flash, or no such bit in it");
  }
  return info.Env().Undefined();
}

Result describe(const Napi::CallbackInfo& info) {
  const auto session = idle_session_of(info);
  if (!session) return std::unexpected(session.error());
  return machine_to_js(info.Env(), (*session)->machine->describe());
}

Result run(const Napi::CallbackInfo& info) {
  auto spec = read_csd_run(info[1]);
  // Getters of the run may have closed the session, or started another.
  const auto session = idle_session_of(info);
  if (!session) return std::unexpected(session.error());
  if (!spec) return std::unexpected(std::move(spec).error());
  auto request = csd_jobs_of(*spec, *(*session)->machine);
  if (!request) return std::unexpected(std::move(request).error());
  if (!info[2].IsFunction()) return misuse("progress is no function");
  return start_csd_run(info.Env(), info[0], **session, *std::move(request),
                       info[2].As<Napi::Function>());
}

Result write(const Napi::CallbackInfo& info) {
  auto spec = read_csd_prompts(info[1]);
  const auto session = idle_session_of(info);
  if (!session) return std::unexpected(session.error());
  if (!spec) return std::unexpected(std::move(spec).error());
  auto request = csd_prompts_of(*spec, *(*session)->machine);
  if (!request) return std::unexpected(std::move(request).error());
  if (!info[2].IsFunction()) return misuse("progress is no function");
  return start_csd_run(info.Env(), info[0], **session, *std::move(request),
                       info[2].As<Napi::Function>());
}

Result cancel(const Napi::CallbackInfo& info) {
  const auto session = session_of(info);
  if (!session) return std::unexpected(session.error());
  *(*session)->cancelled = true;
  return info.Env().Undefined();
}

Result close(const Napi::CallbackInfo& info) {
  const auto session = session_of(info);
  if (!session) return std::unexpected(session.error());
  if ((*session)->running) return misuse("the session is running");
  (*session)->machine.reset();
  return info.Env().Undefined();
}

}  // namespace

void register_csd_session(Napi::Env env, Napi::Object exports) {
  export_function<open>(env, exports, "csdOpen");
  export_function<describe>(env, exports, "csdDescribe");
  export_function<sequence>(env, exports, "csdSequence");
  export_function<pages>(env, exports, "csdPages");
  export_function<prefill>(env, exports, "csdPrefill");
  export_function<keep>(env, exports, "csdKeep");
  export_function<restore>(env, exports, "csdRestore");
  export_function<close_sequence>(env, exports, "csdCloseSequence");
  export_function<plant>(env, exports, "csdPlant");
  export_function<run>(env, exports, "csdRun");
  export_function<write>(env, exports, "csdWrite");
  export_function<cancel>(env, exports, "csdCancel");
  export_function<close>(env, exports, "csdClose");
}

}  // namespace neardata::native
