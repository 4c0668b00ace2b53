// SPDX-License-Identifier: Apache-2.0
//
// Sessions of a user's unit alone.
#include "door/unit_session.h"

#include "machines.h"
#include "session.h"

namespace neardata::native {

void export_unit_session(Door& door) { door.session<door::UnitSession>("unit"); }

}  // namespace neardata::native
