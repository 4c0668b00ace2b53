// SPDX-License-Identifier: Apache-2.0
//
// What a page of a head holds: keys or values of tokens behind each other, or dimensions of keys of
// a block of tokens. The numbers are those of the engine's ports.
#pragma once

#include <cstdint>

namespace neardata::flash {

enum class PageKind : std::uint8_t { kTokenKeys, kTokenValues, kDimKeys };

}  // namespace neardata::flash
