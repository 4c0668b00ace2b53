// SPDX-License-Identifier: Apache-2.0
// FlexGen: the breakdown of a run (table 4) and the ablation (table 5), with what would explain each miss.

import { allFeatures, featureTerms, type Features } from "../policy/flexgen/ablation.ts";
import type { FlexGenMachine, TermName } from "../policy/flexgen/cost.ts";
import {
  flexGenModel,
  machineOf,
  placed,
  publishedRun,
  released30b,
  run175b,
  run30b,
  type PublishedRun,
} from "../policy/flexgen/published.ts";
import { bytesPerSecond, flopsPerSecond } from "../units.ts";
import { bars, stacks, type StackedDatum } from "./chart.ts";
import type { Experiment } from "./experiment.ts";
import {
  explained,
  fitted,
  printed as printedNumber,
  same,
  stated,
  type Finding,
  type Tried,
} from "./finding.ts";
import { fits, runOf } from "./flexgen-run.ts";
import { blockSpans } from "./flexgen-timeline.ts";

const parts = ["compute", "weight (R)", "cache (R)", "cache (W)"] as const;
type Part = (typeof parts)[number];
type Phase = "prefill" | "decode";

/** Seconds; the total of a phase counts what the parts leave out. */
const printed4: Readonly<Record<Phase, Readonly<Record<Part, number>>>> = {
  prefill: { compute: 2220, "weight (R)": 768, "cache (R)": 0, "cache (W)": 261 },
  decode: { compute: 1498, "weight (R)": 3047, "cache (R)": 7046, "cache (W)": 124 },
};

/** Our parts of 175B's run, without overlap: every layer and step, by what moves. */
function breakdown(
  machine: FlexGenMachine = machineOf(run175b),
): Readonly<Record<Phase, Readonly<Record<Part, number>>>> {
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

/** The machine with rates that might stand behind table 4 in place of the released fit's. */
const fit4 = machineOf(run175b);
const otherMachines: readonly (readonly [what: string, machine: FlexGenMachine])[] = [
  [
    "caches written at PCIe's rate and at 1 GB/s to disk (section 6)",
    {
      ...fit4,
      gpuToCpuCache: fit4.cpuToGpu,
      cpuToDiskCachePrefill: bytesPerSecond(1e9),
      cpuToDiskDecode: bytesPerSecond(1e9),
    },
  ],
  [
    "caches written at PCIe's rate, the disk's write hidden",
    {
      ...fit4,
      gpuToCpuCache: fit4.cpuToGpu,
      cpuToDiskCachePrefill: bytesPerSecond(1e15),
    },
  ],
  [
    "writes of one token at a quarter of the rate",
    { ...fit4, cpuToDiskDecode: bytesPerSecond(fit4.cpuToDiskDecode / 4) },
  ],
  ["attention on a CPU that small batches do not slow", { ...fit4, cpuFit: [0, 0, 0] }],
  ["attention of a CPU twice as fast", { ...fit4, cpu: flopsPerSecond(2 * fit4.cpu) }],
  ["weights that wait for the disk alone", { ...fit4, cpuToGpu: bytesPerSecond(1e15) }],
];

const totals4 = { prefill: 2711, decode: 11315 } as const;

/** A phase's total beside the sum of our parts. */
function total(phase: Phase, ours: ReturnType<typeof breakdown>): Finding {
  const sum = (of: ReturnType<typeof breakdown>): number =>
    parts.reduce((t, name) => t + of[phase][name], 0);
  const printedSum = parts.reduce((t, name) => t + printed4[phase][name], 0);
  const finding = printedNumber(
    `${phase}, total`,
    totals4[phase],
    sum(ours),
    "s",
    "C",
    `the sum of our parts; the printed parts add up to ${printedSum}, so some of them overlap`,
  );
  if (finding.verdict !== "differs") return finding;
  return explained(
    finding,
    otherMachines
      .map(([what, machine]) => ({ what, value: sum(breakdown(machine)) }))
      .filter(({ value }) => value !== finding.ours),
  );
}

export const table4: Experiment = {
  id: "flexgen/table-4",
  paper: "flexgen",
  title: "Where the time of OPT-175B goes, without overlap",
  run: () => {
    const ours = breakdown();
    const part = (phase: Phase, name: Part, note: string): Finding => {
      const published = printed4[phase][name];
      const finding = printedNumber(
        `${phase}, ${name}`,
        published,
        ours[phase][name],
        "s",
        "C",
        note,
      );
      if (finding.verdict !== "differs") return finding;
      return explained(
        finding,
        otherMachines
          .map(([what, machine]) => ({ what, value: breakdown(machine)[phase][name] }))
          .filter(({ value }) => value !== finding.ours),
      );
    };
    return {
      findings: [
        fitted(
          "decode, cache read from disk",
          printed4.decode["cache (R)"],
          ours.decode["cache (R)"],
          "s",
          "the disk's read rate, 2.806 GB/s, is set by it; four rows of 175B are what it then predicts",
        ),
        part("prefill", "compute", "the released fit of a T4"),
        part("decode", "weight (R)", "disk at the same rate, then PCIe"),
        part(
          "prefill",
          "weight (R)",
          "every batch reads the weights, disk and PCIe one after the other",
        ),
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
        ...(["prefill", "decode"] as const).map((phase) => total(phase, ours)),
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
      runOf(publishedRun("opt-30b", 512, [64, 2], placed(0, 1, "cpu"))).generation,
      runOf(publishedRun("opt-175b", 512, [32, 1], placed(0, 0.5, "disk"))).generation,
    ],
  ],
  ["no overlapping", [5.86, 0.59], without({ overlap: false })],
  ["no CPU compute", [4.03, 0.62], without({ cpuAttention: false })],
  ["DeepSpeed's policy", [1.57, 0.01], deepSpeed],
];

/** The most favourable block there is, one sequence, with all weights on GPU and CPU. */
function withoutDisk(): string {
  const shares = Array.from({ length: 11 }, (_, i) => i / 10);
  const fitting = shares.filter((wg) =>
    fits(publishedRun("opt-175b", 512, [1, 1], placed(wg, 1 - wg, "cpu"))),
  );
  return fitting.length === 0 ? "OOM" : "fits";
}

/** Other ways to run a row of table 5. */
function tried5(name: string, size: number): readonly Tried[] {
  const run = size === 0 ? run30b : run175b;
  const of = (what: string, features: Partial<Features>, other: PublishedRun = run): Tried => ({
    what,
    value: runOf(other, { features: { ...allFeatures, ...features } }).generation,
  });
  const slow = { overlap: false, cpuAttention: false };
  switch (name) {
    case "no overlapping":
      return [
        of("and attention on the GPU", slow),
        {
          what: "attention of a CPU twice as fast",
          value: runOf(run, {
            features: { ...allFeatures, overlap: false },
            machine: { ...machineOf(run), cpu: flopsPerSecond(2 * machineOf(run).cpu) },
          }).generation,
        },
      ];
    case "no CPU compute":
      return [
        of("caches that cross without overlapping", slow),
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
      findings: [
        ...rows.slice(1).flatMap(({ name, printed, ours }, row): readonly Finding[] =>
          ["30B", "175B"].map((size, i) => {
            const finding = printedNumber(
              `${size}, ${name}`,
              printed[i] ?? "",
              ours[i] ?? NaN,
              "token/s",
              row === 0 ? "C" : "S",
              notes[name]?.[i] ?? "",
            );
            if (finding.verdict !== "differs") return finding;
            return explained(finding, tried5(name, i));
          }),
        ),
        stated(
          "30B, no disk: over all optimisations",
          "the same",
          Number(run30b.placement.wn + run30b.placement.cn === 0),
          "1",
          [1, 1],
          "nothing of this run lies on disk",
        ),
        same("175B, no disk", "OOM", withoutDisk()),
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
