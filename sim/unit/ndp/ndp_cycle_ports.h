// SPDX-License-Identifier: Apache-2.0
//
// What the cycle model of `dimm_ndp` takes and gives in a cycle, without any values.
#pragma once

#include <array>
#include <cstdint>

#include "unit/ndp/ndp_unit.h"

namespace neardata::unit {

struct NdpCycleInputs {
  const Descriptor* desc = nullptr;  ///< null: not valid
  bool done_ready = false;
  bool out_ready = false;
  std::uint32_t req_ready = 0;  ///< bit s belongs to stream s
  std::uint32_t rsp_valid = 0;
  std::array<std::uint16_t, kMaxStreams> rsp_tag{};
};

struct NdpCycleOutputs {
  bool desc_ready = true;
  bool done_valid = false;
  NdpField done_field = NdpField::kNone;  ///< for which the descriptor is refused
  bool out_valid = false;
  std::uint32_t out_stream = 0;
  std::uint32_t out_addr = 0;
  std::uint32_t req_valid = 0;
  // Each one vector of the processor.
  alignas(kMaxStreams * 4) std::array<std::uint32_t, kMaxStreams> req_addr{};
  alignas(kMaxStreams * 4) std::array<std::uint32_t, kMaxStreams> req_tag{};
};

}  // namespace neardata::unit
