// SPDX-License-Identifier: Apache-2.0
// Sound inputs of `run`: the smallest NDP unit and the smallest attention.

import type { ValidInput } from "../input.ts";
import { yaml } from "./documents.ts";

/** A unit whose jobs take a few hundred cycles. */
export const smallNdp = {
  streams: 2,
  multipliersPerStream: 4,
  buffer: "16 KiB",
  queueBursts: 8,
  activationLanes: 32,
  maxTokens: 8,
};

export const expertScenario = {
  name: "small",
  title: "A small expert",
  seed: 3,
  system: "trimoe",
  fidelity: "cycle",
  expert: { hidden: 24, intermediate: 9, format: "fp16", activation: "silu", name: "e" },
  tokens: [1, 3],
  layouts: ["interleaved", "row-major"],
  ndp: { ...smallNdp, clock: "1 GHz", lanes: 8, bitsPerCycle: 1 },
  memory: {
    preset: "DDR5-4800AN",
    refresh: "AllBank",
    backend: "native",
    semantics: "ramulator-2.0",
    queueEntries: 32,
    timing: { nBL: 8, nCL: 40, nRCD: 34, nRP: 34, nRAS: 77, nRC: 111, nRFC1: 708, nREFI: 9360 },
  },
  expect: { boundShare: { interleaved: 0.01, "row-major": 0.01 } },
};

export const attentionScenario = {
  name: "heads",
  fidelity: "cycle",
  attention: {
    heads: 2,
    headWidth: 32,
    source: { generator: "hta1", firstSeed: 5 },
    length: 24,
    decode: 1,
    methods: ["dense", "sparf"],
    ratio: "1/4",
    dimsPerPage: 2,
    engine: { kernels: 2, lanes: 16, slots: 2 },
    channels: 2,
    diesPerChannel: 2,
    flash: ["znand4k"],
    devices: [1],
    inFlight: [1, 2],
    expect: { channelsBusy: { znand4k: 0.001 }, speedup: { znand4k: 0.01 } },
  },
};

const words = ["s.yaml", "--out", "out", "--json"];

const scenario = (name: string, value: unknown, weight: number): ValidInput => ({
  command: "run",
  name,
  words,
  files: { "s.yaml": yaml(value) },
  outputs: ["out"],
  weight,
  own: /^runs(\/|$)/,
});

export const runInputs: readonly ValidInput[] = [
  scenario("an expert", expertScenario, 3),
  scenario("an expert in closed form", { ...expertScenario, fidelity: "analytic" }, 1),
  scenario("heads", attentionScenario, 3),
  scenario(
    "heads behind a shared link",
    {
      ...attentionScenario,
      attention: { ...attentionScenario.attention, devices: [2], sharedLink: "100 MB/s" },
    },
    1,
  ),
  {
    ...scenario("both, options", { ...expertScenario, ...attentionScenario, seed: 1 }, 1),
    words: [...["s.yaml", "--fidelity", "cycle", "--memory-backend", "native", "--out", "out"]],
  },
];
