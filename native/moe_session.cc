// SPDX-License-Identifier: Apache-2.0
//
// Sessions of a layer of experts on DIMMs.
#include "door/moe_session.h"

#include "machines.h"
#include "session.h"

namespace neardata::native {

void export_moe_session(Door& door) { door.session<door::MoeSession>("moe"); }

}  // namespace neardata::native
