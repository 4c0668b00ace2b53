// SPDX-License-Identifier: Apache-2.0
//
// CXL.mem as links: requests of the host on one, lines of the memory on the other. Messages are in
// slots of 16 bytes of flits: a request has one slot, a line has one for its header and four for
// its data (assumed to begin in a separate slot, as for random reads).
#pragma once

#include <cstdint>

#include "link/link_config.h"

namespace neardata::link {

/// Flits of CXL 1.1 and 2.0, 64 bytes of slots in 68 (2 of CRC, 2 of protocol), and of 3.0, 240 in
/// 256 (2 of header, 8 of CRC, 6 of error correction).
enum class CxlFlit : std::uint8_t { k68, k256 };

struct CxlLinks {
  LinkConfig requests;
  LinkConfig lines;
};

inline constexpr std::uint32_t kCxlLine = 64;

/// A number of lanes of PCIe 5.0: 32 Gb/s, 128 of 130 bits after the line code. The path through
/// both ports needs 25 ns (CXL 2.0: D. Das Sharma, "Compute Express Link", IEEE Micro 43(2), 2023).
/// Buffers for 256 lines. Messages follow each other byte by byte, and may begin on any lane.
[[nodiscard]] constexpr CxlLinks cxl_links(std::int64_t lanes, CxlFlit flit) {
  constexpr std::int64_t kTransfers = 32'000'000'000;
  constexpr std::int64_t kLaneRate = kTransfers / 130 * 128;
  // Of the specification, for the guard alone: 32 GT/s, of 130 bits 128, rounded up.
  constexpr std::int64_t kGuarded = 31'507'692'308;
  constexpr std::int64_t kLatencyPs = 25'000;
  constexpr std::uint32_t kSlot = 16;
  const auto on_wires = [&](std::uint32_t slots) {
    const std::uint32_t bytes = slots * kSlot;
    return flit == CxlFlit::k68 ? bytes * 17 / 16 : (bytes * 16 + 14) / 15;
  };
  const std::int64_t rate = lanes * kLaneRate;
  LinkConfig link{.lanes = 1,
                  .lane_rate = {rate},
                  .latency = {rate / 8 * kLatencyPs / 1'000'000'000'000 + 1},
                  .credits = 256,
                  .format = {.header_bytes = on_wires(1), .most_payload = kCxlLine},
                  .limits = {.wires = {lanes, kGuarded}, .flight = core::Fs{52'800}}};
  CxlLinks links{link, link};
  links.lines.format.header_bytes = on_wires(5) - kCxlLine;
  return links;
}

}  // namespace neardata::link
