// SPDX-License-Identifier: Apache-2.0
// BOOM-Explorer's method (Bai et al., ICCAD 2021): first candidates by transductive design in groups
// of equal width of the machine (there the decode width of a core, here all multiply-accumulates a
// cycle), a Gaussian process over a fully connected network, expected hypervolume improvement.

import { denseLevels } from "../../../../explore/search/embedding.ts";
import { bayesian } from "../../../../explore/search/llmshare.ts";
import { bySize } from "../../../../explore/search/memory-centric.ts";
import type { SearchMethod } from "../../../../explore/search/search.ts";
import type { Design } from "../../../../explore/search/space.ts";

const groups = 5;
/** Values of the network's levels, the last as many as the tree's root has in LLMShare. */
const widths = [32, 16, 6];

export function boomExplorer(
  parameters: number,
  capacity: number,
  width: (design: Design) => number,
): SearchMethod {
  return bayesian({
    name: "ICCAD'21",
    embedding: denseLevels(parameters, widths),
    capacity,
    first: (candidates, count, source) =>
      bySize(candidates, candidates.designs.map(width), groups, count, source),
  });
}
