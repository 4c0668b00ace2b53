// SPDX-License-Identifier: Apache-2.0
// LIA, IPEX and FlexGen (in LIA's equations) for a plan file, with the memory map of each.

import { defined } from "../../../base/defined.ts";
import { inFile, NeardataError, type Issue } from "../../../base/errors.ts";
import type { Seconds } from "../../../base/units.ts";
import type { ModelShape } from "../../../workload/shapes.ts";
import { withCapacityCheck, type Placed } from "../../experiment/planned.ts";
import type { Plan } from "../../plan/plan.ts";
import { policyText } from "../model/cost.ts";
import { liaModel } from "../model/shape.ts";
import {
  largestBatchOf,
  planSystem,
  type Homes,
  type HostReading,
  type SystemPlan,
} from "../policy/plan.ts";
import { liaSystems, systemEnergy, type LiaSystem } from "../policy/systems.ts";

/** The result of one of LIA's systems for the plan. */
export interface LiaRow extends Placed {
  /** Six digits, QKV to FC2: 1 is the CPU. */
  readonly prefill: string;
  readonly decode: string;
  /**
   * Whole layers in GPU memory (LIA), and sublayers (1 to 6) that are in GPU memory in every layer
   * (FlexGen).
   */
  readonly residentLayers: number;
  readonly residentSublayers: readonly number[];
  /** Number of mini-batches on the GPU. */
  readonly miniBatches: number;
  readonly busy: { readonly cpu: Seconds; readonly gpu: Seconds; readonly link: Seconds } | null;
}

/** LIA with weights or caches in CXL memory. */
const cxlHomes: readonly (readonly [system: string, homes: Homes])[] = [
  ["LIA, weights in CXL", { weights: "cxl", caches: "ddr" }],
  ["LIA, caches in CXL", { weights: "ddr", caches: "cxl" }],
  ["LIA, weights and caches in CXL", { weights: "cxl", caches: "cxl" }],
];

/**
 * LIA, IPEX and FlexGen on the plan's host, and LIA with CXL memory where the host has some.
 * @throws NeardataError `bad-input` for models that LIA's layers do not have.
 */
export function planLia(plan: Plan): readonly LiaRow[] {
  const { file, host, batch, input, output } = plan;
  const job = { ...modelOf(file, plan.model), batch, input, output };
  const rowOf = (name: string, system: LiaSystem, homes?: Homes): LiaRow => {
    const reading: HostReading = {
      rates: (machine) => machine,
      room: () => 1,
      ...defined({ homes }),
    };
    const solved = planSystem(system, host, job, reading);
    const largest = largestBatchOf(system, host, job, reading);
    const { run } = solved;
    return {
      ...withCapacityCheck(name, solved.memory, largest, {
        latency: run.total,
        throughput: run.throughput,
        joulesPerToken: systemEnergy(host, run, job),
      }),
      ...choicesOf(solved),
    };
  };
  return [
    ...liaSystems.map((system) => rowOf(system, system)),
    ...(host.cxl === undefined ? [] : cxlHomes.map(([name, homes]) => rowOf(name, "LIA", homes))),
  ];
}

function choicesOf(solved: SystemPlan): Omit<LiaRow, keyof Placed> {
  const { run, resident, residentSublayers, miniBatches, shortages } = solved;
  const { cpu, gpu, transfer } = run.busy;
  return {
    prefill: policyText(run.prefill.policy),
    decode: policyText(run.decode.policy),
    residentLayers: resident,
    residentSublayers: residentSublayers.map((i) => i + 1),
    miniBatches,
    busy: shortages.length === 0 ? { cpu, gpu, link: transfer } : null,
  };
}

function modelOf(file: string, { name }: ModelShape): ReturnType<typeof liaModel> {
  try {
    return liaModel(name, "model");
  } catch (error) {
    if (error instanceof NeardataError) throw inFile(file, error.issues satisfies readonly Issue[]);
    throw error;
  }
}
