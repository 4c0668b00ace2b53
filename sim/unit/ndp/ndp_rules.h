// SPDX-License-Identifier: Apache-2.0
//
// What `dimm_ndp` refuses when it is elaborated, and what its assertions say of a descriptor, for
// the cycle model, which has neither.
#pragma once

#include <optional>
#include <string>

#include "unit/ndp/ndp_unit.h"

namespace neardata::unit {

/// Why there is no unit of these parameters, in one sentence, if so.
[[nodiscard]] std::optional<std::string> refuses(const NdpParameters& parameters);

/// The field for which the unit itself refuses a descriptor, as `ndp_descriptor` does.
[[nodiscard]] NdpField broken_field(const NdpParameters& parameters, const Descriptor& descriptor);

/// Why a unit of these parameters takes no such descriptor, in one sentence, if so.
[[nodiscard]] std::optional<std::string> refuses(const NdpParameters& parameters,
                                                 const Descriptor& descriptor);

}  // namespace neardata::unit
