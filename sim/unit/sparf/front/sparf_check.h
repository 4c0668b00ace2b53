// SPDX-License-Identifier: Apache-2.0
//
// The result of `sparf_descriptor_check` for a descriptor: the first field that violates a rule, in
// the order of their numbers in sparf_pkg.
#pragma once

#include "unit/sparf/sparf_task.h"
#include "unit/sparf/sparf_unit.h"

namespace neardata::unit {

/// The rules are listed in rtl/sparf/front/sparf_descriptor_check.sv.
[[nodiscard]] SparfField broken_field(const SparfParameters& unit, const SparfTask& task);

}  // namespace neardata::unit
