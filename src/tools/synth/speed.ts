// SPDX-License-Identifier: Apache-2.0
// How fast a unit with other parameters is: co-simulated at cycle fidelity with the memory behind it.

import { present } from "../../base/present.ts";
import { csdMachine, sparfUnit } from "../../machine/resolve/csd.ts";
import { paperMachine } from "../../machine/resolve/systems.ts";
import { prepareExpert, runExpert } from "../../kernels/ndp/cold-expert.ts";
import type { CsdJob } from "../../machine/csd/csd-jobs.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import { runLayer } from "../../kernels/csd/attention/sparse-attention.ts";
import type { NdpMachine } from "../../machine/types.ts";
import { inputError } from "../../base/errors.ts";
import { flashPresets } from "../../machine/flash/presets.ts";
import { trafficBudget } from "../../golden/attention/budget.ts";
import { numbersToHalves } from "../../golden/half.ts";
import { openCsdSession } from "../../native/csd/csd-session.ts";
import { openSession } from "../../native/session.ts";
import { bytes } from "../../base/units.ts";
import { generateExpert, generateInputs } from "../../workload/generate.ts";
import { generateHta1 } from "../../workload/hta1.ts";
import { ndpFields, sparfFields } from "./parameter-names.ts";
import type { AreaReport } from "../../results/area-report.ts";
import { composeNdpArea } from "./ndp-parts.ts";
import { recordedSlices } from "./record.ts";
import type { Flow } from "./slice.ts";
import type { Instance, Parameters } from "../../machine/slices.ts";

/** A swept unit: its name, and the workload of its cycles. */
export interface SweptUnit {
  readonly name: "ndp" | "sparf";
  /** If this parameter is among the given ones, this workload replaces the unit's. */
  readonly asks?: string;
  readonly work: string;
  readonly cyclesOf: (parameters: Parameters) => Promise<number>;
  /** Absent: the whole unit is synthesized. */
  readonly areaOf?: (
    flow: Flow,
    parameters: Parameters,
    progress: (slice: Instance) => void,
  ) => Promise<AreaReport>;
}

/** DeepSeek-V2's expert, with tokens enough that the array matters. */
const timedExpert = { hidden: 5120, intermediate: 1536, tokens: 16, format: "fp16" } as const;

/** Heads of OPT-13B enough to fill the engine twice over, at 1/8, behind Z-NAND. */
const timedHeads = { count: 32, width: 128, length: 512, ratio: 1 / 8 } as const;

/** Heads shared by eight queries: enough to fill the engine twice, and the same for SparF. */
const timedGroups = { count: 32, width: 128, length: 2048, queries: 8, ratio: 1 / 8 } as const;

export const sweptUnits: readonly SweptUnit[] = [
  {
    name: "ndp",
    work: "one expert of DeepSeek-V2, 16 tokens, behind DDR5-4800",
    cyclesOf: expertCycles,
  },
  {
    name: "ndp",
    asks: "AlignedBits",
    work: "one expert of DeepSeek-V2, 16 tokens, behind DDR5-4800",
    cyclesOf: expertCycles,
    // The control does not depend on the bits of a product: it is that of the unit of the paper's
    // size.
    areaOf: async (flow, parameters, progress) =>
      composeNdpArea(flow, ndpMachine(parameters).unit, recordedSlices("ndp", flow), progress),
  },
  {
    name: "sparf",
    work: "SparF at 1/8, 32 heads of 128, 512 tokens, behind Z-NAND",
    cyclesOf: headCycles,
  },
  {
    name: "sparf",
    asks: "QuerySets",
    work:
      "dense attention and SparF at 1/8, 32 heads of 128 with eight queries each, 2048 tokens, " +
      "behind Z-NAND",
    cyclesOf: groupCycles,
  },
];

/** The work that a unit's designs are timed with; undefined where its speed is not measured. */
export function sweptUnitOf(name: string, parameters: readonly string[]): SweptUnit | undefined {
  const known = sweptUnits.filter((unit) => unit.name === name);
  return (
    known.find(({ asks }) => asks !== undefined && parameters.includes(asks)) ??
    known.find(({ asks }) => asks === undefined)
  );
}

async function expertCycles(parameters: Parameters): Promise<number> {
  const machine = ndpMachine(parameters);
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

async function headCycles(parameters: Parameters): Promise<number> {
  const { count, width, length, ratio } = timedHeads;
  const heads = Array.from({ length: count }, (_, head) => generateHta1(500 + head, length, width));
  const session = await openCsdSession(csdOf(parameters, width));
  try {
    const select = (tokens: number): ReturnType<typeof trafficBudget> =>
      trafficBudget(ratio, tokens, width);
    const task = { heads, method: "sparf", length, decode: 0, select, dimsPerPage: 2 } as const;
    const [step] = await runLayer(session, 1, task);
    return present(step?.run.devices[0]?.cycles);
  } finally {
    session.close();
  }
}

/** All heads have the same rows, on separate pages. */
async function groupCycles(parameters: Parameters): Promise<number> {
  const { count, width, length, queries, ratio } = timedGroups;
  const { keys, values, queries: all } = generateHta1(500, length, width);
  const group = numbersToHalves(all.subarray((length - queries) * width));
  const cache = { keys: numbersToHalves(keys), values: numbersToHalves(values) };
  const choice = { ...trafficBudget(ratio, length, width), mean: true };
  let cycles = 0;
  for (const kind of ["dense", "sparse"] as const) {
    const session = await openCsdSession(csdOf(parameters, width));
    try {
      const sequence = session.createSequence({
        device: 0,
        heads: count,
        dimsPerPage: 2,
        tail: "padded",
      });
      const jobs = Array.from({ length: count }, (_, head): CsdJob => {
        const pages = session.pagesOf(sequence, head, cache.keys, cache.values);
        session.prefill(sequence, head, pages);
        const job = { sequence, head, queries: group };
        return kind === "dense" ? { kind, ...job } : { kind, ...job, ...choice };
      });
      const { devices } = await session.run(jobs, { inFlight: 16 });
      cycles += present(devices[0]?.cycles);
    } finally {
      session.close();
    }
  }
  return cycles;
}

function csdOf(parameters: Parameters, width: number): CsdMachine {
  const flash = flashPresets.znand4k;
  const unit = {
    ...sparfUnit(width, flash.channels, flash.page_bytes / (2 * width)),
    ...fieldsOf(parameters, sparfFields, "sparf_engine"),
  };
  return csdMachine({ engine: "cycle", devices: 1, unit, flash });
}

function ndpMachine(parameters: Parameters): NdpMachine {
  const machine = paperMachine("cycle");
  const changed = { ...machine.unit, ...fieldsOf(parameters, ndpFields, "dimm_ndp") };
  return { ...machine, unit: { ...changed, bufferBytes: bytes(changed.bufferBytes) } };
}

function fieldsOf<Field extends string>(
  parameters: Parameters,
  fields: Readonly<Record<string, Field>>,
  module: string,
): Partial<Record<Field, number>> {
  const changes = Object.entries(parameters).map(([name, value]) => {
    const field = fields[name];
    if (field === undefined) throw inputError("--sweep", `${module} has no parameter ${name}.`);
    return [field, value] as const;
  });
  return Object.fromEntries(changes) as Partial<Record<Field, number>>;
}
