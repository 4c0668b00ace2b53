// SPDX-License-Identifier: Apache-2.0
#include "link/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

namespace neardata::link {

namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;
constexpr std::size_t kAtOnce = 8;
using Table = std::array<std::uint32_t, 256>;

/// Table k carries a byte over k more bytes of zeros, so eight bytes are done in one step.
constexpr std::array<Table, kAtOnce> make_tables() {
  std::array<Table, kAtOnce> tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1U) ^ ((value & 1U) * kPolynomial);
    tables[0][i] = value;
  }
  for (std::size_t k = 1; k < kAtOnce; ++k) {
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint32_t before = tables[k - 1][i];
      tables[k][i] = (before >> 8U) ^ tables[0][before & 0xFFU];
    }
  }
  return tables;
}

constexpr std::array<Table, kAtOnce> kTables = make_tables();
static_assert(std::endian::native == std::endian::little);

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  std::uint32_t crc = ~0U;
  for (; bytes.size() >= kAtOnce; bytes = bytes.subspan(kAtOnce)) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes.data(), kAtOnce);
    eight ^= crc;
    crc = 0;
    for (std::size_t k = 0; k < kAtOnce; ++k) {
      crc ^= kTables[kAtOnce - 1 - k][eight >> (8 * k) & 0xFFU];
    }
  }
  for (const std::byte byte : bytes) {
    crc = (crc >> 8U) ^ kTables[0][(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xFFU];
  }
  return ~crc;
}

}  // namespace neardata::link
