// SPDX-License-Identifier: Apache-2.0
//
// The contents of a page of a head: keys or values of consecutive tokens, or dimensions of the keys
// of a block of tokens. The numbers are those of the engine's ports.
#pragma once

#include <cstdint>

namespace neardata::flash {

enum class PageKind : std::uint8_t { kTokenKeys, kTokenValues, kDimKeys };

}  // namespace neardata::flash
