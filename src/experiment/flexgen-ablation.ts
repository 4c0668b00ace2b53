// SPDX-License-Identifier: Apache-2.0
// FlexGen: the breakdown of a run (table 4), the ablation (table 5) and four GPUs (table 3).

import { allFeatures, featureTerms, type Features } from "../policy/flexgen/ablation.ts";
import type { TermName } from "../policy/flexgen/cost.ts";
import {
  flexGenModel,
  machineOf,
  placed,
  publishedRun,
  run175b,
  run30b,
} from "../policy/flexgen/published.ts";
import { bars, stacks, type StackedDatum } from "./chart.ts";
import type { Experiment } from "./experiment.ts";
import { fitted, printed as printedNumber, stated, type Finding } from "./finding.ts";
import { runOf } from "./flexgen-run.ts";
import { blockSpans, pipelineSpans } from "./flexgen-timeline.ts";

const parts = ["compute", "weight (R)", "cache (R)", "cache (W)"] as const;
type Part = (typeof parts)[number];
type Phase = "prefill" | "decode";

/** Seconds; the total of a phase counts what the parts leave out. */
const printed4: Readonly<Record<Phase, Readonly<Record<Part, number>>>> = {
  prefill: { compute: 2220, "weight (R)": 768, "cache (R)": 0, "cache (W)": 261 },
  decode: { compute: 1498, "weight (R)": 3047, "cache (R)": 7046, "cache (W)": 124 },
};

/** Our parts of 175B's run, without overlap: every layer and step, by what moves. */
function breakdown(): Readonly<Record<Phase, Readonly<Record<Part, number>>>> {
  const machine = machineOf(run175b);
  const model = flexGenModel(run175b.model);
  const { load, placement } = run175b;
  const of = (at: typeof placement, name: TermName): number =>
    featureTerms(machine, model, load, at, allFeatures)[name];
  /** A term without the cache on disk: what weights and hidden state take. */
  const bare = { ...placement, cc: 1, cn: 0 };
  const times = (name: TermName, steps: number, at = placement): number =>
    model.layers * steps * of(at, name);
  const steps = load.output - 1;
  return {
    prefill: {
      compute: times("comp_p", 1),
      // Every GPU batch reads the weights when nothing overlaps: printed 768 s are 8 times 96 s.
      "weight (R)": load.batches * (times("ctog_p", 1) + times("dtoc_p", 1)),
      "cache (R)": 0,
      "cache (W)": times("gtoc_p", 1) + times("ctod_p", 1),
    },
    decode: {
      compute: times("comp_g", steps),
      "weight (R)": times("ctog_g", steps) + times("dtoc_g", steps, bare),
      "cache (R)": times("dtoc_g", steps) - times("dtoc_g", steps, bare),
      "cache (W)": times("gtoc_g", steps) + times("ctod_g", steps),
    },
  };
}

export const table4: Experiment = {
  id: "flexgen/table-4",
  paper: "flexgen",
  title: "Where the time of OPT-175B goes, without overlap",
  run: () => {
    const ours = breakdown();
    const part = (phase: Phase, name: Part, note: string): Finding =>
      printedNumber(`${phase}, ${name}`, printed4[phase][name], ours[phase][name], "s", "S", note);
    return {
      findings: [
        fitted(
          "decode, cache read from disk",
          printed4.decode["cache (R)"],
          ours.decode["cache (R)"],
          "s",
          "the disk's read rate, 2.806 GB/s, is set by it; four rows of 175B are what it then predicts",
        ),
        printedNumber(
          "prefill, compute",
          printed4.prefill.compute,
          ours.prefill.compute,
          "s",
          "C",
          "the released fit of a T4",
        ),
        part("decode", "weight (R)", "disk at the same rate, then PCIe"),
        part("prefill", "weight (R)", "every batch reads the weights"),
        part("decode", "compute", "ours has attention on the CPU in it"),
        part(
          "prefill",
          "cache (W)",
          "the released fit writes caches at 0.75 to 0.97 GiB/s, several times slower than printed here",
        ),
        part(
          "decode",
          "cache (W)",
          "one token's cache a step at the released fit's rate of writes",
        ),
      ],
      blocks: (["prefill", "decode"] as const).map((phase) =>
        stacks(
          {
            id: `table-4-${phase}`,
            caption: `Parts of ${phase}, OPT-175B, 256 prompts of 512 tokens.`,
            xTitle: "",
            yTitle: "time",
            unit: "s",
          },
          parts.flatMap((series): readonly StackedDatum[] => [
            { x: phase, bar: "published", series, y: printed4[phase][series] },
            { x: phase, bar: "ours", series, y: ours[phase][series] },
          ]),
        ),
      ),
      timeline: blockSpans(run175b, run175b.name, { features: { ...allFeatures, overlap: false } }),
    };
  },
};

/** Row of table 5: 30B and 175B, printed and ours. */
type Row = readonly [
  name: string,
  printed: readonly [number, number],
  ours: () => [number, number],
];

/** Settings that differ in what is switched off alone. */
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
      runOf(publishedRun("opt-30b", 512, [48, 3], placed(0, 1, "cpu"))).generation,
      runOf(publishedRun("opt-175b", 512, [32, 1], placed(0, 0.5, "disk"))).generation,
    ],
  ],
  ["no overlapping", [5.86, 0.59], without({ overlap: false })],
  ["no CPU compute", [4.03, 0.62], without({ cpuAttention: false })],
  ["DeepSpeed's policy", [1.57, 0.01], deepSpeed],
];

export const table5: Experiment = {
  id: "flexgen/table-5",
  paper: "flexgen",
  title: "Ablation, prompts of 512 tokens",
  run: () => {
    const rows = rows5.map(([name, printed, run]) => ({ name, printed, ours: run() }));
    const fit = "the released fit of a T4";
    const notes: Readonly<Record<string, readonly [string, string]>> = {
      "no policy search": [fit, "disk read of table 4, the rest is the released fit"],
      "no overlapping": [fit, fit],
      "no CPU compute": [
        "the fit's attention on the GPU costs next to nothing; its traffic is hidden under other loads",
        fit,
      ],
      "DeepSpeed's policy": [
        "the batches of that policy are not printed",
        "the batches of that policy are not printed",
      ],
    };
    return {
      // The first row is table 2's, judged there.
      findings: rows
        .slice(1)
        .flatMap(({ name, printed, ours }, row): readonly Finding[] =>
          ["30B", "175B"].map((size, i) =>
            printedNumber(
              `${size}, ${name}`,
              printed[i] ?? "",
              ours[i] ?? NaN,
              "token/s",
              row === 0 ? "C" : "S",
              notes[name]?.[i] ?? "",
            ),
          ),
        ),
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
            { x: name, series: "published", y: printed[i] ?? 0 },
            { x: name, series: "ours", y: ours[i] ?? 0 },
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

export const table3: Experiment = {
  id: "flexgen/table-3",
  paper: "flexgen",
  title: "Pipeline of four GPUs",
  run: () => {
    // A quarter of the layers fits the CPU's memory: nothing lies on disk any more.
    const many = publishedRun("opt-175b", 512, [32, 4], placed(0, 1, "cpu"));
    const small = publishedRun("opt-30b", 512, [64, 6], placed(0.5, 0.5, "cpu"));
    const rows = [
      { size: "175B", one: runOf(run175b), four: runOf(many, { gpus: 4 }), printed: [0.83, 3.86] },
      { size: "30B", one: runOf(run30b), four: runOf(small, { gpus: 4 }), printed: [11.52, 48.94] },
    ];
    const note =
      "policies of four GPUs and network times are not printed; ours has no network time";
    return {
      findings: rows.flatMap(({ size, one, four, printed }): readonly Finding[] => [
        printedNumber(
          `${size}: decoding throughput of one GPU`,
          printed[0] ?? "",
          one.decoding,
          "token/s",
          "C",
          "the released fit of a T4; for 175B the disk read of table 4",
        ),
        printedNumber(
          `${size}: decoding throughput of four GPUs`,
          printed[1] ?? "",
          four.decoding,
          "token/s",
          "S",
          note,
        ),
        stated(
          `${size}: generation gains less than decoding`,
          "bubbles in prefill",
          four.generation / one.generation / (four.decoding / one.decoding),
          "1",
          [0, 1],
          note,
        ),
      ]),
      blocks: [
        bars(
          {
            id: "table-3",
            caption: "Decoding throughput.",
            xTitle: "model and GPUs",
            yTitle: "throughput",
            unit: "token/s",
            logY: true,
          },
          rows.flatMap(({ size, one, four, printed }) => [
            { x: `${size}, 1`, series: "published", y: printed[0] ?? 0 },
            { x: `${size}, 1`, series: "ours", y: one.decoding },
            { x: `${size}, 4`, series: "published", y: printed[1] ?? 0 },
            { x: `${size}, 4`, series: "ours", y: four.decoding },
          ]),
        ),
      ],
      timeline: [many, small].flatMap((run) => pipelineSpans(run, 4, 3)),
    };
  },
};
