// SPDX-License-Identifier: Apache-2.0
//
// What `sparf_engine` and its parts refuse when they are elaborated, for the cycle model too.
#pragma once

#include <optional>
#include <string>

#include "unit/sparf/sparf_unit.h"

namespace neardata::unit {

/// Why there is no engine of these parameters, in one sentence, if so.
[[nodiscard]] std::optional<std::string> refuses(const SparfParameters& parameters);

}  // namespace neardata::unit
