// SPDX-License-Identifier: Apache-2.0
#include "door/exports/machines.h"

#include "session.h"

namespace neardata::native {

void export_machines(Napi::Env env, Napi::Object exports, Layout& layout) {
  Door(env, exports, layout).add_all(door::kMachines);
}

}  // namespace neardata::native
