// SPDX-License-Identifier: Apache-2.0
//
// The parameters that `dimm_ndp` rejects at elaboration, and the descriptors that
// `ndp_descriptor_check` refuses, for the cycle model and for sessions.
#pragma once

#include <optional>
#include <string>

#include "unit/ndp/ndp_unit.h"

namespace neardata::unit {

/// The reason, in one sentence, why no unit can have these parameters.
[[nodiscard]] std::optional<std::string> refuses(const NdpParameters& parameters);

/// The field for which the unit refuses a descriptor, as `ndp_descriptor_check` names it.
[[nodiscard]] NdpField broken_field(const NdpParameters& parameters, const Descriptor& descriptor);

/// The rule that a descriptor breaks, as half a sentence, if the unit refuses it.
[[nodiscard]] std::optional<std::string> refuses(const NdpParameters& parameters,
                                                 const Descriptor& descriptor);

}  // namespace neardata::unit
