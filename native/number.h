// SPDX-License-Identifier: Apache-2.0
//
// Counts as JavaScript has them: of what a run gives back none is beyond 2^53.
#pragma once

#include <vector>

namespace neardata::native {

using Numbers = std::vector<double>;

[[nodiscard]] double number(auto value) { return static_cast<double>(value); }

}  // namespace neardata::native
