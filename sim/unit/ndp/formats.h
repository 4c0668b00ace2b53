// SPDX-License-Identifier: Apache-2.0
// The two 16-bit number formats of the NDP unit and the functions of its activation unit. The
// encodings are those of the descriptor and of the RTL ports.
#ifndef NEARDATA_SIM_UNIT_NDP_FORMATS_H_
#define NEARDATA_SIM_UNIT_NDP_FORMATS_H_

#include <cstdint>

namespace neardata {

enum class Format : std::uint8_t { Fp16 = 0, Bf16 = 1 };

enum class ActFunc : std::uint8_t {
  Identity = 0,
  Relu = 1,
  Silu = 2,
  Gelu = 3,
  TanhGelu = 4,
  ReluSquared = 5,
  QuickGelu = 6,  ///< x sigmoid(1.702 x)
};

/// How the activation unit joins the operands of an expert.
struct ActMode {
  ActFunc func = ActFunc::Identity;
  bool up_plus_one = false;
  /// Gate operands are at most this limit, and up operands are between it and its negative. The
  /// bits of a positive value without its sign. 0: no limit.
  std::uint16_t limit = 0;
};

}  // namespace neardata

#endif  // NEARDATA_SIM_UNIT_NDP_FORMATS_H_
