// SPDX-License-Identifier: Apache-2.0
#include "api/exports/machines.h"

#include "session.h"

namespace neardata::native {

void export_machines(Napi::Env env, Napi::Object exports, Layout& layout) {
  Exporter(env, exports, layout).add_all(api::kMachines);
}

}  // namespace neardata::native
