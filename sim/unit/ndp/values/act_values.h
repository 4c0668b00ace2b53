// SPDX-License-Identifier: Apache-2.0
// The values of the activation unit, the same bits as its RTL: activations of a 16-bit float, and
// the correctly rounded product with the up operand of a gated FFN. Round to nearest even,
// subnormals kept, overflow to infinity, NaN canonical.
#ifndef NEARDATA_SIM_UNIT_NDP_ACT_VALUES_H_
#define NEARDATA_SIM_UNIT_NDP_ACT_VALUES_H_

#include <cstdint>

#include "unit/ndp/formats.h"

namespace neardata::unit {

[[nodiscard]] std::uint16_t act(std::uint16_t bits, ActFunc func, Format format);

/// A gate or an up operand as it reaches the lanes: clamped, and an up operand increased by one.
[[nodiscard]] std::uint16_t operand(std::uint16_t bits, bool up, const ActMode& mode,
                                    Format format);

[[nodiscard]] std::uint16_t mul(std::uint16_t a, std::uint16_t b, Format format);

}  // namespace neardata::unit

#endif  // NEARDATA_SIM_UNIT_NDP_ACT_VALUES_H_
