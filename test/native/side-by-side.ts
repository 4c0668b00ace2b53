// SPDX-License-Identifier: Apache-2.0
// Sessions of every kind in one process, alone and side by side, with progress and with others that
// are cancelled meanwhile. What a session gives must not depend on who runs beside it.

import type { CsdJob } from "../../src/machine/csd/csd-jobs.ts";
import { layerSpec, layoutFor, regionBursts } from "../../src/kernels/moe/moe-layer.ts";
import type { LayerExpert } from "../../src/kernels/moe/moe-layer.ts";
import { nativeLinks } from "../../src/kernels/moe/dimm-links.ts";
import { nativeMove } from "../../src/kernels/moe/relayout.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSessionWith } from "../../src/native/csd/csd-session.ts";
import { runMoe, type NativeMoeSpec } from "../../src/native/ndp/moe-binding.ts";
import { loadAddon } from "../../src/native/addon.ts";
import { seconds } from "../../src/base/units.ts";
import { fill, observableRun, smallCsd, testHead } from "../helpers/csd.ts";
import { smallLayerMachine } from "../helpers/machines.ts";
import { echoMachine, echoRun, inputBurst, loadEcho, noProgress, outputBurst } from "./echo.ts";

/** One session from its opening to its close; returns its results without wall-clock times. */
type Work = () => Promise<unknown>;

/** Bursts of a run that nobody waits for. */
const endless = 100_000_000;

const ndp =
  (plugin: string, seed: number): Work =>
  async () => {
    const addon = loadAddon();
    const handle = addon.ndpOpen(echoMachine(plugin));
    const sums = loadEcho(addon, handle, 500);
    const run = { ...echoRun(500), stalls: { seed, probability: 0.4 } };
    const { times: _, ...result } = await addon.ndpRun(handle, run, noProgress);
    const outputs = sums.map((__, stream) => addon.ndpRead(handle, stream, outputBurst, 1));
    addon.ndpClose(handle);
    return { result, outputs };
  };

const cancelledNdp = (plugin: string): Work => {
  return async () => {
    const addon = loadAddon();
    const handle = addon.ndpOpen(echoMachine(plugin));
    let reports = 0;
    const { fault } = await addon.ndpRun(handle, echoRun(endless), () => {
      reports += 1;
      if (reports === 3) addon.ndpCancel(handle);
    });
    addon.ndpClose(handle);
    return fault;
  };
};

const heads = 2;
const tokens = 96;

const csd =
  (seed: number, cancelled: boolean): Work =>
  async () => {
    const session = openCsdSessionWith(smallCsd(), undefined);
    const caches = Array.from({ length: heads }, (_, h) => testHead(seed + h, tokens));
    const sequence = fill(
      session,
      caches.map(({ cache }) => cache),
    );
    const jobs = Array.from({ length: cancelled ? 4000 : 12 }, (_, i): CsdJob => {
      const queries = numbersToHalves((caches[i % heads] ?? testHead(seed, tokens)).query(i % 64));
      const job = { sequence, head: i % heads, queries };
      return i % 3 === 0
        ? { ...job, kind: "dense" }
        : { ...job, kind: "sparse", r: 4, k: 10, l: 3, mean: true };
    });
    const stop = new AbortController();
    const onProgress = (): void => {
      if (cancelled) stop.abort();
    };
    const run = await session.run(jobs, { onProgress, signal: stop.signal });
    session.close();
    return cancelled ? run.devices.map(({ outcome }) => outcome.kind) : observableRun(run);
  };

/** The end of a machine that is cancelled at its first progress message. */
async function cancelledMoe(spec: NativeMoeSpec): Promise<string> {
  const addon = loadAddon();
  const handle = addon.moeOpen(spec);
  const { fault } = await addon.moeRun(handle, spec, () => {
    addon.moeCancel(handle);
  });
  addon.moeClose(handle);
  return fault;
}

const dimms = 2;
const machine = smallLayerMachine(dimms);
const shape = { hidden: 512, intermediate: 256, format: "fp16", activation: "silu" } as const;

const moe =
  (cancelled: boolean): Work =>
  async () => {
    const layout = layoutFor(machine, shape, 1);
    const expert = (id: number, device: "NDP" | "CPU"): LayerExpert => ({
      id,
      tokens: cancelled ? 8 : 1,
      device,
      weights: device === "CPU" ? "striped" : { home: id % dimms },
      compute: seconds(device === "CPU" ? 1e-6 : 0),
    });
    const experts = [
      // Seconds of work where it is to be cancelled.
      ...Array.from({ length: cancelled ? 1000 : 3 }, (_, id) => expert(id, "NDP")),
      expert(cancelled ? 1000 : 100, "CPU"),
    ];
    const move = nativeMove(
      {
        expert: { layout, base: 200 * regionBursts },
        from: "striped",
        to: { home: 1 },
        targetBase: 201 * regionBursts,
        links: 2,
      },
      dimms,
    );
    const spec = layerSpec(machine, { shape, experts, moves: cancelled ? [] : [move] });
    return cancelled ? cancelledMoe(spec) : { ...(await runMoe(spec)), wall: 0 };
  };

/** Four DIMMs whose units are RTL, on several threads. */
const rtlMoe =
  (plugin: string, threads: number, bursts: number): Work =>
  async () => {
    const units = [0, 1, 2, 3];
    const data = new Uint8Array(64 * 600);
    const spec: NativeMoeSpec = {
      dimm: echoMachine(plugin),
      dimms: units.length,
      network: nativeLinks({ topology: "full", group: units.length }),
      jobs: units.map((d) => echoRun(bursts + d).descriptors),
      moves: [],
      devices: [],
      seed: 1,
      contents: units.map((dimm) => ({
        dimm,
        stream: dimm % 2,
        burst: inputBurst,
        data: data.map((_, i) => i * (dimm + 3)),
      })),
      outputs: units.map((dimm) => ({ dimm, job: 0, burst: outputBurst, bursts: 1 })),
      rtlDimms: Uint32Array.from(units),
      threads,
    };
    return bursts === endless ? cancelledMoe(spec) : { ...(await runMoe(spec)), wall: 0 };
  };

function works(plugin: string): readonly Work[] {
  return [
    ndp(plugin, 3),
    ndp(plugin, 11),
    csd(1, false),
    csd(5, false),
    moe(false),
    rtlMoe(plugin, 3, 500),
  ];
}

function cancelledWorks(plugin: string): readonly Work[] {
  return [
    cancelledNdp(plugin),
    csd(9, true),
    moe(true),
    cancelledNdp(plugin),
    rtlMoe(plugin, 2, endless),
  ];
}

/** The results of the sessions, executed one after another. */
export async function oneByOne(plugin: string): Promise<readonly unknown[]> {
  const results: unknown[] = [];
  for (const work of works(plugin)) results.push(await work());
  return results;
}

/**
 * The results of two concurrent sessions of each kind, and the ends of those that were cancelled at
 * the same time.
 */
export async function sideBySide(
  plugin: string,
): Promise<{ readonly results: readonly unknown[]; readonly ends: readonly unknown[] }> {
  const [results, ends] = await Promise.all(
    [[...works(plugin), ...works(plugin)], cancelledWorks(plugin)].map(async (all) =>
      Promise.all(all.map(async (work) => work())),
    ),
  );
  return { results: results ?? [], ends: ends ?? [] };
}
