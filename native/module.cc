// SPDX-License-Identifier: Apache-2.0
//
// The addon's exports: calls and sessions of every machine, and the layout of their arguments and
// results, from which the types of TypeScript are generated.
#include <napi.h>

#include "layout.h"
#include "run.h"

namespace neardata::native {

namespace {

Napi::Object init(Napi::Env env, Napi::Object exports) {
  watch_runs(env);
  Layout layout;
  export_machines(env, exports, layout);
  export_calls(env, exports, layout);
  exports.Set("layout", layout.to_js(env));
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
