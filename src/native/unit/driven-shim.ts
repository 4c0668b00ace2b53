// SPDX-License-Identifier: Apache-2.0
// The C++ of a unit whose ports a caller drives: the shim of its ports (shim.ts), and behind it the
// interface that has a call before and at each clock edge (sim/rtl/shim/driven_shim.h).

import { shimText, type ShimModel } from "./shim.ts";
import type { UnitPorts } from "./streams.ts";

export function drivenShimText(unit: UnitPorts, model: ShimModel): string {
  return `${shimText(unit, model)}
#include "rtl/shim/driven_shim.h"

struct NeardataDriven final : DrivenShim<Ports> {
  using DrivenShim::DrivenShim;
};

extern "C" __attribute__((visibility("default"))) const NeardataDrivenPlugin*
neardata_driven_plugin() {
  static constexpr NeardataDrivenPlugin kPlugin = driven_plugin<NeardataDriven>();
  return &kPlugin;
}
`;
}
