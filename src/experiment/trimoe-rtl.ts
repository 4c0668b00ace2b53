// SPDX-License-Identifier: Apache-2.0
// One cold expert of a MoE layer on the RTL of its DIMM's unit, everything else as before: the layer
// does not change, to the femtosecond, and the expert's outputs are the golden model's.

import { prepareExpert } from "../driver/cold-expert.ts";
import { unpackOutputs } from "../driver/pack.ts";
import { goldenExpert } from "../golden/expert.ts";
import type { NativeMoeResult } from "../native/moe-binding.ts";
import { buildNdpUnit } from "../native/ndp-unit.ts";
import type { LayerRun } from "../policy/trimoe/baselines.ts";
import type { MachineOptions } from "../policy/trimoe/machine.ts";
import type { Table } from "../report/page.ts";
import { generateExpert, generateInputs } from "../workload/generate.ts";
import { spansOf } from "./chart-map.ts";
import type { SimulatedExperiment } from "./experiment.ts";
import { simulatedMachine, simulateLayer, weightShapeOf } from "./simulated-layer.ts";
import type { SimulatedLayer } from "./simulated-layer.ts";
import { tracksOf } from "./trimoe-cycle.ts";
import { study } from "./trimoe-run.ts";
import { every } from "./own-check.ts";

const seed = 1;

/** A layer with one of its cold experts on RTL, and on the model. */
export interface RtlLayer {
  readonly model: SimulatedLayer;
  readonly rtl: SimulatedLayer;
  readonly expert: number;
  readonly tokens: number;
  readonly dimm: number;
  /** Times, counters and output bytes of the two results, and how many of them differ. */
  readonly numbers: number;
  readonly different: number;
  /** Outputs of the expert on RTL that are not the golden model's, of all. */
  readonly unlikeGolden: number;
  readonly outputs: number;
}

/**
 * Runs a layer twice. Its RTL is that of the DIMM with the fewest tokens; the expert that comes first
 * there has real weights and inputs.
 * @throws NeardataError as `simulateLayer` does, and when the unit cannot be built.
 */
export async function simulateWithRtl(
  model: string,
  run: LayerRun,
  machine: MachineOptions = {},
): Promise<RtlLayer | null> {
  const chosen = lightestDimm(run);
  if (chosen === null) return null;
  const { dimm, expert, tokens } = chosen;
  const { ndp } = simulatedMachine();
  const { hidden, intermediate, format, activation } = weightShapeOf(model);
  const weights = generateExpert({ seed, name: `expert ${expert}`, hidden, intermediate, format });
  const inputs = generateInputs(seed, format, tokens, hidden);
  const task = { weights, inputs, activation, arrangement: "interleaved" } as const;
  const { job, layout } = prepareExpert(ndp, task);
  const options = { machine, moves: true, checked: { id: expert, streams: job.streams } };
  const plugin = await buildNdpUnit(ndp.unit);
  const onModel = await simulateLayer(model, run, options);
  const onRtl = await simulateLayer(model, run, { ...options, rtl: { dimm, plugin } });
  const block = ndp.unit.multipliersPerStream * ndp.unit.lanes;
  const golden = goldenExpert(weights, inputs, activation, block);
  const outputs = unpackOutputs(layout, onRtl.result.outputs);
  return {
    model: onModel,
    rtl: onRtl,
    expert,
    tokens,
    dimm,
    ...comparison(onModel.result, onRtl.result),
    unlikeGolden: golden.filter((bits, i) => bits !== outputs[i]).length,
    outputs: golden.length,
  };
}

/** The DIMM whose cold experts have the fewest tokens, and the first of them. */
function lightestDimm({
  experts,
  assignment,
}: LayerRun): { readonly dimm: number; readonly expert: number; readonly tokens: number } | null {
  const cold = experts.filter((e, i) => assignment[i] === "N" && e.home !== null);
  const work = new Map<number, number>();
  for (const { home, load } of cold) work.set(home ?? 0, (work.get(home ?? 0) ?? 0) + load);
  const [lightest] = [...work].toSorted(([, a], [, b]) => a - b);
  const first = cold.find((e) => e.home === lightest?.[0]);
  if (lightest === undefined || first === undefined) return null;
  return { dimm: lightest[0], expert: first.id, tokens: first.load };
}

/** Every number of two results but `wall`, which is not one of the machine's. */
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
    ...result.transferring,
    ...result.host.flatMap((list) => [...list]),
    ...result.outputs.flatMap((list) => [...list]),
  ];
  const [first, second] = [flat(a), flat(b)];
  const unequal = first.filter((value, i) => value !== second[i]).length;
  const different = unequal + Math.abs(first.length - second.length);
  return { numbers: first.length, different };
}

const model = "qwen3-235b-a22b";
const batch = 512;

export const rtlExpertExperiment: SimulatedExperiment = {
  id: "trimoe/layer",
  paper: "trimoe",
  title: "A MoE layer with one DIMM on RTL",
  run: async () => {
    const run = study({ model, batch, relayout: true }, ["TriMoE"]).get("TriMoE")?.last;
    if (run === undefined || run === null) throw new RangeError("the study has no last layer");
    const found = await simulateWithRtl(model, run);
    if (found === null) throw new RangeError("the layer has no cold expert");
    const { rtl, outputs } = found;
    const equal = outputs - found.unlikeGolden;
    const same = found.numbers - found.different;
    return {
      findings: [],
      checks: [
        every("times, counters and output bytes as on models", same, found.numbers, "numbers"),
        every("outputs as in the golden model", equal, outputs, "values"),
      ],
      blocks: [tableOf(found)],
      timeline: tracksOf([[`${model}, DIMM ${found.dimm} on RTL`, rtl]]).flatMap(spansOf),
    };
  },
};

function tableOf({ model: onModel, rtl, dimm, expert, tokens }: RtlLayer): Table {
  const row = (what: string, a: number, b: number): Table["rows"][number] => ({
    what,
    model: 1e3 * a,
    rtl: 1e3 * b,
  });
  return {
    kind: "table",
    id: "rtl-layer",
    caption: `When each device was done; DIMM ${dimm} has the unit's RTL, expert ${expert} (${tokens} tokens) real weights.`,
    columns: [
      { key: "what", title: "device" },
      { key: "model", title: "all on models", unit: "ms", source: "measured", digits: 7 },
      { key: "rtl", title: "one on RTL", unit: "ms", source: "measured", digits: 7 },
    ],
    rows: [
      row("GPU", onModel.gpu, rtl.gpu),
      row("CPU", onModel.cpu, rtl.cpu),
      ...rtl.dimms.map((end, d) => row(`DIMM ${d}`, onModel.dimms[d] ?? 0, end)),
    ],
  };
}
