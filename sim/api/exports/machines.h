// SPDX-License-Identifier: Apache-2.0
//
// The machines whose sessions the addon exports.
#pragma once

#include <tuple>

#include "api/csd/csd_session.h"
#include "api/moe_session.h"
#include "api/ndp_session.h"
#include "api/probe_session.h"
#include "api/unit_session.h"
#include "core/record.h"

namespace neardata::api {

inline constexpr std::tuple kMachines{
    core::Sessions<NdpSession>{"ndp"}, core::Sessions<CsdSession>{"csd"},
    core::Sessions<MoeSession>{"moe"}, core::Sessions<UnitSession>{"unit"},
    core::Sessions<ProbeSession>{"probe"}};

}  // namespace neardata::api
