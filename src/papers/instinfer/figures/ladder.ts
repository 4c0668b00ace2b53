// SPDX-License-Identifier: Apache-2.0
// InstInfer's 2.08x step by step: SparF over dense attention on a layer of OPT-13B (40 heads of 128, 2048 tokens, 1/8),
// from one head at a time, which loses on TLC, to the published gain. flash.ts climbs the ladder with page reads alone,
// device-steps.ts with whole simulated devices; steps, devices, claims and chart are the same.

import { present } from "../../../base/present.ts";
import type { Figure, Table } from "../../../report/page.ts";
import { dots, type Datum } from "../../experiment/chart.ts";
import { between, type InternalCheck } from "../../experiment/internal-check.ts";

/** Section VI-C: SparF over dense at batch 256. */
const published = 2.08;

export const deviceTitles = {
  tlc4k: "TLC, 4 dies per channel",
  znand4k: "Z-NAND, 4 dies per channel",
} as const;
export type LadderDevice = keyof typeof deviceTitles;

/** One configuration of a layer's run. */
export interface LadderStep {
  readonly name: string;
  /** Heads that are requested at a time. */
  readonly inFlight: number;
  /** Sequences whose heads follow one another. */
  readonly sequences: number;
  /** Order dimensions by the |q| of the prompt before they are paired. */
  readonly clusterDims: boolean;
  /** Pages of a head in the controller's DRAM. */
  readonly hotPages: number;
}

export const oneHead: LadderStep = {
  name: "1 head in flight",
  inFlight: 1,
  sequences: 1,
  clusterDims: false,
  hotPages: 0,
};

/** The parts of a step in which it differs from the step before it. */
type Addition = Partial<LadderStep> & Pick<LadderStep, "name">;
type AdditionId =
  "fourHeads" | "sixteenHeads" | "fourSequences" | "clustering" | "sixteenHot" | "thirtyTwoHot";

export const additions: Readonly<Record<AdditionId, Addition>> = {
  fourHeads: { name: "4 heads in flight", inFlight: 4 },
  sixteenHeads: { name: "16 heads in flight", inFlight: 16 },
  fourSequences: { name: "heads of 4 sequences follow", sequences: 4 },
  clustering: { name: "dimensions clustered", clusterDims: true },
  sixteenHot: { name: "16 hot pages per head in DRAM", hotPages: 16 },
  thirtyTwoHot: { name: "32 hot pages per head in DRAM", hotPages: 32 },
};

/** A step with its speed-up. */
export interface Rung {
  readonly step: LadderStep;
  readonly speedup: number;
}
/** By device, the rungs in the order in which steps are added. */
export type Ladders<R extends Rung = Rung> = readonly (readonly [LadderDevice, readonly R[]])[];

/** `most` is the largest gain that 16 heads in flight may have. */
export function ladderChecks(ladders: Ladders, most: number): readonly InternalCheck[] {
  const speedup = (device: LadderDevice, { name }: { readonly name: string }): number => {
    const rungs = ladders.find(([found]) => found === device)?.[1] ?? [];
    return present(rungs.find(({ step }) => step.name === name)?.speedup);
  };
  const { sixteenHeads, thirtyTwoHot } = additions;
  const slower = "two sensing times a head, dies idle between them";
  return [
    between("one head at a time, TLC", speedup("tlc4k", oneHead), "x", [0, 1], slower),
    between("16 heads in flight, TLC", speedup("tlc4k", sixteenHeads), "x", [1.6, most]),
    between("16 heads in flight, Z-NAND", speedup("znand4k", sixteenHeads), "x", [1.85, most]),
    between("all steps, TLC", speedup("tlc4k", thirtyTwoHot), "x", [published, Infinity]),
    between("all steps, Z-NAND", speedup("znand4k", thirtyTwoHot), "x", [published, Infinity]),
  ];
}

/** Some of the rungs as points of a chart. */
export function ladderData(
  ladders: Ladders,
  x: (step: LadderStep) => Datum["x"],
): readonly Datum[] {
  return ladders.flatMap(([name, rungs]) =>
    rungs.map(({ step, speedup }): Datum => ({
      x: x(step),
      series: deviceTitles[name],
      y: speedup,
    })),
  );
}

export function ladderChart(id: string, ladders: Ladders): Figure {
  return dots(
    {
      id,
      caption: "SparF over dense attention, each step added to those above it; dashed: 2.08x.",
      xTitle: "step",
      yTitle: "speed-up",
      unit: "x",
    },
    ladderData(ladders, ({ name }) => name),
    published,
  );
}

/** A table of all rungs: their device, their name, and `cells` of each. */
export function ladderTable<R extends Rung>(
  { id, caption, columns }: Pick<Table, "id" | "caption" | "columns">,
  ladders: Ladders<R>,
  cells: (rung: R) => Table["rows"][number],
): Table {
  return {
    ...({ kind: "table", id, caption } as const),
    columns: [{ key: "device", title: "device" }, { key: "step", title: "step" }, ...columns],
    rows: ladders.flatMap(([name, rungs]) =>
      rungs.map((rung) => ({
        device: deviceTitles[name],
        step: rung.step.name,
        ...cells(rung),
      })),
    ),
  };
}
