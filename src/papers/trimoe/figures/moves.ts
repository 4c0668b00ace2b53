// SPDX-License-Identifier: Apache-2.0
// The cost of the moves of a step to the layer that follows them. Section 5.5 hides them under attention and MLP, 0.68 ms
// in front of the experts. Moves that outlast this window, and moves that begin with the experts, contend with them: DIMMs
// that send or receive an expert serve the striped reads of the CPU meanwhile.

import { modelShape } from "../../../workload/shapes.ts";
import type { Table } from "../../../report/page.ts";
import type { SimulatedExperiment } from "../../experiment/experiment.ts";
import { between } from "../../experiment/internal-check.ts";
import { spansOf } from "../../experiment/chart-map.ts";
import { tracksOf } from "./cycle/cycle.ts";
import type { SimulatedLayer } from "./cycle/simulated-layer.ts";
import type { LayerLab } from "./lab.ts";
import { publishedMigration } from "../policy/migration.ts";
import { seconds } from "../../../base/units.ts";
import { timeColumn } from "./columns.ts";

const models = ["deepseek-v2", "qwen3-235b-a22b"] as const;
const batch = 512;

/** KTransformers and TriMoE on one step: moves in the window, moves that begin with the experts, and none. */
interface Compared {
  readonly title: string;
  readonly base: SimulatedLayer;
  readonly hidden: SimulatedLayer;
  readonly beside: SimulatedLayer;
  readonly still: SimulatedLayer;
}

async function compare(lab: LayerLab, model: string): Promise<Compared> {
  const triMoe = { system: "TriMoE", model, batch } as const;
  const [base, hidden, beside, still] = await lab.layers([
    { system: "En-KTransformers", model, batch },
    triMoe,
    { ...triMoe, window: seconds(0) },
    { ...triMoe, moves: [] },
  ]);
  if (base === undefined || hidden === undefined || beside === undefined || still === undefined) {
    throw new RangeError(`no layer of ${model}`);
  }
  return { title: modelShape(model, "the layer").title, base, hidden, beside, still };
}

export function movesExperiment(lab: LayerLab): SimulatedExperiment {
  return {
    id: "trimoe/moves",
    paper: "trimoe",
    title: "Cost of moves to the layer that follows them",
    run: async () => {
      const compared = await Promise.all(models.map(async (model) => compare(lab, model)));
      const table = tableOf(compared);
      return {
        findings: [],
        checks: compared.map(({ title, beside, still }) =>
          between(
            `${title}: a layer without moves over the same with moves beside its experts`,
            still.time / beside.time,
            "1",
            [0, 1],
          ),
        ),
        blocks: [table],
        rows: table.rows,
        timeline: tracksOf(
          compared.flatMap(({ title, hidden, beside, still }) => [
            [`${title}, moves in the window`, hidden] as const,
            [`${title}, moves beside the experts`, beside] as const,
            [`${title}, without moves`, still] as const,
          ]),
        ).flatMap(spansOf),
      };
    },
  };
}

function tableOf(compared: readonly Compared[]): Table {
  const gain = { unit: "x", source: "measured", digits: 3 } as const;
  const window = 1e3 * publishedMigration.window;
  return {
    kind: "table",
    id: "moves",
    caption: `A layer at batch ${batch}, from the begin of its experts. The gain is over KTransformers on the same step. Moves between DIMMs and into GPU memory begin ${window} ms in front of the experts (section 5.5), or with the experts.`,
    columns: [
      { key: "model", title: "model" },
      timeColumn("base", "KTransformers"),
      { key: "moved", title: "between DIMMs", source: "measured" },
      { key: "prefetched", title: "into GPU memory", source: "measured" },
      timeColumn("moves", "moves last"),
      timeColumn("hidden", "TriMoE"),
      { key: "gain", title: "gain", ...gain },
      timeColumn("beside", "moves beside the experts"),
      { key: "gainBeside", title: "gain", ...gain },
      timeColumn("still", "without moves"),
      { key: "gainStill", title: "gain", ...gain },
    ],
    rows: compared.map(({ title, base, hidden, beside, still }) => ({
      model: title,
      base: 1e3 * base.time,
      moved: hidden.moved,
      prefetched: hidden.prefetched,
      moves: 1e3 * hidden.moves,
      hidden: 1e3 * hidden.time,
      gain: base.time / hidden.time,
      beside: 1e3 * beside.time,
      gainBeside: base.time / beside.time,
      still: 1e3 * still.time,
      gainStill: base.time / still.time,
    })),
  };
}
