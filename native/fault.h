// SPDX-License-Identifier: Apache-2.0
//
// How a run ended, for JavaScript: `fault` ("none" when it completed), `place`, `message` and
// `faultCycle` of the unit's clock.
#pragma once

#include <napi.h>

#include <optional>

#include "core/clock.h"
#include "core/error.h"

namespace neardata::native {

void set_fault(Napi::Object out, const std::optional<core::SimError>& error,
               const core::Clock& clock);

}  // namespace neardata::native
