// SPDX-License-Identifier: Apache-2.0
//
// CRC-32C (Castagnoli): reflected polynomial 0x82F63B78, begun and ended with all ones, as in
// RFC 3720. It finds every error of up to 5 bits in a packet of DIMM-Link and every burst of 32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace neardata::link {

[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace neardata::link
