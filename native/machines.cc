// SPDX-License-Identifier: Apache-2.0
//
// Exports the session of every machine.
#include "machines.h"

#include "session.h"

namespace neardata::native {

void export_machines(Napi::Env env, Napi::Object exports, Layout& layout) {
  Door door(env, exports, layout);
  export_ndp_session(door);
  export_csd_session(door);
  export_moe_session(door);
  export_unit_session(door);
}

}  // namespace neardata::native
