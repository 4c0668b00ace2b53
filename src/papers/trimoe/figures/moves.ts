// SPDX-License-Identifier: Apache-2.0
// What the moves of a step cost the layer beside which they run. Section 5.5 hides them under the attention and the MLP
// of the next layer, 0.68 ms; simulated moves start with the experts of their layer, and the DIMMs that send or take an
// expert serve the striped reads of the CPU meanwhile. Both ends are here: moves beside the experts, and none.

import { modelShape } from "../../../workload/shapes.ts";
import type { Table } from "../../../report/page.ts";
import type { SimulatedExperiment } from "../../experiment/experiment.ts";
import { between } from "../../experiment/internal-check.ts";
import { spansOf } from "../../experiment/chart-map.ts";
import { tracksOf } from "./cycle/cycle.ts";
import type { SimulatedLayer } from "./cycle/simulated-layer.ts";
import type { LayerLab } from "./lab.ts";

const models = ["deepseek-v2", "qwen3-235b-a22b"] as const;
const batch = 512;

/** KTransformers and TriMoE on one step, TriMoE also without its moves. */
interface Compared {
  readonly title: string;
  readonly base: SimulatedLayer;
  readonly moving: SimulatedLayer;
  readonly still: SimulatedLayer;
}

async function compare(lab: LayerLab, model: string): Promise<Compared> {
  const own = { system: "TriMoE", model, batch } as const;
  const [base, moving, still] = await lab.layers([
    { system: "En-KTransformers", model, batch },
    own,
    { ...own, moves: [] },
  ]);
  if (base === undefined || moving === undefined || still === undefined) {
    throw new RangeError(`no layer of ${model}`);
  }
  return { title: modelShape(model, "the layer").title, base, moving, still };
}

export function movesExperiment(lab: LayerLab): SimulatedExperiment {
  return {
    id: "trimoe/moves",
    paper: "trimoe",
    title: "What moves between DIMMs cost the layer beside which they run",
    run: async () => {
      const compared = await Promise.all(models.map(async (model) => compare(lab, model)));
      const table = tableOf(compared);
      return {
        findings: [],
        checks: compared.map(({ title, moving, still }) =>
          between(
            `${title}: a layer without moves over the same with them`,
            still.time / moving.time,
            "1",
            [0, 1],
          ),
        ),
        blocks: [table],
        rows: table.rows,
        timeline: tracksOf(
          compared.flatMap(({ title, moving, still }) => [
            [`${title}, with moves`, moving] as const,
            [`${title}, without`, still] as const,
          ]),
        ).flatMap(spansOf),
      };
    },
  };
}

function tableOf(compared: readonly Compared[]): Table {
  const ms = (key: string, title: string): Table["columns"][number] => ({
    key,
    title,
    unit: "ms",
    source: "measured",
    digits: 4,
  });
  const gain = { unit: "x", source: "measured", digits: 3 } as const;
  return {
    kind: "table",
    id: "moves",
    caption: `A layer at batch ${batch}. The gain is over KTransformers on the same step; moves between DIMMs and into GPU memory start with the experts.`,
    columns: [
      { key: "model", title: "model" },
      ms("base", "KTransformers"),
      ms("moving", "TriMoE"),
      { key: "gain", title: "gain", ...gain },
      { key: "moved", title: "experts that move", source: "measured" },
      ms("moves", "moves end"),
      ms("still", "TriMoE without moves"),
      { key: "gainStill", title: "gain", ...gain },
    ],
    rows: compared.map(({ title, base, moving, still }) => ({
      model: title,
      base: 1e3 * base.time,
      moving: 1e3 * moving.time,
      gain: base.time / moving.time,
      moved: moving.moved + moving.prefetched,
      moves: 1e3 * moving.moves,
      still: 1e3 * still.time,
      gainStill: base.time / still.time,
    })),
  };
}
