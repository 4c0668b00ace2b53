// SPDX-License-Identifier: Apache-2.0
//
// The machines that sessions are of, each compiled in a file of its own: what is made of their records takes the
// compiler longer than all of the rest of a file.
#pragma once

namespace neardata::native {

class Door;

void export_ndp_session(Door& door);
void export_csd_session(Door& door);
void export_moe_session(Door& door);
void export_unit_session(Door& door);

}  // namespace neardata::native
