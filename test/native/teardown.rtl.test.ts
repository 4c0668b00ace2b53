// SPDX-License-Identifier: Apache-2.0
// An environment may end during a run: a worker is terminated, a process exits. The run stops, and no
// data is corrupted.

import { spawnSync } from "node:child_process";
import { beforeAll, expect, test } from "vitest";

import { addonPath } from "../../src/native/addon.ts";
import { buildEcho, echoMachine, echoRun } from "./echo.ts";

let plugin = "";
beforeAll(async () => {
  plugin = await buildEcho();
});

/** The output and exit status of a script that can use `addon`, `handle` and a long `run`. */
function scriptEnd(script: string): { readonly status: number | null; readonly out: string } {
  const run = { ...echoRun(100_000_000), descriptors: undefined };
  const preamble = `
    const addon = require(${JSON.stringify(addonPath())});
    const config = ${JSON.stringify(echoMachine(plugin))};
    const run = ${JSON.stringify(run)};
    run.descriptors = Uint32Array.from(${JSON.stringify([...echoRun(100_000_000).descriptors])});
  `;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", preamble + script], {
    encoding: "utf8",
    timeout: 50_000,
    env: { ...process.env, PREAMBLE: preamble },
  });
  return { status, out: stdout + stderr };
}

test("a worker that is terminated takes its run with it, and nobody else's", () => {
  const end = scriptEnd(`
    const { Worker } = require("node:worker_threads");
    const worker = new Worker(process.env.PREAMBLE + \`
      const { parentPort } = require("node:worker_threads");
      addon.ndpRun(addon.ndpOpen(config), run, () => parentPort.postMessage("running"));
    \`, { eval: true });
    worker.once("message", async () => {
      await worker.terminate();
      run.descriptors[1] = 10;
      console.log((await addon.ndpRun(addon.ndpOpen(config), run, () => {})).fault);
    });
  `);
  expect(end).toEqual({ status: 0, out: "none\n" });
});

test("a process may exit during a run that it cancels", () => {
  const end = scriptEnd(`
    const handle = addon.ndpOpen(config);
    process.once("exit", () => addon.ndpCancel(handle));
    addon.ndpRun(handle, run, () => process.exit(7));
  `);
  expect(end).toEqual({ status: 7, out: "" });
});

test("a progress function that throws ends the run", () => {
  const end = scriptEnd(`
    addon.ndpRun(addon.ndpOpen(config), run, () => { throw new Error("thrown"); })
      .then(({ fault }) => console.log(fault));
  `);
  expect(end.status).toBe(0);
  expect(end.out).toMatch(/^cancelled\n/);
});
