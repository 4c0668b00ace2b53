// SPDX-License-Identifier: Apache-2.0
// Sessions of the addon on the echo unit: values, outcomes, guards, cancellation, isolation, misuse.

import { createHash } from "node:crypto";
import { readFileSync, rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";

import { loadAddon } from "../../src/native/addon.ts";
import type { Native } from "../../src/native/layout.ts";
import { rejection } from "../helpers/rejection.ts";
import {
  buildEcho,
  echoMachine,
  echoRun,
  honestMemory,
  inputBurst,
  loadEcho,
  noProgress,
  outputBurst,
} from "./echo.ts";

const addon = loadAddon();
let plugin = "";
beforeAll(async () => {
  plugin = await buildEcho();
});

/** A hash of everything but wall-clock times. */
function hashOf(result: Native<"NdpResult">): string {
  const hash = createHash("sha256");
  for (const [key, value] of Object.entries(result)) {
    if (key !== "times") hash.update(JSON.stringify([key, value]));
  }
  return hash.digest("hex");
}

describe("a run", () => {
  // With 500 the last requests are in flight to the ports in the femtosecond before a clock edge.
  test.each([1, 7, 300, 500])("moves the right bytes for %i bursts a stream", async (bursts) => {
    const handle = addon.ndpOpen(echoMachine(plugin));
    const sums = loadEcho(addon, handle, bursts);
    const result = await addon.ndpRun(handle, echoRun(bursts), noProgress);
    expect(result.fault).toBe("none");
    expect(result.events.bytesRead).toBe(2 * bursts * 64);
    sums.forEach((sum, s) => {
      expect(addon.ndpRead(handle, s, outputBurst, 1)).toEqual(sum);
    });
  });

  test("takes as long as the memory's rate says", async () => {
    const bursts = 600;
    const handle = addon.ndpOpen(echoMachine(plugin));
    const result = await addon.ndpRun(handle, echoRun(bursts), noProgress);
    // With 8 reads in flight, a group of 8 reads needs 8 bursts or one round trip (40 memory cycles
    // and 2 to 3 unit cycles), whichever is longer: about 8 * 8 cycles of 2.4 GHz.
    const least = (bursts * 8) / 2.4;
    expect(result.cycles).toBeGreaterThan(least);
    expect(result.cycles).toBeLessThan(least * 1.02 + 60);
  });

  test("skips the clocks in which nothing can happen", async () => {
    const slow = { ...honestMemory, latency: 4000 };
    const handle = addon.ndpOpen(echoMachine(plugin, slow));
    const result = await addon.ndpRun(handle, echoRun(8), noProgress);
    expect(result.fault).toBe("none");
    expect(result.skipped).toBeGreaterThan(1500);
    const { stallWeights, phaseGateUp } = result.events;
    expect(stallWeights).toBe(phaseGateUp);
    expect(stallWeights).toBeGreaterThan(1600);
  });

  test("is the same with pauses but for its time", async () => {
    const handle = addon.ndpOpen(echoMachine(plugin));
    const sums = loadEcho(addon, handle, 200);
    const plain = await addon.ndpRun(handle, echoRun(200), noProgress);
    const stalls = { seed: 3, probability: 0.8 };
    const paused = await addon.ndpRun(handle, { ...echoRun(200), stalls }, noProgress);
    expect(paused.fault).toBe("none");
    expect(paused.cycles).toBeGreaterThan(plain.cycles);
    expect(addon.ndpRead(handle, 0, outputBurst, 1)).toEqual(sums[0]);
  });

  test("reports progress that never goes back", async () => {
    const handle = addon.ndpOpen(echoMachine(plugin));
    const seen: number[] = [];
    await addon.ndpRun(handle, echoRun(400_000), (cycles) => seen.push(cycles));
    expect(seen.length).toBeGreaterThan(0);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  test("writes a waveform of the window and of nothing else", async () => {
    const directory = mkdtempSync(join(tmpdir(), "neardata-wave-"));
    const path = join(directory, "window.fst");
    const handle = addon.ndpOpen(echoMachine(plugin));
    const waveform = { path, from: 100, to: 200 };
    await addon.ndpRun(handle, { ...echoRun(100), waveform }, noProgress);
    expect(readFileSync(path).length).toBeGreaterThan(100);
    rmSync(directory, { recursive: true });
  });

  test("stops at its cycle limit", async () => {
    const handle = addon.ndpOpen(echoMachine(plugin));
    const result = await addon.ndpRun(handle, { ...echoRun(600), maxCycles: 500 }, noProgress);
    expect(result.fault).toBe("cycle-limit");
    expect(result.faultCycle).toBeLessThanOrEqual(500);
  });
});

describe("a faulty machine is an outcome", () => {
  test("a failed assertion, with its scope and cycle", async () => {
    const handle = addon.ndpOpen(echoMachine(plugin));
    const result = await addon.ndpRun(handle, echoRun(10, true), noProgress);
    expect(result.fault).toBe("assertion-failed");
    expect(result.place).toBe("dimm_ndp.Planted_A (dimm_ndp.sv:120)");
    expect(result.faultCycle).toBeGreaterThan(20);
    // The session lives on.
    const next = await addon.ndpRun(handle, echoRun(10), noProgress);
    expect(next.fault).toBe("none");
  });

  test("a memory that never answers, with who waits for what", async () => {
    const silent = { ...honestMemory, answers: 20 };
    const handle = addon.ndpOpen(echoMachine(plugin, silent));
    const result = await addon.ndpRun(handle, echoRun(50), noProgress);
    expect(result.fault).toBe("deadlock");
    expect(result.place).toContain("NDP unit");
    expect(result.place).toContain("sub-channel 1");
    expect(result.message).toMatch(/NDP unit .*16 reads/);
    expect(result.faultCycle).toBeGreaterThan(20);
  });

  test.each([
    ["a bus faster than its pins", { burstCycles: 7 }, "sub-channel 0 read bus"],
    ["an answer before the closed-form floor", { latency: 39 }, "sub-channel 0 read latency"],
  ])("%s", async (_, fault, place) => {
    const handle = addon.ndpOpen(echoMachine(plugin, { ...honestMemory, ...fault }));
    const result = await addon.ndpRun(handle, echoRun(100), noProgress);
    expect(result.fault).toBe("guard-failed");
    expect(result.place).toBe(place);
    expect(result.message).toMatch(/ fs/);
  });
});

test("a run can be cancelled, and the session used again", async () => {
  const handle = addon.ndpOpen(echoMachine(plugin));
  let cancelled = false;
  const result = await addon.ndpRun(handle, echoRun(100_000_000), () => {
    if (!cancelled) addon.ndpCancel(handle);
    cancelled = true;
  });
  expect(result.fault).toBe("cancelled");
  expect(result.faultCycle).toBeGreaterThan(0);
  expect((await addon.ndpRun(handle, echoRun(10), noProgress)).fault).toBe("none");
});

test("the same run gives the same hash, again and with two sessions at once", async () => {
  const stalls = { seed: 11, probability: 0.4 };
  const open = (): [ReturnType<typeof addon.ndpOpen>, Uint8Array[]] => {
    const handle = addon.ndpOpen(echoMachine(plugin));
    return [handle, loadEcho(addon, handle, 2000)];
  };
  const run = { ...echoRun(2000), stalls };
  const [[a, sums], [b]] = [open(), open()];
  const [first, second] = await Promise.all([
    addon.ndpRun(a, run, noProgress),
    addon.ndpRun(b, run, noProgress),
  ]);
  const third = await addon.ndpRun(a, run, noProgress);
  expect(hashOf(second)).toBe(hashOf(first));
  expect(hashOf(third)).toBe(hashOf(first));
  expect(addon.ndpRead(b, 1, outputBurst, 1)).toEqual(sums[1]);
  const other = await addon.ndpRun(a, { ...run, stalls: { ...stalls, seed: 12 } }, noProgress);
  expect(hashOf(other)).not.toBe(hashOf(first));
});

describe("misuse is one error with a code", () => {
  const misuse = rejection("misuse");
  /** The error that `call` throws. */
  const thrown = (call: () => unknown): unknown => {
    try {
      call();
    } catch (error) {
      return error;
    }
    return undefined;
  };

  test("use after close", () => {
    const handle = addon.ndpOpen(echoMachine(plugin));
    addon.ndpClose(handle);
    addon.ndpClose(handle);
    expect(thrown(() => addon.ndpRead(handle, 0, 0, 1))).toEqual(misuse);
    expect(thrown(() => addon.ndpRun(handle, echoRun(1), noProgress))).toEqual(misuse);
    expect(thrown(() => addon.ndpRead(handle, 0, 0, 1))).toEqual(rejection("misuse", /closed/));
  });

  test("use while a run is in progress", async () => {
    const handle = addon.ndpOpen(echoMachine(plugin));
    const running = addon.ndpRun(handle, echoRun(1000), noProgress);
    expect(thrown(() => addon.ndpRead(handle, 0, 0, 1))).toEqual(misuse);
    expect(
      thrown(() => {
        addon.ndpClose(handle);
      }),
    ).toEqual(misuse);
    expect(thrown(() => addon.ndpRun(handle, echoRun(1), noProgress))).toEqual(misuse);
    await running;
  });

  test("a handle that is none, a stream and a burst that are not there", () => {
    const handle = addon.ndpOpen(echoMachine(plugin));
    expect(thrown(() => addon.ndpRead({} as typeof handle, 0, 0, 1))).toEqual(misuse);
    expect(thrown(() => addon.ndpRead(handle, 2, 0, 1))).toEqual(misuse);
    expect(thrown(() => addon.ndpRead(handle, 0, 2 ** 32, 1))).toEqual(
      rejection("bad-input", /burst 4294967296 .*beyond/),
    );
    expect(
      thrown(() => {
        addon.ndpLoad(handle, 0, 0, new Uint8Array(63));
      }),
    ).toEqual(misuse);
  });

  test("a config or a run that lacks a field, named by its path", () => {
    const config = echoMachine(plugin);
    const broken = { ...config, parameters: { ...config.parameters, lanes: 1.5 } };
    expect(thrown(() => addon.ndpOpen(broken))).toEqual(
      rejection("bad-input", /^config\.parameters: lanes is 1\.5/),
    );
    const handle = addon.ndpOpen(config);
    const run = { ...echoRun(1), descriptors: new Uint32Array(19) };
    expect(thrown(() => addon.ndpRun(handle, run, noProgress))).toEqual(misuse);
  });

  test("a plug-in that is none is bad input", () => {
    const path = import.meta.filename;
    expect(thrown(() => addon.ndpOpen(echoMachine(path)))).toEqual(rejection("bad-input"));
  });
});

test("what was not loaded reads as zero, and clear forgets", () => {
  const handle = addon.ndpOpen(echoMachine(plugin));
  loadEcho(addon, handle, 1);
  expect(addon.ndpRead(handle, 0, inputBurst, 1).some((byte) => byte !== 0)).toBe(true);
  addon.ndpClear(handle);
  expect(addon.ndpRead(handle, 0, inputBurst, 1)).toEqual(new Uint8Array(64));
});
