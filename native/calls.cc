// SPDX-License-Identifier: Apache-2.0
#include "api/exports/calls.h"

#include "session.h"

namespace neardata::native {

void export_calls(Napi::Env env, Napi::Object exports, Layout& layout) {
  Exporter(env, exports, layout).add_all(api::kCalls);
}

}  // namespace neardata::native
