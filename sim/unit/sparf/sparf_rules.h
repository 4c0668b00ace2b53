// SPDX-License-Identifier: Apache-2.0
//
// The elaboration rules of `sparf_engine` and its parts, also for the cycle model.
#pragma once

#include <optional>
#include <string>

#include "unit/sparf/sparf_unit.h"

namespace neardata::unit {

/// One sentence about the first parameter that is not valid; empty if all are valid.
[[nodiscard]] std::optional<std::string> refuses(const SparfParameters& parameters);

}  // namespace neardata::unit
