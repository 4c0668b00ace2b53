// SPDX-License-Identifier: Apache-2.0
//
// Sessions of a storage device with its engine.
#include "door/csd/csd_session.h"

#include "machines.h"
#include "session.h"

namespace neardata::native {

void export_csd_session(Door& door) { door.session<door::CsdSession>("csd"); }

}  // namespace neardata::native
