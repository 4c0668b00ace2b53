// SPDX-License-Identifier: Apache-2.0
// TriMoE end to end (figure 7): prompts and decode steps of a whole model from the times of one MoE
// layer, whether from the equations or simulated; and the gain over the best of some baselines.

import { present } from "../../../base/present.ts";
import { curveTime } from "../../../machine/host/curve.ts";
import { runTasks, type Task } from "../../../base/timeline.ts";
import { expertBytes, expertLayers, modelShape } from "../../../workload/shapes.ts";
import type { System } from "../policy/baselines.ts";
import { paperMachine } from "../model/machine.ts";
import { publishedMigration } from "../policy/migration.ts";
import type { Span } from "../../../results/latency/span.ts";
import { scale, seconds, transferTime, type Seconds } from "../../../base/units.ts";
import { spansOf } from "../../experiment/chart-map.ts";
import { bars, type Datum } from "../../experiment/chart.ts";
import type { Outcome } from "../../experiment/experiment.ts";
import {
  explained,
  compareNumber,
  compareStatement,
  type Explanation,
} from "../../experiment/finding.ts";
import { endToEndGains } from "../constants/published.ts";
import { baselines, compared } from "./layer.ts";

/** Time of a layer's experts under each system. */
export type LayerTimes = ReadonlyMap<System, Seconds>;

/** The baselines with the first reading of KTransformers: its CPU computes every cold expert. */
export const strictBaselines: readonly System[] = baselines.filter(
  (name) => name !== "En-KTransformers, balanced",
);

/** The best of the named baselines that were run over TriMoE. */
export function gainOver(times: LayerTimes, names: readonly System[]): number {
  const others = names.flatMap((name) => times.get(name) ?? []);
  return Math.min(...others) / present(times.get("TriMoE"));
}

/** Tokens of a prompt, and tokens made of each. */
const prompt = 256;
const longest = 512;
const outputs = [32, 128, longest];
interface ModelTimes {
  readonly model: string;
  readonly times: LayerTimes;
}

/** Readings for a model: the end-to-end gain for other times of its layer. */
type TriedGains = (model: string, gain: (times: LayerTimes) => number) => readonly Explanation[];

/** Prompts and decode of all layers under a system. */
interface WholeTimes {
  /** Baselines that have a time. */
  readonly baselines: readonly System[];
  readonly prefill: Seconds;
  readonly decode: (name: System, output: number) => Seconds;
  readonly total: (name: System, output: number) => Seconds;
}

function wholeTimes(batch: number, { model, times }: ModelTimes): WholeTimes {
  const layers = expertLayers(modelShape(model, "figure 7"));
  const { load, compute } = prefillLayer(model, batch * prompt);
  const prefill = seconds(layers * (Math.max(load, compute) + publishedMigration.window));
  const decode = (name: System, output: number): Seconds =>
    seconds(layers * output * (present(times.get(name)) + publishedMigration.window));
  const total = (name: System, output: number): Seconds => seconds(prefill + decode(name, output));
  const baselines = strictBaselines.filter((name) => times.has(name));
  return { baselines, prefill, decode, total };
}

function bestGain({ baselines, total }: WholeTimes, output: number): number {
  return Math.min(...baselines.map((name) => total(name, output))) / total("TriMoE", output);
}

/** TriMoE's gain over the best baseline that has a time, with the longest outputs. */
export function endToEndGain(batch: number, of: ModelTimes): number {
  return bestGain(wholeTimes(batch, of), longest);
}

/**
 * Figure 7 at `batch`. Every layer's attention and MLP last as long as the window of section 5.5,
 * on every system.
 */
export function endToEnd(
  batch: number,
  models: readonly ModelTimes[],
  tried: TriedGains = () => [],
): Outcome {
  const rows = models.map((one) => {
    const whole = wholeTimes(batch, one);
    const gain = (times: LayerTimes): number => endToEndGain(batch, { ...one, times });
    const { decode, total } = whole;
    return {
      model: one.model,
      best: (output: number): number => bestGain(whole, output),
      total,
      decodeShare: decode("TriMoE", longest) / total("TriMoE", longest),
      tried: [
        ...tried(one.model, gain),
        {
          what: "only experts, without attention, MLP and prompts",
          value: gainOver(one.times, strictBaselines),
        },
      ],
    };
  });
  const shares = rows.map(({ decodeShare }) => decodeShare);
  const data = rows.flatMap(({ model, total }) =>
    outputs.flatMap((output) =>
      compared.map((series): Datum => ({
        x: `${modelShape(model, "figure 7").title}, ${output}`,
        series,
        y: total("Klotski", output) / total(series, output),
      })),
    ),
  );
  return {
    findings: [
      compareNumber(
        `decode's share of TriMoE's time with ${longest} tokens made, least of the models`,
        {
          published: "above 90",
          ours: 100 * Math.min(...shares),
          unit: "%",
          kind: "S",
          note: "the lengths of prompts and outputs are not published",
        },
      ),
      ...rows.flatMap(({ model, best, tried: readings }) => [
        explained(
          compareNumber(`${model}: end-to-end gain with ${longest} tokens made`, {
            published: endToEndGains[model] ?? "",
            ours: best(longest),
            unit: "x",
            kind: "S",
            note: "the gain of a layer is already below the published gain (figure 6). Attention, which is equal in all systems, reduces it further",
          }),
          readings,
        ),
        compareStatement(`${model}: gain with ${longest} tokens made over 32`, {
          statement: "grows with the output",
          ours: best(longest) / best(32),
          unit: "1",
          range: [1, Infinity],
        }),
      ]),
    ],
    blocks: [
      bars(
        {
          id: "figure-7",
          caption: `Throughput over Klotski by tokens made: prompts of ${prompt} tokens, 0.68 ms of attention and MLP a layer.`,
          xTitle: "model and output tokens",
          yTitle: "speed-up",
          unit: "x",
        },
        data,
      ),
    ],
    timeline: models.flatMap((one) => stepSpans(batch, one)),
  };
}

/** Prompts are computed by the GPU alone, every layer's experts crossing PCIe once (section 2.2). */
function prefillLayer(model: string, tokens: number): { load: Seconds; compute: Seconds } {
  const one = modelShape(model, "figure 7");
  const size = expertBytes(one);
  const { pcie, gpu, curveBytes } = paperMachine();
  const { routed = 1, perToken = 1 } = one.experts ?? {};
  const each = scale(curveTime(gpu, (tokens * perToken) / routed), size / curveBytes);
  return { load: transferTime(scale(size, routed), pcie), compute: scale(each, routed) };
}

/** Two layers of the prompts and of the first decode step under each system. */
function stepSpans(batch: number, { model, times }: ModelTimes): readonly Span[] {
  const { load, compute } = prefillLayer(model, batch * prompt);
  const { window } = publishedMigration;
  return [...times].flatMap(([name, experts]) => {
    const tasks: Task[] = [];
    let before: readonly string[] = [];
    const next = (id: string, device: string, time: Seconds, tokens: number): void => {
      tasks.push({ id, device, time, after: before, tokens });
      before = [id];
    };
    for (const layer of ["layer 0", "layer 1"]) {
      next(`prompts, ${layer}: attention and MLP`, "attention and MLP", window, batch * prompt);
      const weights = `prompts, ${layer}: weights of the experts`;
      tasks.push({ id: weights, device: "PCIe", time: load, after: before });
      // Experts compute as they arrive; the last one computes when all have arrived.
      const time = seconds(Math.max(load, compute));
      next(`prompts, ${layer}: experts`, "experts", time, batch * prompt);
    }
    for (const layer of ["layer 0", "layer 1"]) {
      next(`first token, ${layer}: attention and MLP`, "attention and MLP", window, batch);
      next(`first token, ${layer}: experts`, "experts", experts, batch);
    }
    return spansOf({ name: `${model}, batch ${batch}, ${name}`, runs: runTasks(tasks) });
  });
}
