// SPDX-License-Identifier: Apache-2.0
//
// Sessions of NDP units behind DRAM.
#include "door/ndp_session.h"

#include "machines.h"
#include "session.h"

namespace neardata::native {

void export_ndp_session(Door& door) { door.session<door::NdpSession>("ndp"); }

}  // namespace neardata::native
