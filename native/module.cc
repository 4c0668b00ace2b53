// SPDX-License-Identifier: Apache-2.0
//
// The addon's exports. Each binding registers its functions; `abi` is compared with what the
// TypeScript side was written for.
#include <napi.h>

#include "csd_session.h"
#include "dram_probe.h"
#include "dram_replay.h"
#include "flash_replay.h"
#include "hta1.h"
#include "moe_run.h"
#include "ndp_session.h"
#include "run.h"

namespace neardata::native {

namespace {

/// Raised with every change of what passes between TypeScript and C++.
constexpr std::uint32_t kAbi = 4;

Napi::Object init(Napi::Env env, Napi::Object exports) {
  exports.Set("abi", Napi::Number::New(env, kAbi));
  watch_runs(env);
  register_csd_session(env, exports);
  register_dram_probe(env, exports);
  register_dram_replay(env, exports);
  register_flash(env, exports);
  register_hta1(env, exports);
  register_moe(env, exports);
  register_ndp_session(env, exports);
  return exports;
}

}  // namespace

}  // namespace neardata::native

// The macro looks its function up by an unqualified name.
namespace {
Napi::Object init_module(Napi::Env env, Napi::Object exports) {
  return neardata::native::init(env, exports);
}
}  // namespace

NODE_API_MODULE(neardata, init_module)
