// SPDX-License-Identifier: Apache-2.0
// FlexGen: the ablation (table 5), with possible explanations of each deviation.

import { allFeatures, type Features } from "../model/ablation.ts";
import {
  machineOf,
  placed,
  publishedRun,
  released30b,
  releasedMachineOf,
  run175b,
  run30b,
  type PublishedRun,
} from "../constants/published.ts";
import { flopsPerSecond } from "../../../base/units.ts";
import { present } from "../../../base/present.ts";
import { bars } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import {
  explained,
  fitted,
  compareNumber as printedNumber,
  compareName,
  compareStatement,
  type Finding,
  type Explanation,
} from "../../experiment/finding.ts";
import { fits, runOf } from "./run.ts";
import { blockSpans } from "./timeline.ts";

/** Row of table 5: 30B and 175B, printed and ours. */
type Row = readonly [
  name: string,
  printed: readonly [number, number],
  ours: () => [number, number],
];

/** Settings that differ only in the disabled optimisation. */
const switched = [
  ["all optimisations", {}],
  ["no overlapping", { overlap: false }],
  ["no CPU compute", { cpuAttention: false }],
] as const satisfies readonly (readonly [string, Partial<Features>])[];

const without = (features: Partial<Features>) => (): [number, number] => [
  runOf(run30b, { features: { ...allFeatures, ...features } }).generation,
  runOf(run175b, { features: { ...allFeatures, ...features } }).generation,
];

/** DeepSpeed's policy: one GPU batch with its cache on the GPU, weights all on the CPU or on disk. */
const deepSpeed = (): [number, number] => [
  runOf(publishedRun("opt-30b", 512, [8, 1], placed(0, 1, "gpu"))).generation,
  runOf(publishedRun("opt-175b", 512, [2, 1], placed(0, 0, "gpu"))).generation,
];

const rows5: readonly Row[] = [
  ["all optimisations", [7.32, 0.69], without({})],
  [
    "no policy search",
    [6.93, 0.27],
    () => [
      runOf(publishedRun("opt-30b", 512, [64, 2], placed(0, 1, "cpu"))).generation,
      runOf(publishedRun("opt-175b", 512, [32, 1], placed(0, 0.5, "disk"))).generation,
    ],
  ],
  ["no overlapping", [5.86, 0.59], without({ overlap: false })],
  ["no CPU compute", [4.03, 0.62], without({ cpuAttention: false })],
  ["DeepSpeed's policy", [1.57, 0.01], deepSpeed],
];

/** The smallest possible block, one sequence, with all weights on GPU and CPU. */
function withoutDisk(): string {
  const shares = Array.from({ length: 11 }, (_, i) => i / 10);
  const fitting = shares.filter((wg) =>
    fits(publishedRun("opt-175b", 512, [1, 1], placed(wg, 1 - wg, "cpu"))),
  );
  return fitting.length === 0 ? "OOM" : "fits";
}

/** Other methods to run a row of table 5. */
function tried5(name: string, size: number): readonly Explanation[] {
  const run = size === 0 ? run30b : run175b;
  const of = (
    what: string,
    features: Partial<Features>,
    other: PublishedRun = run,
  ): Explanation => ({
    what,
    value: runOf(other, { features: { ...allFeatures, ...features } }).generation,
  });
  const slow = { overlap: false, cpuAttention: false };
  switch (name) {
    case "no overlapping":
      return [
        of("and attention on the GPU", slow),
        {
          what: "writes of caches at the released fit's rates",
          value: runOf(run, {
            features: { ...allFeatures, overlap: false },
            machine: releasedMachineOf(run),
          }).generation,
        },
        {
          what: "attention on a CPU with twice the rate",
          value: runOf(run, {
            features: { ...allFeatures, overlap: false },
            machine: { ...machineOf(run), cpu: flopsPerSecond(2 * machineOf(run).cpu) },
          }).generation,
        },
      ];
    case "no CPU compute":
      return [
        of("caches that cross without overlapping", slow),
        {
          what: "caches that cross at the rate of the link, as weights do",
          value: runOf(run, {
            features: { ...allFeatures, cpuAttention: false },
            machine: { ...machineOf(run), cacheCopy: machineOf(run).cpuToGpu },
          }).generation,
        },
        of("the release's block of 48 x 3", { cpuAttention: false }, released30b),
      ];
    case "DeepSpeed's policy":
      return [4, 16].map((batch) =>
        of(
          `batches of ${batch}`,
          {},
          publishedRun(run.model, 512, [batch, 1], placed(0, size === 0 ? 1 : 0, "gpu")),
        ),
      );
    default:
      return [
        of("the release's block of 48 x 3", {}, released30b),
        of("no overlapping", { overlap: false }),
      ];
  }
}

export const table5: Experiment = {
  id: "flexgen/table-5",
  paper: "flexgen",
  title: "Ablation, prompts of 512 tokens",
  run: () => {
    const rows = rows5.map(([name, printed, run]) => ({ name, printed, ours: run() }));
    const fit = "released constants of a T4";
    const notes: Readonly<Record<string, readonly [string, string]>> = {
      "no policy search": [fit, "disk reads of table 4; all other parts are released constants"],
      "no overlapping": [fit, fit],
      "no CPU compute": [
        "sets the rate at which the CPU copies caches to 4 GB/s",
        "the CPU copies caches at the rate that the row of 30B sets; all other parts are released constants",
      ],
      "DeepSpeed's policy": [
        "the batches of this policy are not published",
        "the batches of this policy are not published",
      ],
    };
    return {
      // The first row is table 2's, judged there.
      findings: [
        ...rows.slice(1).flatMap(({ name, printed, ours }, row): readonly Finding[] =>
          ["30B", "175B"].map((size, i) => {
            if (name === "no CPU compute" && i === 0) {
              const [note] = notes[name] ?? [];
              return fitted(`${size}, ${name}`, printed[0], ours[0], "token/s", note ?? "");
            }
            const finding = printedNumber(`${size}, ${name}`, {
              published: present(printed[i]),
              ours: present(ours[i]),
              unit: "token/s",
              kind: row === 0 ? "C" : "S",
              note: notes[name]?.at(i) ?? "",
            });
            if (finding.verdict !== "differs") return finding;
            return explained(finding, tried5(name, i));
          }),
        ),
        compareStatement("30B, no disk: over all optimisations", {
          statement: "the same",
          ours: Number(run30b.placement.wn + run30b.placement.cn === 0),
          unit: "1",
          range: [1, 1],
          note: "no data of this run are on disk",
        }),
        compareName("175B, no disk", "OOM", withoutDisk()),
      ],
      blocks: [0, 1].map((i) =>
        bars(
          {
            id: `table-5-${i === 0 ? "30b" : "175b"}`,
            caption: `Throughput of OPT-${i === 0 ? "30B" : "175B"} with parts switched off.`,
            xTitle: "setting",
            yTitle: "throughput",
            unit: "token/s",
          },
          rows.flatMap(({ name, printed, ours }) => [
            { x: name, series: "published", y: present(printed[i]) },
            { x: name, series: "ours", y: present(ours[i]) },
          ]),
        ),
      ),
      timeline: [run30b, run175b].flatMap((run) =>
        switched.flatMap(([name, features]) =>
          blockSpans(run, `${run.name}, ${name}`, { features: { ...allFeatures, ...features } }),
        ),
      ),
    };
  },
};
