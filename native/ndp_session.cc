// SPDX-License-Identifier: Apache-2.0
#include "ndp_session.h"

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "entry.h"
#include "machine_record.h"
#include "memory_backend.h"
#include "ndp_config.h"
#include "ndp_run.h"
#include "ndp_session_state.h"
#include "reader.h"

namespace neardata::native {

namespace {

/// Marks our handles, so that no other external object passes for one.
constexpr napi_type_tag kHandleTag{0x6e65617264617461, 0x6e64702d73657373};

constexpr napi_type_tag kContentsTag{0x6e65617264617461, 0x6e64702d636f6e74};

using Handle = Napi::External<NdpSessionState>;
/// What a sub-channel held, good in any session.
using ContentsHandle = Napi::External<system::ByteStore>;

std::expected<NdpSessionState*, Refusal> session_of(const Napi::CallbackInfo& info) {
  if (!info[0].IsExternal() || !info[0].As<Handle>().CheckTypeTag(&kHandleTag)) {
    return misuse("the first argument is no NDP session");
  }
  return info[0].As<Handle>().Data();
}

/// A session that is open and does not run.
std::expected<NdpSessionState*, Refusal> idle_session_of(const Napi::CallbackInfo& info) {
  auto session = session_of(info);
  if (!session) return session;
  if (!(*session)->dimm) return misuse("the session is closed");
  if ((*session)->running) return misuse("the session is running");
  return session;
}

std::expected<system::ByteStore*, Refusal> store_of(const Napi::CallbackInfo& info,
                                                    NdpSessionState& session) {
  const auto stream = whole_argument(info, 1);
  auto& stores = session.dimm->stores();
  if (!stream || *stream >= stores.size()) return misuse("the machine has no such stream");
  return &stores[*stream];
}

/// A sub-channel and the first of a range of bursts in it.
struct Region {
  system::ByteStore* store;
  std::uint32_t burst;
};

std::expected<Region, Refusal> region_of(const Napi::CallbackInfo& info, NdpSessionState& session,
                                         std::uint64_t bursts) {
  const auto store = store_of(info, session);
  if (!store) return std::unexpected(store.error());
  const auto burst = whole_argument(info, 2);
  if (!burst) return misuse("the burst is no whole number");
  if (bursts > limits::kMostBursts) {
    return bad_input("a call copies at most " + std::to_string(limits::kMostBursts) + " bursts");
  }
  if (*burst > session.bursts || bursts > session.bursts - *burst) {
    return bad_input("burst " + std::to_string(*burst) + " and " + std::to_string(bursts) +
                     " from there on are beyond the " + std::to_string(session.bursts) +
                     " of the sub-channel");
  }
  return Region{*store, static_cast<std::uint32_t>(*burst)};
}

Result open(const Napi::CallbackInfo& info) {
  auto config = read_ndp_config(info[0]);
  if (!config) return std::unexpected(std::move(config).error());
  if (const auto* memory = std::get_if<system::DramConfig>(&config->memory)) {
    if (auto refused = backend_refuses(memory->controller)) {
      return std::unexpected(Refusal{"bad-input", "memory: " + *std::move(refused)});
    }
  }
  const std::uint64_t bursts = bursts_of(*config);
  const core::Hertz unit_clock = config->unit_clock;
  const auto modelled =
      config->model == system::UnitModel::kCycle ? std::optional(config->parameters) : std::nullopt;
  auto dimm = system::NdpDimm::make(*std::move(config));
  if (!dimm) {
    return std::unexpected(Refusal{"bad-input", dimm.error().place + ": " + dimm.error().message});
  }
  auto state = std::make_unique<NdpSessionState>(*std::move(dimm), core::Clock(unit_clock), bursts,
                                                 modelled);
  const Handle handle = Handle::New(
      info.Env(), state.release(),
      [](Napi::Env, NdpSessionState* owned) { std::unique_ptr<NdpSessionState>{owned}.reset(); });
  handle.TypeTag(&kHandleTag);
  return handle;
}

Result clear(const Napi::CallbackInfo& info) {
  const auto session = idle_session_of(info);
  if (!session) return std::unexpected(session.error());
  for (system::ByteStore& store : (*session)->dimm->stores()) store = system::ByteStore{};
  return info.Env().Undefined();
}

Result load(const Napi::CallbackInfo& info) {
  const auto session = idle_session_of(info);
  if (!session) return std::unexpected(session.error());
  const auto bytes = TypedArray<std::uint8_t>::of(info[3]);
  if (!bytes || bytes->data().size() % unit::kBurstBytes != 0) {
    return misuse("the bytes are no Uint8Array of whole 64-byte bursts");
  }
  const auto region = region_of(info, **session, bytes->data().size() / unit::kBurstBytes);
  if (!region) return std::unexpected(region.error());
  region->store->write(region->burst, std::as_bytes(bytes->data()));
  return info.Env().Undefined();
}

Result keep(const Napi::CallbackInfo& info) {
  const auto session = idle_session_of(info);
  if (!session) return std::unexpected(session.error());
  const auto store = store_of(info, **session);
  if (!store) return std::unexpected(store.error());
  auto contents = std::make_unique<system::ByteStore>(**store);
  const ContentsHandle handle =
      ContentsHandle::New(info.Env(), contents.release(), [](Napi::Env, system::ByteStore* owned) {
        std::unique_ptr<system::ByteStore>{owned}.reset();
      });
  handle.TypeTag(&kContentsTag);
  return handle;
}

Result restore(const Napi::CallbackInfo& info) {
  const auto session = idle_session_of(info);
  if (!session) return std::unexpected(session.error());
  const auto store = store_of(info, **session);
  if (!store) return std::unexpected(store.error());
  if (!info[2].IsExternal() || !info[2].As<ContentsHandle>().CheckTypeTag(&kContentsTag)) {
    return misuse("this is nothing that a session kept");
  }
  **store = *info[2].As<ContentsHandle>().Data();
  return info.Env().Undefined();
}

Result read(const Napi::CallbackInfo& info) {
  const auto session = idle_session_of(info);
  if (!session) return std::unexpected(session.error());
  const auto bursts = whole_argument(info, 3);
  if (!bursts) return misuse("the number of bursts is no whole number");
  const auto region = region_of(info, **session, *bursts);
  if (!region) return std::unexpected(region.error());
  const NewArray<std::uint8_t> bytes(info.Env(), *bursts * unit::kBurstBytes);
  region->store->read(region->burst, std::as_writable_bytes(bytes.data));
  return bytes.value;
}

Result describe(const Napi::CallbackInfo& info) {
  const auto session = idle_session_of(info);
  if (!session) return std::unexpected(session.error());
  return machine_to_js(info.Env(), (*session)->dimm->describe());
}

Result run(const Napi::CallbackInfo& info) {
  auto request = read_ndp_run(info[1]);
  // Getters of the request may have closed the session, or started a run.
  const auto session = idle_session_of(info);
  if (!session) return std::unexpected(session.error());
  if (!request) return std::unexpected(std::move(request).error());
  if ((*session)->modelled) {
    if (const auto why = refuses(*(*session)->modelled, request->jobs)) return bad_input(*why);
  }
  if (!info[2].IsFunction()) return misuse("progress is no function");
  return start_ndp_run(info.Env(), info[0], **session, *std::move(request),
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
  (*session)->dimm.reset();
  return info.Env().Undefined();
}

}  // namespace

void register_ndp_session(Napi::Env env, Napi::Object exports) {
  export_function<open>(env, exports, "ndpOpen");
  export_function<clear>(env, exports, "ndpClear");
  export_function<describe>(env, exports, "ndpDescribe");
  export_function<load>(env, exports, "ndpLoad");
  export_function<keep>(env, exports, "ndpKeep");
  export_function<restore>(env, exports, "ndpRestore");
  export_function<read>(env, exports, "ndpRead");
  export_function<run>(env, exports, "ndpRun");
  export_function<cancel>(env, exports, "ndpCancel");
  export_function<close>(env, exports, "ndpClose");
}

}  // namespace neardata::native
