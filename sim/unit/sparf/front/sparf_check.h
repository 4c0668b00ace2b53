// SPDX-License-Identifier: Apache-2.0
//
// What `sparf_descriptor_check` says of a descriptor: the first field that breaks a rule, in the
// order of their numbers in sparf_pkg.
#pragma once

#include "unit/sparf/sparf_task.h"
#include "unit/sparf/sparf_unit.h"

namespace neardata::unit {

/// The rules are listed in rtl/sparf/front/sparf_descriptor_check.sv.
[[nodiscard]] SparfField broken_field(const SparfParameters& unit, const SparfTask& task);

}  // namespace neardata::unit
