// SPDX-License-Identifier: Apache-2.0
// TriMoE's section 5.5: small batches, by the equations with the causes of the gain, and simulated; the cost of moves.

import { z } from "zod";
import { lines } from "../../experiment/chart.ts";
import { spansOf } from "../../experiment/chart-map.ts";
import type { Experiment, SimulatedExperiment } from "../../experiment/experiment.ts";
import {
  explained,
  fitted,
  notComparable,
  compareNumber,
  compareStatement,
} from "../../experiment/finding.ts";
import type { Finding, Explanation } from "../../experiment/finding.ts";
import type { Figure, Table } from "../../../report/page.ts";
import { expertBytes, modelShape } from "../../../workload/shapes.ts";
import type { System } from "../policy/baselines.ts";
import { paperMachine } from "../model/machine.ts";
import { linkRound, publishedMigration } from "../policy/migration.ts";
import { transferTime } from "../../../base/units.ts";
import { present } from "../../../base/present.ts";
import { migrationOverhead, smallBatchGains } from "../constants/published.ts";
import { tracksOf } from "./cycle/cycle.ts";
import { baselines, compareOn, models, timeOf, traceNote } from "./layer.ts";
import { gainOver, strictBaselines } from "./end-to-end.ts";
import type { LayerLab } from "./lab.ts";
import { recorded, recordedNote } from "../../experiment/recorded.ts";
import { study, type LayerStudy } from "./run.ts";
import { setting } from "./setting.ts";
import { byEquation, contentionExplanation } from "./simulated-systems.ts";
import { timesUnder, explanationsOf } from "./explanations.ts";

const section = { id: "trimoe/section-5-5", paper: "trimoe" } as const;
const model = "qwen3-235b-a22b";

/** A batch with its printed gain and ours. */
interface Gain {
  readonly batch: number;
  readonly published: string;
  readonly gain: number;
}

function gainFinding(
  { batch, published, gain }: Gain,
  note: string,
  tried: readonly Explanation[],
): Finding {
  const what = `gain over the best baseline at batch ${batch}`;
  return explained(
    compareNumber(what, { published, ours: gain, unit: "x", kind: "S", note }),
    tried,
  );
}

function gainChart(series: string, gains: readonly Gain[]): Figure {
  return lines(
    {
      id: "small-batches",
      caption: "Gain against batch.",
      xTitle: "batch",
      yTitle: "gain",
      unit: "x",
    },
    gains.flatMap(({ batch, published, gain }) => [
      { x: batch, series, y: gain },
      { x: batch, series: "published", y: Number(published) },
    ]),
  );
}

/** The gain at a small batch under other assumptions and over other baselines. */
function triedAt(batch: number): readonly Explanation[] {
  const gain = (names: readonly System[], options: Partial<LayerStudy>): number =>
    gainOver(timesUnder({ model, batch }, [...names, "TriMoE"], options), names);
  return [
    ...explanationsOf((options) => gain(strictBaselines, options)),
    {
      what: "KTransformers also balances experts between CPU and GPU, which the paper does not describe",
      value: gain(baselines, {}),
    },
    {
      what: "KTransformers is the strongest baseline",
      value: gain(["En-KTransformers"], {}),
    },
  ];
}

const recordedRun = z.looseObject({
  experiments: z.tuple([
    z.looseObject({ findings: z.array(z.looseObject({ what: z.string(), ours: z.number() })) }),
  ]),
});

/** The same on one simulated step, as recorded. */
function simulatedAt(batch: number): readonly Explanation[] {
  const { experiments } = recordedRun.parse(recorded("trimoe-small-batches").result);
  return experiments[0].findings
    .filter(({ what }) => what.endsWith(` ${batch}`))
    .map(({ ours: value }) => ({
      what: "one step, simulated (recorded)",
      value,
    }));
}

/** Section 4.3 hides prefetches, too, under the window of section 5.5. */
function prefetches(): readonly Finding[] {
  const { window } = publishedMigration;
  const times = models.map((name) =>
    transferTime(expertBytes(modelShape(name, "section 5.5")), paperMachine().pcie),
  );
  return [
    explained(
      compareStatement(
        "prefetch of one hot expert over the window of 0.68 ms, most of the models",
        {
          statement: "hidden",
          ours: Math.max(...times) / window,
          unit: "1",
          range: [0, 1],
          note: "an expert of DeepSeek-V2 needs 0.74 ms over PCIe, which is longer than the window, so no expert is prefetched",
        },
      ),
      models.map((name, i) => ({ what: name, value: present(times[i]) / window })),
    ),
  ];
}

export const smallBatches: Experiment = {
  ...section,
  title: "Small batches",
  run: () => {
    const gains = smallBatchGains.map(([batch, published]) => {
      const { times, timeline } = compareOn(model, batch);
      const ours = present(times.get("TriMoE"));
      const best = Math.min(...strictBaselines.map((name) => present(times.get(name))));
      return { batch, published, gain: best / ours, timeline };
    });
    const size = expertBytes(modelShape("deepseek-v2", "section 5.5"));
    const round = linkRound(publishedMigration, size, 16);
    const movesUnder = (options: Partial<LayerStudy>): number => {
      const what = { ...setting, model: "deepseek-v2", batch: 512, relayout: true, ...options };
      return present(study(what, ["TriMoE"]).get("TriMoE")?.moves) / 4;
    };
    return {
      findings: [
        ...gains.map((one) =>
          gainFinding(one, traceNote, [...triedAt(one.batch), ...simulatedAt(one.batch)]),
        ),
        fitted(
          "time of a migration of up to four experts, DeepSeek-V2",
          "0.63",
          1e3 * round.time,
          "ms",
          "this number sets the links of an expert to three; the model then predicts how many experts move at once",
        ),
        compareNumber("experts that move at once, at most", {
          published: "4",
          ours: round.experts,
          unit: "experts",
          kind: "C",
          note: "each occupies its own DIMM and one more for each of its three links",
        }),
        explained(
          compareStatement("migrations a step over the four that may move at once", {
            statement: "infrequent: most steps move fewer",
            ours: movesUnder({}),
            unit: "1",
            range: [0, 0.5],
            note: "every expert whose class is predicted to change moves, even if the move saves little time. With an accuracy of 80 % more than four experts move per step",
          }),
          explanationsOf(movesUnder),
        ),
        ...prefetches(),
        notComparable(
          "overhead of migrations",
          migrationOverhead,
          "none, by construction",
          "%",
          "the equations move only experts that fit the window, so they have no overhead; figure 8 at fidelity cycle measures it",
        ),
      ],
      blocks: [recordedNote(recorded("trimoe-small-batches")), gainChart("ours", gains)],
      timeline: gains.flatMap(({ timeline }) => timeline),
    };
  },
};

/** The best baseline by the equations, which is the only one simulated besides TriMoE. */
function strongest(batch: number): System {
  const times = strictBaselines.map((name) => [name, timeOf(name, model, batch)] as const);
  return times.toSorted(([, a], [, b]) => a - b)[0]?.[0] ?? "En-KTransformers";
}

export function simulatedSmallBatches(lab: LayerLab): SimulatedExperiment {
  return {
    ...section,
    title: `${smallBatches.title}, simulated`,
    run: async () => {
      const points = await Promise.all(
        smallBatchGains.map(async ([batch, published]) => {
          const best = strongest(batch);
          const pair = [best, "TriMoE"] as const;
          const [base, simulatedLayer] = await lab.layers(
            pair.map((system) => ({ system, model, batch })),
          );
          if (base === undefined || simulatedLayer === undefined) throw new RangeError("no layer");
          return {
            batch,
            published,
            best,
            base,
            triMoeLayer: simulatedLayer,
            gain: base.time / simulatedLayer.time,
          };
        }),
      );
      const table: Table = {
        kind: "table",
        id: "small-batches-table",
        caption:
          "Layers of Qwen3-235B; of the baselines the best by the equations is simulated (KTransformers computes every cold expert on its CPU).",
        columns: [
          { key: "batch", title: "batch" },
          { key: "best", title: "best baseline" },
          { key: "base", title: "its layer", unit: "ms", source: "measured", digits: 4 },
          { key: "own", title: "TriMoE's", unit: "ms", source: "measured", digits: 4 },
          { key: "gain", title: "gain", unit: "x", source: "derived", digits: 3 },
          { key: "equations", title: "as planned", unit: "x", source: "derived", digits: 3 },
        ],
        rows: points.map(({ batch, best, base, triMoeLayer, gain }) => ({
          batch,
          best,
          gain,
          base: 1e3 * base.time,
          own: 1e3 * triMoeLayer.time,
          equations: base.run.time / triMoeLayer.run.time,
        })),
      };
      return {
        findings: points.map((point) =>
          gainFinding(point, `over ${point.best}; ${contentionExplanation}`, [
            { what: byEquation, value: point.base.run.time / point.triMoeLayer.run.time },
          ]),
        ),
        blocks: [table, gainChart("simulated", points)],
        timeline: points.flatMap(({ batch, best, base, triMoeLayer }) =>
          tracksOf([
            [`batch ${batch}, ${best}`, base],
            [`batch ${batch}, TriMoE`, triMoeLayer],
          ]).flatMap(spansOf),
        ),
      };
    },
  };
}
