// SPDX-License-Identifier: Apache-2.0
// Cold experts of a MoE layer on the RTL of their DIMMs' units, of one or of all, everything else as
// before: the layer does not change, to the femtosecond, and outputs are the golden model's.

import { inputError } from "../../../base/errors.ts";
import { present } from "../../../base/present.ts";
import { prepareExpert } from "../../../kernels/ndp/cold-expert.ts";
import { unpackOutputs } from "../../../workload/ndp/pack.ts";
import { goldenOnUnit } from "../../../kernels/ndp/unit-golden.ts";
import { differentBits } from "../../../golden/reference.ts";
import type { NativeMoeResult } from "../../../native/ndp/moe-binding.ts";
import { buildNdpUnit } from "../../../native/ndp/ndp-unit.ts";
import type { LayerRun } from "../policy/baselines.ts";
import { paperMachine, type MachineOptions } from "../model/machine.ts";
import type { Table } from "../../../report/page.ts";
import { generateExpert, generateInputs } from "../../../workload/generate.ts";
import { spansOf } from "../../experiment/chart-map.ts";
import type { SimulatedExperiment } from "../../experiment/experiment.ts";
import {
  machineDimms,
  simulatedMachine,
  simulateLayer,
  weightShapeOf,
} from "./cycle/simulated-layer.ts";
import type { SimulatedLayer } from "./cycle/simulated-layer.ts";
import { tracksOf } from "./cycle/cycle.ts";
import { lastStep, type DecidedStep } from "./run.ts";
import { equationSetting } from "./setting.ts";
import { every } from "../../experiment/internal-check.ts";

const seed = 1;

/** DIMMs that have the RTL: that with the fewest tokens of cold experts, every one, or these. */
export type RtlDimms = "lightest" | "all" | readonly number[];

/** How a layer runs on RTL. */
export interface RtlOptions {
  readonly dimms: RtlDimms;
  /** Threads of the machine at most; no result depends on it. */
  readonly threads: number;
}

/** A cold expert with real weights and inputs, computed by RTL. */
export interface RtlExpert {
  readonly expert: number;
  readonly tokens: number;
  readonly dimm: number;
}

/** A layer with some of its cold experts on RTL, and on the model. */
export interface RtlLayer {
  readonly model: SimulatedLayer;
  readonly rtl: SimulatedLayer;
  /** The first of each DIMM with RTL. */
  readonly experts: readonly RtlExpert[];
  /** Times, counters and output bytes of the two results, and how many of them differ. */
  readonly numbers: number;
  readonly different: number;
  /** Outputs of the experts on RTL that are not the golden model's, of all. */
  readonly unlikeGolden: number;
  readonly outputs: number;
}

/**
 * Runs a layer twice. The first expert on a DIMM with RTL has real weights and inputs. Null if none
 * of these DIMMs has a cold expert.
 * @throws NeardataError as `simulateLayer` does, and if the unit cannot be built
 */
export async function simulateWithRtl(
  model: string,
  { run, next }: DecidedStep,
  machine: MachineOptions,
  { dimms, threads }: RtlOptions,
): Promise<RtlLayer | null> {
  const experts = firstExperts(run, dimms, machineDimms / paperMachine(machine).dimms);
  if (experts.length === 0) return null;
  const { ndp } = simulatedMachine();
  const prepared = experts.map((one) => prepare(model, one));
  const checked = prepared.map(({ id, job }) => ({ id, streams: job.streams }));
  const options = { machine, moves: next, checked };
  const plugin = await buildNdpUnit(ndp.unit);
  const onModel = await simulateLayer(model, run, options);
  const everyOne = Array.from({ length: machineDimms }, (_, d) => d);
  const rtl = { dimms: dimms === "all" ? everyOne : experts.map(({ dimm }) => dimm), plugin };
  const onRtl = await simulateLayer(model, run, { ...options, rtl, threads });
  const { streams } = ndp.unit;
  const unlike = prepared.map(({ golden, layout }, i) => {
    const outputsOfExpert = onRtl.result.outputs.slice(i * streams, (i + 1) * streams);
    const outputs = unpackOutputs(layout, outputsOfExpert);
    return differentBits(golden, outputs);
  });
  const sum = (list: readonly number[]): number => list.reduce((total, n) => total + n, 0);
  return {
    model: onModel,
    rtl: onRtl,
    experts,
    ...comparison(onModel.result, onRtl.result),
    unlikeGolden: sum(unlike),
    outputs: sum(prepared.map(({ golden }) => golden.length)),
  };
}

/** An expert's weights and inputs in memory, and its expected outputs. */
function prepare(
  model: string,
  { expert, tokens }: RtlExpert,
): ReturnType<typeof prepareExpert> & { readonly id: number; readonly golden: Uint16Array } {
  const { ndp } = simulatedMachine();
  const { hidden, intermediate, format, activation } = weightShapeOf(model);
  const weights = generateExpert({ seed, name: `expert ${expert}`, hidden, intermediate, format });
  const inputs = generateInputs(seed, format, tokens, hidden);
  const task = { weights, inputs, activation, arrangement: "interleaved" } as const;
  const golden = goldenOnUnit(ndp.unit, task);
  return { ...prepareExpert(ndp, task), id: expert, golden };
}

/** The first cold expert of each selected DIMM; NDP units are `dimmStride` DIMMs apart. */
function firstExperts(
  { experts, assignment }: LayerRun,
  asked: RtlDimms,
  dimmStride: number,
): readonly RtlExpert[] {
  const work = new Map<number, { readonly first: RtlExpert; tokens: number }>();
  experts.forEach(({ id, load, home }, i) => {
    if (assignment[i] !== "N" || home === null) return;
    const dimm = home * dimmStride;
    const known = work.get(dimm);
    if (known !== undefined) known.tokens += load;
    else work.set(dimm, { first: { expert: id, tokens: load, dimm }, tokens: load });
  });
  const lightestFirst = [...work.values()].toSorted((a, b) => a.tokens - b.tokens);
  if (asked === "lightest") return lightestFirst.slice(0, 1).map(({ first }) => first);
  return lightestFirst
    .map(({ first }) => first)
    .filter(({ dimm }) => asked === "all" || asked.includes(dimm))
    .toSorted((a, b) => a.dimm - b.dimm);
}

/** Compares all numbers of two results except `wall`, which depends on the host. */
function comparison(
  a: NativeMoeResult,
  b: NativeMoeResult,
): Pick<RtlLayer, "numbers" | "different"> {
  const flat = (result: NativeMoeResult): readonly number[] => [
    result.end,
    ...result.jobs.flatMap((list) => [...list]),
    ...result.ports.flatMap((list) => [...list]),
    ...result.moves,
    ...result.flows,
    ...result.links,
    ...result.devices.flatMap((list) => [...list]),
    ...result.units,
    ...result.pcie,
    ...result.host,
    ...result.outputs.flatMap((list) => [...list]),
  ];
  const [first, second] = [flat(a), flat(b)];
  const unequal = first.filter((value, i) => value !== second[i]).length;
  const different = unequal + Math.abs(first.length - second.length);
  return { numbers: first.length, different };
}

const model = "qwen3-235b-a22b";
const batch = 512;

/** A layer with these DIMMs on RTL. */
export function rtlLayerExperiment(options: RtlOptions): SimulatedExperiment {
  return {
    id: "trimoe/layer",
    paper: "trimoe",
    title: "A MoE layer with DIMMs on RTL",
    run: async () => {
      const decided = lastStep({ ...equationSetting, model, batch, relayout: true }, "TriMoE");
      const rtlLayer = await simulateWithRtl(model, decided, {}, options);
      if (rtlLayer === null) {
        const message = "none of these DIMMs has a cold expert in this layer.";
        throw inputError("--rtl-dimms", message);
      }
      const { rtl, outputs, experts } = rtlLayer;
      const equal = outputs - rtlLayer.unlikeGolden;
      const same = rtlLayer.numbers - rtlLayer.different;
      const names = experts.map(({ dimm }) => dimm).join(", ");
      return {
        findings: [],
        checks: [
          every("times, counters and output bytes as on models", same, rtlLayer.numbers, "numbers"),
          every("outputs as in the golden model", equal, outputs, "values"),
        ],
        blocks: [tableOf(rtlLayer)],
        timeline: tracksOf([[`${model}, DIMM ${names} on RTL`, rtl]]).flatMap(spansOf),
      };
    },
  };
}

function tableOf({ model: onModel, rtl, experts }: RtlLayer): Table {
  const row = (what: string, a: number, b: number): Table["rows"][number] => ({
    what,
    model: 1e3 * a,
    rtl: 1e3 * b,
  });
  const named = experts.map(
    ({ dimm, expert, tokens }) => `DIMM ${dimm} with expert ${expert} (${tokens} tokens)`,
  );
  return {
    kind: "table",
    id: "rtl-layer",
    caption: `When each device was done. With the unit's RTL, and real weights of one expert each: ${named.join("; ")}.`,
    columns: [
      { key: "what", title: "device" },
      { key: "model", title: "all on models", unit: "ms", source: "measured", digits: 7 },
      { key: "rtl", title: "on RTL", unit: "ms", source: "measured", digits: 7 },
    ],
    rows: [
      row("GPU", onModel.gpu, rtl.gpu),
      row("CPU", onModel.cpu, rtl.cpu),
      ...rtl.dimms.map((end, d) => row(`DIMM ${d}`, present(onModel.dimms[d]), end)),
    ],
  };
}
