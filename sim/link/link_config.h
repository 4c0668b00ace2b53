// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a link of DIMM-Link, PCIe or CXL: lanes and their rate, overhead per packet,
// credits, latency, and the physical limits of the wires.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/clock.h"
#include "core/guard.h"
#include "core/time.h"

namespace neardata::link {

/// The division of a transfer into packets, and the overhead of each.
struct PacketFormat {
  std::uint32_t header_bytes = 16;  ///< header, framing, CRC
  std::uint32_t most_payload = 256;

  /// Packets for `bytes` bytes; one packet for none.
  [[nodiscard]] constexpr std::uint32_t packets(std::uint64_t bytes) const {
    return bytes == 0 ? 1 : static_cast<std::uint32_t>((bytes + most_payload - 1) / most_payload);
  }
};

/// Static bounds of the model, from the data sheet and not from the parameters of the link.
struct LinkLimits {
  core::BusRate wires{8, 25'000'000'000};
  core::Fs flight{};  ///< no signal crosses the wires sooner
};

struct LinkConfig {
  std::int64_t lanes = 8;
  core::Hertz lane_rate{25'000'000'000};  ///< bits per second of a lane, after its line code
  core::Cycle latency{32};                ///< last byte sent to packet received, in link cycles
  std::uint32_t credits = 16;             ///< packets the receiver has room for
  PacketFormat format;
  double bit_error_rate = 0;  ///< of a bit on the wires
  std::uint64_t seed = 0;     ///< of the errors
  LinkLimits limits;

  /// A lane carries a byte a cycle; the link's clock.
  [[nodiscard]] core::Hertz clock() const { return {lane_rate.value / 8}; }
  /// Cycles in which the lanes carry so many bytes, the last one perhaps not full.
  [[nodiscard]] core::Cycle wire_cycles(std::size_t bytes) const {
    return {(static_cast<std::int64_t>(bytes) + lanes - 1) / lanes};
  }
};

/// Counters of a link.
struct LinkCounters {
  std::uint64_t packets = 0;        ///< delivered
  std::uint64_t payload_bytes = 0;  ///< delivered
  std::uint64_t wire_bytes = 0;     ///< sent, again and again where there were errors
  std::uint64_t corrupt = 0;        ///< detected by their CRC
  std::int64_t busy_cycles = 0;     ///< the lanes carried a packet
};

}  // namespace neardata::link
