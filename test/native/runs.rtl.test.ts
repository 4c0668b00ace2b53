// SPDX-License-Identifier: Apache-2.0
// Runs have threads of their own: more of them than the pool of Node has go on at once, and the
// pool is free for others. Where there is no thread or memory, a run is an error.

import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { expect, test } from "vitest";

import { addonPath } from "../../src/native/addon.ts";
import { loadAddon } from "../../src/native/addon.ts";
import type { Native } from "../../src/native/layout.ts";
import { descriptor, ndp } from "./api-base.ts";
import { needs } from "../helpers/needs.ts";

/** Rows without end, all in the same place: minutes of work. */
const endless: Native<"NdpRun"> = {
  descriptors: descriptor({ 6: 2 ** 31 - 1, 13: 0 }),
  maxCycles: 0,
  keepCommands: 0,
};
const config = ndp() as unknown as Native<"NdpConfig">;

test("six runs at once all go on, and files are read meanwhile", async () => {
  const addon = loadAddon();
  const handles = Array.from({ length: 6 }, () => addon.ndpOpen(config));
  const going: Promise<void>[] = [];
  const runs = handles.map((handle) => {
    let goes = (): void => undefined;
    going.push(new Promise((resolve) => (goes = resolve)));
    return addon.ndpRun(handle, endless, () => {
      goes();
    });
  });
  await Promise.all(going);
  expect((await readFile(import.meta.filename, "utf8")).length).toBeGreaterThan(0);
  for (const handle of handles) addon.ndpCancel(handle);
  for (const { fault } of await Promise.all(runs)) expect(fault).toBe("cancelled");
  for (const handle of handles) addon.ndpClose(handle);
});

/** JSON has no typed arrays: they are stated as lists. */
const withLists = (_: string, value: unknown): unknown =>
  value instanceof Float64Array ? { float64: [...value] } : value;

/** The output and exit status of a script that can use `addon`, `config` and the endless `run`. */
function scriptEnd(script: string): { readonly status: number | null; readonly out: string } {
  const preamble = `
    const addon = require(${JSON.stringify(addonPath())});
    const config = JSON.parse(
      ${JSON.stringify(JSON.stringify(config, withLists))},
      (_, value) => (value?.float64 ? Float64Array.from(value.float64) : value),
    );
    const run = { maxCycles: 0, keepCommands: 0 };
    run.descriptors = Uint32Array.from(${JSON.stringify([...endless.descriptors])});
  `;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", preamble + script], {
    encoding: "utf8",
    timeout: 500_000,
    env: { ...process.env, PREAMBLE: preamble },
  });
  return { status, out: stdout + stderr };
}

test("a process exits in spite of its runs", () => {
  const end = scriptEnd(`
    for (let i = 0; i < 5; i += 1) addon.ndpRun(addon.ndpOpen(config), run, () => {});
    addon.ndpRun(addon.ndpOpen(config), run, () => process.exit(7));
  `);
  expect(end).toEqual({ status: 7, out: "" });
});

test("an error that nobody catches ends a process in spite of its runs", () => {
  const end = scriptEnd(`
    addon.ndpRun(addon.ndpOpen(config), run, () => {
      setImmediate(() => { throw new Error("nobody catches this"); });
    });
  `);
  expect(end.status).toBe(1);
  expect(end.out).toMatch(/nobody catches this/);
});

test("a worker that is terminated takes six runs with it", () => {
  const end = scriptEnd(`
    const { Worker } = require("node:worker_threads");
    const worker = new Worker(process.env.PREAMBLE + \`
      const { parentPort } = require("node:worker_threads");
      for (let i = 0; i < 6; i += 1) {
        addon.ndpRun(addon.ndpOpen(config), run, () => parentPort.postMessage("running"));
      }
    \`, { eval: true });
    worker.once("message", async () => {
      await worker.terminate();
      run.maxCycles = 1000;
      console.log((await addon.ndpRun(addon.ndpOpen(config), run, () => {})).fault);
    });
  `);
  expect(end).toEqual({ status: 0, out: "cycle-limit\n" });
});

test("a run without a thread is an error, and the session continues", needs("no sanitizer"), () => {
  const end = scriptEnd(`
    const { execFileSync } = require("node:child_process");
    const { readFileSync } = require("node:fs");
    const handle = addon.ndpOpen(config);
    const used = Number(/VmSize:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]);
    const limit = (to) => execFileSync("prlimit", ["--pid", String(process.pid), "--as=" + to + ":"]);
    // A thread has 8 MB of stack.
    limit((used + 6144) * 1024);
    let code;
    try {
      addon.ndpRun(handle, run, () => {});
    } catch (error) {
      code = error.code;
    }
    limit("unlimited");
    run.maxCycles = 1000;
    addon.ndpRun(handle, run, () => {}).then(({ fault }) => console.log(code, fault));
  `);
  expect(end).toEqual({ status: 0, out: "exhausted cycle-limit\n" });
});
