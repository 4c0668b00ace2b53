// SPDX-License-Identifier: Apache-2.0
//
// The machines whose sessions the addon exports.
#pragma once

#include <tuple>

#include "core/record.h"
#include "door/csd/csd_session.h"
#include "door/moe_session.h"
#include "door/ndp_session.h"
#include "door/probe_session.h"
#include "door/unit_session.h"

namespace neardata::door {

inline constexpr std::tuple kMachines{
    core::Sessions<NdpSession>{"ndp"}, core::Sessions<CsdSession>{"csd"},
    core::Sessions<MoeSession>{"moe"}, core::Sessions<UnitSession>{"unit"},
    core::Sessions<ProbeSession>{"probe"}};

}  // namespace neardata::door
