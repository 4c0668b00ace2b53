// SPDX-License-Identifier: Apache-2.0
// Bytes that change while a DIMM computes: what a read returns is what the memory held when it
// accepted the read. RTL and the model, which computes its values when the run is over, end with the
// same bytes in the same time.

import { beforeAll, describe, expect, it } from "vitest";

import { descriptorWords } from "../../../src/workload/ndp/layout.ts";
import { prepareExpert } from "../../../src/kernels/ndp/cold-expert.ts";
import { layerSpec, layoutFor, regionBursts } from "../../../src/kernels/moe/moe-layer.ts";
import type { LayerExpert } from "../../../src/kernels/moe/moe-layer.ts";
import { unpackOutputs } from "../../../src/workload/ndp/pack.ts";
import { goldenExpert } from "../../../src/golden/expert.ts";
import {
  runMoe,
  type NativeMoeResult,
  type NativeMoeSpec,
} from "../../../src/native/ndp/moe-binding.ts";
import { buildNdpUnit } from "../../../src/native/ndp/ndp-unit.ts";
import { seconds } from "../../../src/base/units.ts";
import { generateExpert, generateInputs } from "../../../src/workload/generate.ts";
import { smallLayerMachine } from "../../helpers/machines.ts";
import { rejection } from "../../helpers/rejection.ts";
import { full } from "../../helpers/tier.ts";

const dimms = 2;
const machine = smallLayerMachine(dimms);
const { unit } = machine.ndp;
const shape = { hidden: 512, intermediate: 256, format: "fp16", activation: "silu" } as const;
const block = unit.multipliersPerStream * unit.lanes;
/** The unit needs two passes for these tokens, so it reads the weights twice. */
const tokens = unit.maxTokens + 3;
const layout = layoutFor(machine, shape, tokens);
const { input, gate, down, output } = layout;

const inputs = generateInputs(3, shape.format, tokens, shape.hidden);
const made = [0, 1].map((id) => {
  const weights = generateExpert({ seed: 20 + id, name: `expert ${id}`, ...shape });
  const task = { weights, inputs, activation: shape.activation } as const;
  return {
    id,
    streams: prepareExpert(machine.ndp, { ...task, arrangement: "interleaved" }).job.streams,
    golden: goldenExpert(weights, inputs, shape.activation, block),
  };
});

const xBase = 7;
const yBase = 14;

/** Two experts of DIMM 0, at consecutive addresses; DIMM 1 has the same regions. */
function base(): NativeMoeSpec {
  const expert = (id: number): LayerExpert => ({
    id,
    tokens,
    device: "NDP",
    weights: { home: 0 },
    compute: seconds(0),
  });
  const spec = layerSpec(machine, {
    shape,
    experts: [expert(0), expert(1)],
    moves: [],
    checked: made.map(({ id, streams }) => ({ id, streams })),
  });
  const elsewhere = spec.contents.map((piece) => ({ ...piece, dimm: 1 }));
  return { ...spec, devices: [], contents: [...spec.contents, ...elsewhere] };
}

/** The spec with words of its jobs changed. */
function withWords(spec: NativeMoeSpec, changes: readonly (readonly [at: number, to: number])[]) {
  const jobs = Uint32Array.from(spec.jobs[0] ?? []);
  for (const [at, to] of changes) jobs[at] = to;
  return { ...spec, jobs: [jobs, ...spec.jobs.slice(1)] };
}

/** Moves rows of DIMM 1 to the same or other addresses of DIMM 0, at a time in microseconds. */
function overwrite(
  from: { readonly burst: number; readonly bursts: number },
  to: number,
  start: number,
): NativeMoeSpec["moves"][number] {
  const runs = Array.from({ length: unit.streams }, (_, stream) => [
    ...[1, stream, from.burst, 0, stream, to, from.bursts],
  ]);
  return { links: 1, start: Math.round(start * 1e9), runs: Uint32Array.from(runs.flat()) };
}

const weightsOf = ({
  base: first,
  rows,
  stride,
}: typeof gate): { burst: number; bursts: number } => ({
  burst: first,
  bursts: (rows / unit.streams) * stride,
});
const outputs = { burst: output.base, bursts: tokens * output.stride };

/** DIMM 1 has the second expert's weights at the addresses of the first expert. */
const foreign = (spec: NativeMoeSpec): NativeMoeSpec => ({
  ...spec,
  contents: spec.contents.map((piece) =>
    piece.dimm === 1
      ? { ...piece, burst: (piece.burst + regionBursts) % (2 * regionBursts) }
      : piece,
  ),
});

type Case = readonly [string, NativeMoeSpec];
const inFull: readonly Case[] = [
  ["a job writes over its own inputs", withWords(base(), [[yBase, input.base]])],
  [
    "a job writes over the weights of the next, of which some are in its queues already",
    withWords(base(), [[yBase, regionBursts + gate.base]]),
  ],
  [
    "two moves write to the same weights of a job that runs",
    {
      ...foreign(base()),
      moves: [
        overwrite(weightsOf(down), down.base, 140),
        overwrite(weightsOf(gate), down.base, 142),
      ],
    },
  ],
];
const cases: readonly Case[] = [
  ["nothing", base()],
  ...(full ? [1, 140, 165, 250] : [140]).map(
    (at) =>
      [
        `a move overwrites the weights of a job that runs, ${at} us after its begin`,
        { ...foreign(base()), moves: [overwrite(weightsOf(down), down.base, at)] },
      ] as const,
  ),
  [
    "the next job reads what the one before writes",
    withWords(base(), [[descriptorWords + xBase, output.base]]),
  ],
  ...(full ? inFull : []),
  ...(full ? [150, 185, 245] : [185]).map(
    (at) =>
      [
        `a move and a job write to the same bursts, ${at} us after its begin`,
        { ...foreign(base()), moves: [overwrite(weightsOf(gate), output.base, at)] },
      ] as const,
  ),
];

describe("bytes of the simulated time", () => {
  let plugin = "";
  beforeAll(async () => {
    plugin = await buildNdpUnit(unit);
  });
  const onRtl = async (spec: NativeMoeSpec): Promise<NativeMoeResult> =>
    runMoe({
      ...spec,
      dimm: { ...spec.dimm, model: "rtl", plugin },
      rtlDimms: Uint32Array.of(0),
    });

  it.each(cases)("%s", async (name, spec) => {
    const [model, rtl] = await Promise.all([runMoe(spec), onRtl(spec)]);
    expect({ ...rtl, wall: 0 }).toEqual({ ...model, wall: 0 });
    const values = made.map((_, i) =>
      unpackOutputs(layout, rtl.outputs.slice(i * unit.streams, (i + 1) * unit.streams)),
    );
    if (name === "nothing") expect(values).toEqual(made.map(({ golden }) => golden));
    else expect(values).not.toEqual(made.map(({ golden }) => golden));
  });

  it("refuses a move that reads a model's outputs", async () => {
    const spec = { ...base(), moves: [] };
    const runs = Uint32Array.of(0, 0, outputs.burst, 1, 0, 5 * regionBursts, 1);
    await expect(runMoe({ ...spec, moves: [{ links: 1, start: 0, runs }] })).rejects.toThrow(
      rejection("bad-input", /^moves: move 0 .*outputs of DIMM 0/),
    );
  });
});
