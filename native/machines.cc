// SPDX-License-Identifier: Apache-2.0
//
// The machines that sessions are of.
#include "door/csd/csd_session.h"
#include "door/moe_session.h"
#include "door/ndp_session.h"
#include "door/probe_session.h"
#include "door/unit_session.h"
#include "session.h"

namespace neardata::native {

void export_machines(Napi::Env env, Napi::Object exports, Layout& layout) {
  Door door(env, exports, layout);
  door.session<door::NdpSession>("ndp");
  door.session<door::CsdSession>("csd");
  door.session<door::MoeSession>("moe");
  door.session<door::UnitSession>("unit");
  door.session<door::ProbeSession>("probe");
}

}  // namespace neardata::native
