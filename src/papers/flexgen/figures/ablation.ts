// SPDX-License-Identifier: Apache-2.0
// FlexGen: the breakdown of a run (table 4), with possible explanations of each deviation.

import { allFeatures, featureTerms } from "../model/ablation.ts";
import type { TermName } from "../model/cost.ts";
import type { FlexGenMachine } from "../../experiment/machines.ts";
import { flexGenModel, machineOf, releasedMachineOf, run175b } from "../constants/published.ts";
import { bytesPerSecond, flopsPerSecond } from "../../../base/units.ts";
import { stacks, type StackedDatum } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import {
  explained,
  fitted,
  compareNumber as printedNumber,
  type Finding,
} from "../../experiment/finding.ts";
import { blockSpans } from "./timeline.ts";

const parts = ["compute", "weight (R)", "cache (R)", "cache (W)"] as const;
type Part = (typeof parts)[number];
type Phase = "prefill" | "decode";

/** Seconds; the total of a phase includes time that the parts omit. */
const printed4: Readonly<Record<Phase, Readonly<Record<Part, number>>>> = {
  prefill: { compute: 2220, "weight (R)": 768, "cache (R)": 0, "cache (W)": 261 },
  decode: { compute: 1498, "weight (R)": 3047, "cache (R)": 7046, "cache (W)": 124 },
};

/** Our parts of 175B's run without overlap, over all layers and steps, by transfer. */
function breakdown(
  machine: FlexGenMachine = machineOf(run175b),
): Readonly<Record<Phase, Readonly<Record<Part, number>>>> {
  const model = flexGenModel(run175b.model);
  const { load, placement } = run175b;
  const of = (at: typeof placement, name: TermName): number =>
    featureTerms(machine, model, load, at, allFeatures)[name];
  /** A term without the cache on disk: the time of weights and hidden state. */
  const bare = { ...placement, cc: 1, cn: 0 };
  const times = (name: TermName, steps: number, at = placement): number =>
    model.layers * steps * of(at, name);
  const steps = load.output - 1;
  return {
    prefill: {
      compute: times("comp_p", 1),
      // Without overlap, every GPU batch reads the weights: the printed 768 s are 8 times 96 s.
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

/** The machine with alternative rates that may underlie table 4. */
const fit4 = machineOf(run175b);
const otherMachines: readonly (readonly [what: string, machine: FlexGenMachine])[] = [
  [
    "writes of caches at the rates of the released constants, 0.97 and 0.75 GiB/s",
    releasedMachineOf(run175b),
  ],
  [
    "caches written at PCIe's rate and at 1 GB/s to disk (section 6)",
    {
      ...fit4,
      cpuToDiskCachePrefill: bytesPerSecond(1e9),
      cpuToDiskDecode: bytesPerSecond(1e9),
    },
  ],
  [
    "writes of caches during computation",
    { ...fit4, gpuToCpuCache: bytesPerSecond(1e15), cpuToDiskCachePrefill: bytesPerSecond(1e15) },
  ],
  [
    "writes of caches during computation, weights wait only for the disk",
    {
      ...fit4,
      cpuToGpu: bytesPerSecond(1e15),
      gpuToCpuCache: bytesPerSecond(1e15),
      cpuToDiskCachePrefill: bytesPerSecond(1e15),
    },
  ],
  [
    "writes of one token at a quarter of the rate",
    { ...fit4, cpuToDiskDecode: bytesPerSecond(fit4.cpuToDiskDecode / 4) },
  ],
  [
    "writes of one token at an eighth of the rate: a few MB each, row by row",
    { ...fit4, cpuToDiskDecode: bytesPerSecond(fit4.cpuToDiskDecode / 8) },
  ],
  ["attention on a CPU whose rate does not fall for small batches", { ...fit4, cpuFit: [0, 0, 0] }],
  ["attention on a CPU with twice the rate", { ...fit4, cpu: flopsPerSecond(2 * fit4.cpu) }],
  ["weights wait only for the disk", { ...fit4, cpuToGpu: bytesPerSecond(1e15) }],
];

const totals4 = { prefill: 2711, decode: 11315 } as const;

/** A phase's total, compared with the sum of our parts. */
function total(phase: Phase, ours: ReturnType<typeof breakdown>): Finding {
  const sum = (of: ReturnType<typeof breakdown>): number =>
    parts.reduce((t, name) => t + of[phase][name], 0);
  const printedSum = parts.reduce((t, name) => t + printed4[phase][name], 0);
  const finding = printedNumber(`${phase}, total`, {
    published: totals4[phase],
    ours: sum(ours),
    unit: "s",
    kind: "C",
    note: `the sum of our parts; the sum of the published parts is ${printedSum}, so some of them overlap`,
  });
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
    const phaseFinding = (phase: Phase, name: Part, note: string): Finding => {
      const published = printed4[phase][name];
      const finding = printedNumber(`${phase}, ${name}`, {
        published,
        ours: ours[phase][name],
        unit: "s",
        kind: "C",
        note,
      });
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
          "this number sets the read rate of the disk to 2.806 GB/s; the model then predicts four rows of 175B",
        ),
        phaseFinding("prefill", "compute", "released constants of a T4"),
        phaseFinding("decode", "weight (R)", "first the disk at the same rate, then PCIe"),
        phaseFinding(
          "prefill",
          "weight (R)",
          "every batch reads the weights, first from disk and then over PCIe",
        ),
        phaseFinding("decode", "compute", "our number includes attention on the CPU"),
        phaseFinding(
          "prefill",
          "cache (W)",
          "first over PCIe, then into the page cache at 4 GB/s, the rate of copies by the CPU (table 5)",
        ),
        phaseFinding(
          "decode",
          "cache (W)",
          "the cache of one token per step, at the write rate of the released constants",
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
