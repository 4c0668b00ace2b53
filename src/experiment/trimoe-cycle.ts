// SPDX-License-Identifier: Apache-2.0
// TriMoE's layer on the simulated machine: the assignment of the policy, run by sixteen DIMMs on their
// cycle models, the CPU's and the GPU's reads as requests of the host, PCIe, and four experts that
// move over DIMM-Link, all at once. Beside it what equations 5 to 7 say of the same assignment.

import { paperMachine as ndpMachine } from "../config/systems.ts";
import { nativeMove, dimmLink } from "../driver/relayout.ts";
import { layerSpec, layoutFor, regionBursts } from "../driver/moe-layer.ts";
import type { LayerExpert, LayerMachine, LayerWork } from "../driver/moe-layer.ts";
import { curveTime } from "../host/curve.ts";
import { expertBytes, modelShape } from "../model/shapes.ts";
import { runMoe, type NativeMoeResult } from "../native/moe-binding.ts";
import type { LayerRun } from "../policy/trimoe/baselines.ts";
import { paperMachine } from "../policy/trimoe/machine.ts";
import type { Table } from "../report/page.ts";
import type { Span } from "../report/perfetto.ts";
import { scale } from "../units.ts";
import { shape, type Finding, type SimulatedExperiment } from "./experiment.ts";
import { study } from "./trimoe-run.ts";

const femto = 1e-15;
const dimms = 16;
const batch = 512;
const movedExperts = 4;
const linksEach = 3;
const models = ["qwen3-235b-a22b", "deepseek-v2", "glm-4.5-air"] as const;

/** The machine of Table 1 with three links an expert. */
const layerMachine: LayerMachine = {
  ndp: ndpMachine("cycle"),
  dimms,
  pcie: 64e9,
  network: dimmLink,
};

/** What the policy decided on a layer, as work for the machine. */
function workOf(model: string, run: LayerRun): LayerWork {
  const { hidden, experts: ofModel } = modelShape(model, "the experiment");
  const weightShape = {
    hidden,
    intermediate: ofModel?.intermediate ?? 0,
    format: "fp16",
    activation: "silu",
  } as const;
  const size = expertBytes(modelShape(model, "the experiment"));
  const machine = paperMachine({ dimms });
  const factor = size / machine.curveBytes;
  const names = { G: "GPU", C: "CPU", N: "NDP" } as const;
  const experts = run.experts.map(({ id, load, layout, home, resident }, i): LayerExpert => {
    const device = names[run.assignment[i] ?? "G"];
    const place = layout === "striped" || home === null ? ("striped" as const) : { home };
    return {
      id,
      tokens: load,
      device,
      weights: device === "GPU" && resident ? null : place,
      compute: scale(curveTime(device === "CPU" ? machine.cpu : machine.gpu, load), factor),
    };
  });
  const layout = layoutFor(layerMachine, weightShape, 1);
  const first = ofModel?.routed ?? 0;
  const moves = Array.from({ length: movedExperts }, (_, i) =>
    nativeMove(
      {
        expert: { layout, base: (first + i) * regionBursts },
        from: "striped",
        to: { home: (i * dimms) / movedExperts },
        targetBase: (first + movedExperts + i) * regionBursts,
        links: linksEach,
      },
      dimms,
    ),
  );
  return { shape: weightShape, experts, moves };
}

interface LayerOutcome {
  readonly model: string;
  readonly run: LayerRun;
  readonly result: NativeMoeResult;
  /** Seconds, ours. */
  readonly gpu: number;
  readonly cpu: number;
  readonly dimms: readonly number[];
  readonly moves: number;
}

async function simulate(model: string): Promise<LayerOutcome> {
  const run = study({ model, batch, relayout: true }, ["TriMoE"]).get("TriMoE")?.last;
  if (run === undefined || run === null) throw new RangeError("the study has no last layer");
  const result = await runMoe(layerSpec(layerMachine, workOf(model, run)));
  const last = (spans: Float64Array | undefined): number => (spans?.at(-1) ?? 0) * femto;
  return {
    model,
    run,
    result,
    cpu: last(result.devices[0]),
    gpu: last(result.devices[1]),
    dimms: result.jobs.map((spans) => last(spans)),
    moves: Math.max(...result.moves.filter((_, i) => i % 2 === 1)) * femto,
  };
}

const note =
  "the equations give each device the memory to itself, fill no pipelines and hand over no ranks";

function findingsOf({
  model,
  run,
  gpu,
  cpu,
  dimms: ends,
  moves,
}: LayerOutcome): readonly Finding[] {
  const makespan = Math.max(gpu, cpu, ...ends);
  const busiest = Math.max(...run.load.dimms);
  return [
    shape(`${model}: layer over equation 7`, null, makespan / run.time, "x", [0.8, 1.5], note),
    shape(`${model}: CPU over equation 5`, null, cpu / run.load.cpu, "x", [0.9, 1.5], note),
    shape(`${model}: GPU over equation 5`, null, gpu / run.load.gpu, "x", [0.9, 1.5], note),
    shape(
      `${model}: slowest DIMM over equation 6`,
      null,
      Math.max(...ends) / busiest,
      "x",
      [0.7, 1.5],
      note,
    ),
    shape(`${model}: four moves under the layer`, null, moves / makespan, "1", [0, 1], note),
  ];
}

function tableOf({ model, run, gpu, cpu, dimms: ends }: LayerOutcome): Table {
  const row = (what: string, equation: number, simulated: number): Table["rows"][number] => ({
    what,
    equation: equation * 1e3,
    simulated: simulated * 1e3,
    ratio: equation === 0 ? 0 : simulated / equation,
  });
  return {
    kind: "table",
    id: `layer-${model}`,
    caption: `${model} at batch ${batch}: busy times of equations 5 and 6, and when each device was done.`,
    columns: [
      { key: "what", title: "device" },
      { key: "equation", title: "equations", unit: "ms", source: "derived", digits: 4 },
      { key: "simulated", title: "simulated", unit: "ms", source: "measured", digits: 4 },
      { key: "ratio", title: "ratio", unit: "x", source: "derived", digits: 3 },
    ],
    rows: [
      row("GPU", run.load.gpu, gpu),
      row("CPU", run.load.cpu, cpu),
      ...ends.map((end, d) => row(`DIMM ${d}`, run.load.dimms[d] ?? 0, end)),
    ],
  };
}

/** Every device of the layer on a lane of its own. */
function timelineOf({ model, run, result }: LayerOutcome): readonly Span[] {
  const track = `${model}, simulated`;
  const lane = (name: string, spans: Float64Array | undefined, labels: readonly string[]): Span[] =>
    labels.flatMap((label, i): readonly Span[] => {
      const begin = spans?.[2 * i];
      const end = spans?.[2 * i + 1];
      if (begin === undefined || end === undefined || end < begin) return [];
      return [
        { track, lane: name, name: label, startNs: begin / 1e6, durationNs: (end - begin) / 1e6 },
      ];
    });
  const of = (device: string, home?: number): readonly string[] =>
    run.experts
      .filter((e, i) => run.assignment[i] === device && (home === undefined || e.home === home))
      .map((e) => `expert ${e.id}, ${e.load} tokens`);
  return [
    ...lane("GPU", result.devices[1], of("G")),
    ...lane("CPU", result.devices[0], of("C")),
    ...result.jobs.flatMap((spans, d) => lane(`DIMM ${d}`, spans, of("N", d))),
    ...Array.from({ length: movedExperts }, (_, i) =>
      lane(`relayout ${i}`, result.moves.subarray(2 * i, 2 * i + 2), ["striped to localized"]),
    ).flat(),
  ];
}

export const layerExperiment: SimulatedExperiment = {
  id: "trimoe/layer",
  paper: "trimoe",
  title: "A MoE layer with all its contention, beside equations 5 to 7",
  run: async () => {
    const done: LayerOutcome[] = [];
    for (const model of models) done.push(await simulate(model));
    return {
      findings: done.flatMap(findingsOf),
      blocks: done.map(tableOf),
      timeline: done.flatMap(timelineOf),
    };
  },
};
