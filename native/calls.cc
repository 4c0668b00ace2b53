// SPDX-License-Identifier: Apache-2.0
#include "door/exports/calls.h"

#include "session.h"

namespace neardata::native {

void export_calls(Napi::Env env, Napi::Object exports, Layout& layout) {
  Door(env, exports, layout).add_all(door::kCalls);
}

}  // namespace neardata::native
