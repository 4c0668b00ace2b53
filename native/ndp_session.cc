// SPDX-License-Identifier: Apache-2.0
#include "ndp_session.h"

#include <memory>
#include <span>
#include <utility>

#include "entry.h"
#include "memory_backend.h"
#include "ndp_config.h"
#include "ndp_run_worker.h"
#include "ndp_session_state.h"

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
  if (!info[1].IsNumber()) return misuse("the stream is no number");
  const std::int64_t stream = info[1].As<Napi::Number>().Int64Value();
  auto& stores = session.dimm->stores();
  if (stream < 0 || stream >= static_cast<std::int64_t>(stores.size())) {
    return misuse("the machine has no stream " + std::to_string(stream));
  }
  return &stores[static_cast<std::size_t>(stream)];
}

/// A sub-channel and a range of bursts in it.
struct Region {
  system::ByteStore* store;
  std::uint32_t burst;
};

std::expected<Region, Refusal> region_of(const Napi::CallbackInfo& info, NdpSessionState& session,
                                         std::size_t bursts) {
  const auto store = store_of(info, session);
  if (!store) return std::unexpected(store.error());
  if (!info[2].IsNumber()) return misuse("the burst is no number");
  const std::int64_t burst = info[2].As<Napi::Number>().Int64Value();
  constexpr std::int64_t kBursts = std::int64_t{1} << 32U;
  if (burst < 0 || burst + static_cast<std::int64_t>(bursts) > kBursts) {
    return misuse("burst " + std::to_string(burst) + " is beyond the sub-channel");
  }
  return Region{*store, static_cast<std::uint32_t>(burst)};
}

Result open(const Napi::CallbackInfo& info) {
  auto config = read_ndp_config(info[0]);
  if (!config) return std::unexpected(std::move(config).error());
  if (const auto* memory = std::get_if<system::DramConfig>(&config->memory)) {
    if (auto refused = backend_refuses(memory->controller)) {
      return std::unexpected(Refusal{"bad-input", "memory: " + *std::move(refused)});
    }
  }
  const core::Hertz unit_clock = config->unit_clock;
  auto dimm = system::NdpDimm::make(*std::move(config));
  if (!dimm) {
    return std::unexpected(Refusal{"bad-input", dimm.error().place + ": " + dimm.error().message});
  }
  auto state = std::make_unique<NdpSessionState>(*std::move(dimm), core::Clock(unit_clock));
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
  if (!info[3].IsTypedArray() ||
      info[3].As<Napi::TypedArray>().TypedArrayType() != napi_uint8_array ||
      info[3].As<Napi::TypedArray>().ByteLength() % unit::kBurstBytes != 0) {
    return misuse("the bytes are no Uint8Array of whole 64-byte bursts");
  }
  const auto bytes = info[3].As<Napi::Uint8Array>();
  const auto region = region_of(info, **session, bytes.ByteLength() / unit::kBurstBytes);
  if (!region) return std::unexpected(region.error());
  region->store->write(region->burst, std::as_bytes(std::span(bytes.Data(), bytes.ByteLength())));
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
  if (!info[3].IsNumber() || info[3].As<Napi::Number>().Int64Value() < 0) {
    return misuse("the number of bursts is no whole number");
  }
  const auto bursts = static_cast<std::size_t>(info[3].As<Napi::Number>().Int64Value());
  const auto region = region_of(info, **session, bursts);
  if (!region) return std::unexpected(region.error());
  auto bytes = Napi::Uint8Array::New(info.Env(), bursts * unit::kBurstBytes);
  if (bytes.IsEmpty()) return bytes;  // out of memory: its error is pending
  region->store->read(region->burst,
                      std::as_writable_bytes(std::span(bytes.Data(), bytes.ByteLength())));
  return bytes;
}

Result run(const Napi::CallbackInfo& info) {
  const auto session = idle_session_of(info);
  if (!session) return std::unexpected(session.error());
  auto request = read_ndp_run(info[1]);
  if (!request) return std::unexpected(std::move(request).error());
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
  export_function<load>(env, exports, "ndpLoad");
  export_function<keep>(env, exports, "ndpKeep");
  export_function<restore>(env, exports, "ndpRestore");
  export_function<read>(env, exports, "ndpRead");
  export_function<run>(env, exports, "ndpRun");
  export_function<cancel>(env, exports, "ndpCancel");
  export_function<close>(env, exports, "ndpClose");
}

}  // namespace neardata::native
