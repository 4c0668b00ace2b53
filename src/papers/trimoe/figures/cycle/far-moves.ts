// SPDX-License-Identifier: Apache-2.0
// Four moves that depend on no policy, for experiments that compare machines: the same links are busy in each.

import { moeDimms } from "../../../../machine/resolve/dimm-links.ts";
import { modelShape } from "../../../../workload/shapes.ts";
import type { PlaceChange } from "../../policy/migration.ts";
import { onDimm, striped } from "../../policy/placement.ts";

const movedExperts = 4;

/** Striped experts of other layers that become localized on distant DIMMs. */
export function farMoves(model: string): readonly PlaceChange[] {
  const first = modelShape(model, "the layer").experts?.routed ?? 0;
  return Array.from({ length: movedExperts }, (_, i) => ({
    expert: first + i,
    from: striped,
    to: onDimm((i * moeDimms) / movedExperts),
    over: "link",
  }));
}
