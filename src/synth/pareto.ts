// SPDX-License-Identifier: Apache-2.0
// Area against speed: the NDP unit at several parameters, its area from synthesis and its speed from
// co-simulation of the same parameters at cycle fidelity behind DDR5.

import * as Plot from "@observablehq/plot";

import { paperMachine } from "../config/systems.ts";
import { prepareExpert, runExpert } from "../driver/cold-expert.ts";
import type { NdpMachine, NdpUnitParameters } from "../driver/types.ts";
import { inputError } from "../errors.ts";
import { openSession } from "../native/session.ts";
import type { Figure } from "../report/page.ts";
import { drawPlot, seriesColours } from "../report/plot.ts";
import { bytes } from "../units.ts";
import { generateExpert, generateInputs } from "../workload/generate.ts";
import { measureArea } from "./area.ts";
import type { Flow } from "./slice.ts";
import { clockOf, floorOf } from "./summary.ts";
import type { Instance, Parameters } from "./types.ts";

/** The expert that is timed: DeepSeek-V2's, with tokens enough that the array matters. */
export const timedExpert = {
  hidden: 5120,
  intermediate: 1536,
  tokens: 16,
  format: "fp16",
} as const;

export interface DesignPoint {
  readonly parameters: Parameters;
  /** mm2 of floor. */
  readonly areaMm2: number;
  readonly clockGHz: number | null;
  /** Unit cycles at 1 GHz for `timedExpert`. */
  readonly cycles: number;
  /** No other point is both smaller and faster. */
  readonly efficient: boolean;
}

/** Measures every point; the same Yosys slices are made once for all of them. */
export async function measurePoints(
  flow: Flow,
  points: readonly Parameters[],
  progress: (slice: Instance) => void,
): Promise<readonly DesignPoint[]> {
  const measured: Omit<DesignPoint, "efficient">[] = [];
  for (const parameters of points) {
    const cycles = await cyclesOf(parameters);
    const report = await measureArea(flow, "ndp", parameters, progress);
    measured.push({
      parameters,
      areaMm2: floorOf(report).total,
      clockGHz: clockOf(report),
      cycles,
    });
  }
  return measured.map((point) => ({
    ...point,
    efficient: !measured.some(
      (other) =>
        other.areaMm2 <= point.areaMm2 &&
        other.cycles <= point.cycles &&
        (other.areaMm2 < point.areaMm2 || other.cycles < point.cycles),
    ),
  }));
}

/** Every combination of the values, in the order given; none at all is the unit as it is. */
export function combinations(
  values: readonly (readonly [name: string, choices: readonly number[]])[],
): readonly Parameters[] {
  return values.reduce<readonly Parameters[]>(
    (points, [name, choices]) =>
      points.flatMap((point) => choices.map((value) => ({ ...point, [name]: value }))),
    [{}],
  );
}

/** Area to the right, time upwards; the efficient points joined. */
export function paretoFigure(points: readonly DesignPoint[]): Figure {
  const rows = points.map((p) => ({
    parameters: JSON.stringify(p.parameters),
    areaMm2: p.areaMm2,
    clockGHz: p.clockGHz,
    cycles: p.cycles,
    efficient: p.efficient,
  }));
  const front = rows.filter((r) => r.efficient).sort((a, b) => a.areaMm2 - b.areaMm2);
  const svg = drawPlot({
    height: 360,
    marginLeft: 72,
    x: { label: "floor (mm2)" },
    y: { label: "cycles of one expert, 16 tokens" },
    marks: [
      Plot.line(front, { x: "areaMm2", y: "cycles", stroke: seriesColours[0] }),
      Plot.dot(rows, { x: "areaMm2", y: "cycles", fill: seriesColours[0] }),
      Plot.text(rows, { x: "areaMm2", y: "cycles", text: "parameters", dy: -10 }),
    ],
  });
  return {
    kind: "figure",
    id: "pareto",
    caption: "Area from synthesis against time from co-simulation at cycle fidelity, behind DDR5.",
    svg,
    data: {
      columns: [
        { key: "parameters", title: "parameters" },
        { key: "areaMm2", title: "floor", unit: "mm2", source: "derived" },
        { key: "clockGHz", title: "clock", unit: "GHz", source: "measured" },
        { key: "cycles", title: "time of an expert", unit: "cycles", source: "measured" },
        { key: "efficient", title: "on the front" },
      ],
      rows,
    },
  };
}

async function cyclesOf(parameters: Parameters): Promise<number> {
  const machine = machineOf(parameters);
  const { format, hidden, tokens } = timedExpert;
  const weights = generateExpert({ seed: 1, name: "expert", ...timedExpert });
  const task = {
    weights,
    inputs: generateInputs(1, format, tokens, hidden),
    activation: "silu",
    arrangement: "interleaved",
  } as const;
  const session = await openSession(machine);
  try {
    const { run } = await runExpert(session, prepareExpert(machine, task));
    return run.cycles;
  } finally {
    session.close();
  }
}

const unitFields: Readonly<Record<string, keyof NdpUnitParameters>> = {
  Streams: "streams",
  MultPerStream: "multipliersPerStream",
  Lanes: "lanes",
  BitsPerCycle: "bitsPerCycle",
  BufferBytes: "bufferBytes",
  QueueBursts: "queueBursts",
  ActLanes: "activationLanes",
  MaxTokens: "maxTokens",
};

function machineOf(parameters: Parameters): NdpMachine {
  const machine = paperMachine("cycle");
  const changes = Object.entries(parameters).map(([name, value]) => {
    const field = unitFields[name];
    if (field === undefined) throw inputError("--sweep", `dimm_ndp has no parameter ${name}.`);
    return [field, field === "bufferBytes" ? bytes(value) : value] as const;
  });
  return { ...machine, unit: { ...machine.unit, ...Object.fromEntries(changes) } };
}
