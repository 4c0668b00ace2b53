// SPDX-License-Identifier: Apache-2.0
//
// Fields of Verilated ports. A port is an integer up to 64 bits and an array of 32-bit words, least
// significant first, beyond that; these functions hide which. Values are masked to their field:
// Verilator trusts inputs, and a value too wide for its port reaches past arrays.
#pragma once

#include <verilated.h>

#include <concepts>
#include <cstdint>
#include <cstring>

namespace neardata::rtl {

constexpr std::uint32_t low_bits(unsigned width) {
  return width >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << width) - 1;
}

/// Bits [lsb, lsb + width) of a port, width <= 32.
template <std::unsigned_integral Port>
std::uint32_t get_field(const Port& port, unsigned lsb, unsigned width) {
  return static_cast<std::uint32_t>(std::uint64_t{port} >> lsb) & low_bits(width);
}

template <std::size_t Words>
std::uint32_t get_field(const VlWide<Words>& port, unsigned lsb, unsigned width) {
  const unsigned word = lsb / 32;
  const unsigned shift = lsb % 32;
  std::uint64_t pair = port[word];
  if (shift + width > 32) pair |= std::uint64_t{port[word + 1]} << 32;
  return static_cast<std::uint32_t>(pair >> shift) & low_bits(width);
}

/// Sets bits [lsb, lsb + width) of a port whose bits there are zero, width <= 32.
template <std::unsigned_integral Port>
void or_field(Port& port, unsigned lsb, unsigned width, std::uint32_t value) {
  port = static_cast<Port>(port | std::uint64_t{value & low_bits(width)} << lsb);
}

template <std::size_t Words>
void or_field(VlWide<Words>& port, unsigned lsb, unsigned width, std::uint32_t value) {
  const unsigned word = lsb / 32;
  const unsigned shift = lsb % 32;
  const std::uint64_t pair = std::uint64_t{value & low_bits(width)} << shift;
  port[word] |= static_cast<std::uint32_t>(pair);
  if (shift + width > 32) port[word + 1] |= static_cast<std::uint32_t>(pair >> 32);
}

template <std::unsigned_integral Port>
void clear(Port& port) {
  port = 0;
}

template <std::size_t Words>
void clear(VlWide<Words>& port) {
  std::memset(port.data(), 0, Words * sizeof(EData));
}

/// The whole of a port of `Bits` bits from words, the least significant first.
template <unsigned Bits, std::unsigned_integral Port>
void drive_port(Port& port, const std::uint32_t* words) {
  if constexpr (Bits > 32) {
    port = words[0] | std::uint64_t{words[1] & low_bits(Bits - 32)} << 32;
  } else {
    port = static_cast<Port>(words[0] & low_bits(Bits));
  }
}

template <unsigned Bits, std::size_t Words>
void drive_port(VlWide<Words>& port, const std::uint32_t* words) {
  std::memcpy(port.data(), words, Words * sizeof(EData));
  if constexpr (Bits % 32 != 0) port[Words - 1] &= low_bits(Bits % 32);
}

/// The whole of a port of `Bits` bits into words.
template <unsigned Bits, std::unsigned_integral Port>
void sample_port(const Port& port, std::uint32_t* words) {
  words[0] = static_cast<std::uint32_t>(port);
  if constexpr (Bits > 32) words[1] = static_cast<std::uint32_t>(port >> 32);
}

template <unsigned Bits, std::size_t Words>
void sample_port(const VlWide<Words>& port, std::uint32_t* words) {
  std::memcpy(words, port.data(), Words * sizeof(EData));
}

/// Bits [Lsb, Lsb + Bits) of a port, 0 before, from words.
template <unsigned Lsb, unsigned Bits>
void drive_field(auto& port, const std::uint32_t* words) {
  for (unsigned at = 0; at < Bits; at += 32) {
    or_field(port, Lsb + at, Bits - at < 32 ? Bits - at : 32, words[at / 32]);
  }
}

/// Bits [Lsb, Lsb + Bits) of a port into words.
template <unsigned Lsb, unsigned Bits>
void sample_field(const auto& port, std::uint32_t* words) {
  for (unsigned at = 0; at < Bits; at += 32) {
    words[at / 32] = get_field(port, Lsb + at, Bits - at < 32 ? Bits - at : 32);
  }
}

}  // namespace neardata::rtl
