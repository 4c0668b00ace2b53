// SPDX-License-Identifier: Apache-2.0
//
// Looks for a combinational path from an input of a unit to an output: runs a unit of its own on
// random inputs for some cycles and in each of them sets other inputs without a clock edge. An
// output that moves has such a path. A path that these cycles do not reach stays unseen here; a run
// that checks its unit (RtlUnit) compares the outputs of every cycle.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rtl/shim/unit_plugin.h"

namespace neardata::rtl {

inline constexpr std::uint64_t kProbeCycles = 64;

/// One sentence that names an output and an input that changes it combinationally; empty if none is
/// found.
[[nodiscard]] std::optional<std::string> combinational_path(const NeardataUnitPlugin& api,
                                                            std::uint64_t cycles = kProbeCycles);

}  // namespace neardata::rtl
