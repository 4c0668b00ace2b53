// SPDX-License-Identifier: Apache-2.0
// For every function of the addon calls that it accepts; tests put other values into them.

import { gpuLink } from "../../src/machine/resolve/links.ts";
import { paperMachine } from "../../src/machine/resolve/systems.ts";
import { layerSpec, layoutFor, type LayerMachine } from "../../src/kernels/moe/moe-layer.ts";
import { nativeLinks } from "../../src/kernels/moe/dimm-links.ts";
import { parseDramReplayConfig } from "../../src/kernels/dram/config.ts";
import { withRows } from "../../src/native/dram-binding.ts";
import { nativeDevice } from "../../src/native/flash-binding.ts";
import { flashPresets } from "../../src/machine/flash/presets.ts";
import { nativeCsdConfig } from "../../src/native/csd/csd-machine.ts";
import type { NativeMoeSpec } from "../../src/native/ndp/moe-binding.ts";
import { nativeLink } from "../../src/native/links.ts";
import { nativeConfig } from "../../src/native/ndp/ndp-machine.ts";
import { inRepository } from "../../src/base/paths.ts";
import { buildAnyUnit } from "../../src/native/unit/any-unit.ts";
import { buildOf } from "../../src/rtl/source.ts";
import { smallCsd } from "../helpers/csd.ts";
import { smallUnit } from "../helpers/machines.ts";
import type { ApiCall, Given } from "./api.ts";

export type Fields = Readonly<Record<string, Given>>;

/** The result of the so-manieth call before. */
export const result = (of: number): Given => ({ $: "result", of });
export const anyFunction: Given = { $: "function" };
export const call = (name: string, ...given: readonly Given[]): ApiCall => ({ call: name, given });

/** A small machine with these changes of itself and of two of its parts. */
export const ndp = (config: Fields = {}, parameters: Fields = {}, memory: Fields = {}): Fields => {
  const small = nativeConfig({ ...paperMachine("cycle"), unit: smallUnit }, undefined);
  return {
    ...small,
    parameters: { ...small.parameters, ...parameters },
    memory: { ...small.memory, ...memory },
    ...config,
  };
};

export const csd = (config: Fields = {}, flash: Fields = {}, parameters: Fields = {}): Fields => {
  const small = nativeCsdConfig(smallCsd(), undefined);
  return {
    ...small,
    flash: { ...small.flash, ...flash },
    parameters: { ...small.parameters, ...parameters },
    ...config,
  };
};

/** Two devices behind a shared link. */
export const sharing: Fields = csd({
  devices: 2,
  sharedLink: { link: nativeLink(gpuLink), switchLatency: 100 },
});

const layerMachine: LayerMachine = {
  ndp: { ...paperMachine("cycle"), unit: { ...smallUnit, streams: 8 } },
  dimms: 2,
  pcie: gpuLink,
  network: nativeLinks({ topology: "full", group: 2 }),
};
const shape = { hidden: 64, intermediate: 64, format: "fp16", activation: "silu" } as const;

/** Words of a descriptor that a small machine does. */
export const descriptor = (changes: Readonly<Record<number, number>> = {}): Uint32Array => {
  const small = { ...layerMachine, ndp: { ...layerMachine.ndp, unit: smallUnit } };
  const words = Uint32Array.from(layoutFor(small, shape, 1).descriptor);
  for (const [at, value] of Object.entries(changes)) words[Number(at)] = value;
  return words;
};

export const moe = (changes: Partial<Record<keyof NativeMoeSpec, Given>> = {}): Fields => ({
  ...layerSpec(layerMachine, { shape, experts: [], moves: [] }),
  jobs: [Uint32Array.from(layoutFor(layerMachine, shape, 1).descriptor), new Uint32Array(0)],
  moves: [{ links: 1, start: 0, runs: Uint32Array.of(0, 0, 0, 1, 0, 4096, 8) }],
  devices: [
    {
      name: "CPU",
      pcie: nativeLink(gpuLink),
      buffers: 2,
      tasks: [{ compute: 5, chunks: Uint32Array.of(0, 0, 0, 64, 8) }],
      fetched: [{ compute: 5, chunks: Uint32Array.of(0, 0, 1, 64, 8) }],
    },
  ],
  contents: [{ dimm: 0, stream: 0, burst: 0, data: new Uint8Array(128) }],
  outputs: [{ dimm: 0, job: 0, burst: 0, bursts: 2 }],
  ...changes,
});

export const dram = (changes: Fields = {}): Fields => {
  const config = parseDramReplayConfig({ preset: "TriMoE", semantics: "jedec" }, "a test");
  return { ...withRows(config), commands: true, completions: true, ...changes };
};

const flashDevice = { ...nativeDevice(flashPresets.znand4k, "cmd_first") };
const page = [0, 0, 0, 0, 0, 4096];
export const flashReplay = (changes: Fields = {}): Fields => ({
  ...flashDevice,
  submit: Float64Array.of(0),
  batch: Uint32Array.of(0),
  operation: Uint8Array.of(0),
  where: Uint32Array.from(page),
  ...changes,
});
export const flashChains = (changes: Fields = {}): Fields => ({
  ...flashDevice,
  firstStep: Uint32Array.of(0, 1),
  firstPage: Uint32Array.of(0, 1),
  where: Uint32Array.from(page),
  inFlight: 2,
  ...changes,
});
export const flashReads = (changes: Fields = {}): Fields => ({
  ...flashDevice,
  where: Uint32Array.from(page),
  rawRate: 1e-3,
  retryGain: 4,
  codewordBytes: 1024,
  correctableBits: 2,
  mostRetries: 3,
  seed: 1,
  retrySetup: 1000,
  deadTimeout: 10_000,
  deadChannels: Uint32Array.of(1),
  ...changes,
});
export const cxlStream = (changes: Fields = {}): Fields => ({
  lanes: 8,
  flit: "68-bytes",
  lines: 100,
  inFlight: 16,
  latency: 5e7,
  lineTime: 5e5,
  ...changes,
});

export const flashKv = (script: readonly (readonly number[])[], changes: Fields = {}): Fields => ({
  channels: 2,
  dies: 2,
  planes: 1,
  blocks: 8,
  pagesPerBlock: 4,
  width: 16,
  pageBytes: 128,
  script: Uint32Array.from(script.flat()),
  ...changes,
});

const tokens = 64;
const rows = new Uint16Array(16 * tokens);
/** A device with a head of 64 tokens; the handle is result 0. */
export const filled = (config: Fields = csd()): readonly ApiCall[] => [
  call("csdOpen", config),
  call("csdSequence", result(0), 0, 1, 2, false),
  call("csdPages", result(0), 0, 0, 0, rows, rows),
  call("csdPrefill", result(0), 0, 0, 0, result(2)),
];
export const csdRun = (jobs: readonly number[], changes: Fields = {}): Fields => ({
  jobs: Uint32Array.from(jobs),
  rows: new Uint16Array(16),
  inFlight: 0,
  maxCycles: 0,
  keepPages: 0,
  stalls: { seed: 1, probability: 0.1 },
  ...changes,
});
export const denseJob = [0, 0, 0, 1, 1, 0, 0, 0, 0, 16];
export const sparseJob = [0, 0, 0, 0, 1, 4, 8, 2, 1, 16];
export const prompts = (changes: Fields = {}): Fields => ({
  heads: Uint32Array.of(0, 0, 0, 4),
  ready: Float64Array.of(0),
  rows: new Uint16Array(128),
  maxCycles: 0,
  ...changes,
});
export const ndpRun = (changes: Fields = {}): Fields => ({
  descriptors: descriptor(),
  maxCycles: 0,
  keepCommands: 16,
  stalls: { seed: 1, probability: 0.1 },
  ...changes,
});

const opened = [call("ndpOpen", ndp())];
const layers = [call("moeOpen", moe())];
const replayed = [call("dramReplayOpen", dram())];
const empty = [call("csdOpen", csd()), call("csdSequence", result(0), 0, 1, 2, true)];
const trace = new TextEncoder().encode("id,arrival,op,addr\n0,0,R,0x0\n1,9,W,0x40\n");

/** A unit of three streams that somebody drives. */
const unit = buildOf({
  top: "scaled_add",
  sources: [inRepository("examples", "own-rtl", "scaled_add.sv")],
});
const probed = [call("probeOpen", { plugin: await buildAnyUnit(unit) })];
const driven = [
  call("unitOpen", {
    plugin: await buildAnyUnit(unit),
    name: "scaled_add",
    seed: 0,
  }),
];
/** However many cycles it has, it ends after the first one in which nothing moved. */
const drivenRun: Fields = {
  cycles: 100,
  sends: [{ lane: 0, words: Uint32Array.of(7, 8), pauses: Uint32Array.of(0, 1) }],
  pauses: [{ lane: 1, seed: 1, probability: 0.5 }],
  answers: [],
  sets: [{ word: 0, value: 0 }],
  counts: [{ lane: 0, lanes: 2, count: 0 }],
  words: [],
  seen: [],
  rest: 0,
};

/** Of every function: the calls before, and the call. */
export const accepted: Readonly<Record<string, readonly ApiCall[]>> = {
  ndpOpen: [call("ndpOpen", ndp())],
  ndpDescribe: [...opened, call("ndpDescribe", result(0))],
  ndpClear: [...opened, call("ndpClear", result(0))],
  ndpLoad: [...opened, call("ndpLoad", result(0), 0, 5, new Uint8Array(64))],
  ndpKeep: [...opened, call("ndpKeep", result(0), 1)],
  ndpRestore: [
    ...opened,
    call("ndpKeep", result(0), 1),
    call("ndpRestore", result(0), 0, result(1)),
  ],
  ndpRead: [...opened, call("ndpRead", result(0), 0, 1, 2)],
  ndpRun: [...opened, call("ndpRun", result(0), ndpRun(), anyFunction)],
  ndpAbandon: [...opened, call("ndpAbandon", result(0))],
  ndpCancel: [...opened, call("ndpCancel", result(0))],
  ndpClose: [...opened, call("ndpClose", result(0))],
  csdOpen: [call("csdOpen", sharing)],
  csdDescribe: [call("csdOpen", csd()), call("csdDescribe", result(0))],
  csdSequence: [call("csdOpen", csd()), call("csdSequence", result(0), 0, 2, 4, true)],
  csdPages: filled().slice(0, 3),
  csdPrefill: filled(),
  csdKeep: [...filled(), call("csdKeep", result(0))],
  csdRestore: [...filled(), call("csdKeep", result(0)), call("csdRestore", result(0), result(4))],
  csdCloseSequence: [...filled(), call("csdCloseSequence", result(0), 0, 0)],
  csdInjectFault: [...filled(), call("csdInjectFault", result(0), 0, 0, 0, "token-values", 2, 3)],
  csdRun: [...filled(sharing), call("csdRun", result(0), csdRun(sparseJob), anyFunction)],
  csdWrite: [...empty, call("csdWrite", result(0), prompts(), anyFunction)],
  csdAbandon: [...filled(), call("csdAbandon", result(0))],
  csdCancel: [...filled(), call("csdCancel", result(0))],
  csdClose: [...filled(), call("csdClose", result(0))],
  dramReadyAt: [
    call("dramReadyAt", dram(), Float64Array.of(0, 0, 0, 0, 0), Float64Array.of(3, 0, 0, 0)),
  ],
  dramReplayOpen: replayed,
  dramReplayFeed: [...replayed, call("dramReplayFeed", result(0), trace)],
  dramReplayFinish: [...replayed, call("dramReplayFinish", result(0))],
  dramReplayGoOn: [...replayed, call("dramReplayGoOn", result(0))],
  dramReplayBusy: [...replayed, call("dramReplayBusy", result(0))],
  dramReplayCommands: [...replayed, call("dramReplayCommands", result(0))],
  dramReplayCompletions: [...replayed, call("dramReplayCompletions", result(0))],
  dramReplayLines: [...replayed, call("dramReplayLines", result(0))],
  dramReplayReport: [...replayed, call("dramReplayReport", result(0))],
  cxlStream: [call("cxlStream", cxlStream())],
  flashReplay: [call("flashReplay", flashReplay())],
  flashChains: [call("flashChains", flashChains())],
  flashReads: [call("flashReads", flashReads())],
  flashKv: [
    call(
      "flashKv",
      flashKv([
        [0, 0, 1, 2, 0],
        [1, 0, 64, 0, 0],
        [3, 0, 0, 0, 1],
        [2, 0, 0, 0, 0],
      ]),
    ),
  ],
  hta1: [call("hta1", 1, 32, 16, "keys", 4, 8)],
  unitOpen: driven,
  unitReset: [...driven, call("unitReset", result(0), 1)],
  unitRun: [...driven, call("unitRun", result(0), drivenRun, anyFunction)],
  unitAbandon: [...driven, call("unitAbandon", result(0))],
  unitCancel: [...driven, call("unitCancel", result(0))],
  unitClose: [...driven, call("unitClose", result(0))],
  probeOpen: probed,
  probeRun: [...probed, call("probeRun", result(0), { cycles: 8 }, anyFunction)],
  probeCancel: [...probed, call("probeCancel", result(0))],
  probeAbandon: [...probed, call("probeAbandon", result(0))],
  probeClose: [...probed, call("probeClose", result(0))],
  moeOpen: layers.slice(0, 1),
  moeRun: [...layers, call("moeRun", result(0), moe(), anyFunction)],
  moeAbandon: [...layers, call("moeAbandon", result(0))],
  moeCancel: [...layers, call("moeCancel", result(0))],
  moeClose: [...layers, call("moeClose", result(0))],
};
