// SPDX-License-Identifier: Apache-2.0
//
// The words of a descriptor of `dimm_ndp` by name; dimm_ndp_pkg.sv says what they mean.
#pragma once

#include <cstdint>

#include "unit/ndp_unit.h"

namespace neardata::unit {

/// Bursts of a block: what the multipliers of one stream take in a slot.
[[nodiscard]] inline std::uint32_t bursts_per_block(const NdpParameters& p) {
  return p.mult_per_stream * p.lanes * 2 / static_cast<std::uint32_t>(kBurstBytes);
}

/// Cycles of a slot: an operand of 16 bits, serially.
[[nodiscard]] inline std::uint32_t cycles_per_slot(const NdpParameters& p) {
  return 16 / p.bits_per_cycle;
}

enum class NdpOp : std::uint8_t { kLinear = 0, kGated = 1, kUngated = 2 };

struct NdpTask {
  NdpTask() = default;
  explicit NdpTask(const Descriptor& d)
      : op(static_cast<NdpOp>(d[0] & 3U)),
        tokens(d[1]),
        pass_tokens(d[2]),
        in_blocks(d[3]),
        mid_rows(d[4]),
        mid_blocks(d[5]),
        out_rows(d[6]),
        x_base(d[7]),
        x_stride(d[8]),
        gate_base(d[9]),
        up_base(d[10]),
        gu_stride(d[11]),
        down_base(d[12]),
        down_stride(d[13]),
        y_base(d[14]),
        y_stride(d[15]),
        h_word(d[16]),
        c_word(d[17]) {}

  [[nodiscard]] std::uint32_t down_blocks() const {
    return op == NdpOp::kLinear ? in_blocks : mid_blocks;
  }

  NdpOp op = NdpOp::kLinear;
  std::uint32_t tokens = 0, pass_tokens = 0;
  std::uint32_t in_blocks = 0, mid_rows = 0, mid_blocks = 0, out_rows = 0;
  std::uint32_t x_base = 0, x_stride = 0;
  std::uint32_t gate_base = 0, up_base = 0, gu_stride = 0;
  std::uint32_t down_base = 0, down_stride = 0;
  std::uint32_t y_base = 0, y_stride = 0;
  std::uint32_t h_word = 0, c_word = 0;
};

}  // namespace neardata::unit
