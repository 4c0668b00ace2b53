// SPDX-License-Identifier: Apache-2.0
// Units that send impossible values, on every port: the run ends as a fault that names the value, and
// the session continues. The units are plug-ins without RTL, so no check precedes those of the session.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { descriptorWords } from "../../src/workload/ndp/layout.ts";
import type { CsdJob } from "../../src/machine/csd/csd-jobs.ts";
import type { CsdRun } from "../../src/machine/csd/csd-types.ts";
import { openCsdSessionWith } from "../../src/native/csd/csd-session.ts";
import { loadAddon } from "../../src/native/addon.ts";
import type { Native } from "../../src/native/layout.ts";
import { inRepository } from "../../src/base/paths.ts";
import { runTool } from "../../src/native/compile/process.ts";
import { appendJob, fill, smallCsd, testHead } from "../helpers/csd.ts";
import { echoMachine, honestMemory, noProgress } from "./echo.ts";

const directory = mkdtempSync(join(tmpdir(), "neardata-faulty-"));
const plugin = (name: string): string => join(directory, `${name}.so`);
beforeAll(async () => {
  for (const name of ["sparf_engine", "dimm_ndp"]) {
    const source = inRepository("test", "native", "fixtures", "faulty", `${name}.cc`);
    const flags = ["-std=c++20", "-O1", "-shared", "-fPIC", `-I${inRepository("sim")}`];
    await runTool("g++", [...flags, source, "-o", plugin(name)]);
  }
}, 120_000);
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const head = testHead(1, 40);

/** A run of an engine with this fault, on a head of 40 tokens, and one without after it. */
async function engineRun(fault: number, kind: "sparse" | "append"): Promise<readonly CsdRun[]> {
  const session = openCsdSessionWith(smallCsd({ engine: "rtl" }), plugin("sparf_engine"));
  const sequence = fill(session, [head.cache]);
  const job = (k: number): CsdJob => ({
    kind: "sparse",
    sequence,
    head: 0,
    r: 4,
    k,
    l: 1,
    mean: true,
    queries: new Uint16Array(16),
  });
  const runs = [
    await session.run([kind === "append" ? appendJob(sequence, 0, head, 0) : job(fault)]),
  ];
  runs.push(await session.run([job(1)]));
  session.close();
  return runs;
}

describe("an engine", () => {
  test.each([
    [2, "attention engine", "kind 3 with tag 3"],
    [3, "attention engine", "kind 256 with tag 3"],
    [4, "flash", "page 805306368 of kind 0 of head 0 .*tokens"],
    [5, "flash", "page 60 of kind 0 of head 0 .*tokens"],
    [6, "attention engine", "page_req_o .*head 77"],
    [7, "flash", "tag 65535.* 128"],
    [8, "attention engine", "kind 0 with tag 65536"],
    [9, "flash", "another page .*tag"],
    [10, "flash", "written .*appended"],
    [12, "attention engine", "done_o .*tag 85"],
    [13, "attention engine", "done_o .*tag 0"],
    [14, "controller DRAM", "line 4294967295"],
    [15, "controller DRAM", "line 4294967295"],
    [16, "attention engine", "slot 99"],
    [17, "attention engine", "slot 99"],
    [18, "attention engine", "dimension number 17"],
    [19, "attention engine", "query 4294967295"],
    [20, "attention engine", "beat of selections 805306368"],
    [21, "attention engine", "token number 513"],
  ])("with fault %i ends at the %s: %s", async (fault, place, message) => {
    const [broken, whole] = await engineRun(fault, "sparse");
    expect(broken?.devices[0]?.outcome).toMatchObject({ kind: "guard-failed", place });
    expect(broken?.devices[0]?.outcome).toHaveProperty("message", expect.stringMatching(message));
    expect(whole?.devices[0]?.outcome).toEqual({ kind: "completed" });
  });

  test("without a fault does what the port asks of it", async () => {
    const runs = await engineRun(1, "sparse");
    expect(runs.map((run) => run.devices[0]?.outcome.kind)).toEqual(["completed", "completed"]);
  });
});

/** How a run of an NDP unit with this fault ends, and one without after it. */
async function unitRun(
  fault: number,
  memory: Native<"NdpConfig">["memory"],
): Promise<readonly string[]> {
  const addon = loadAddon();
  const handle = addon.ndpOpen(echoMachine(plugin("dimm_ndp"), memory));
  const ends: string[] = [];
  for (const one of [fault, 0]) {
    const descriptors = new Uint32Array(descriptorWords);
    descriptors[0] = one;
    const run = { descriptors, maxCycles: 0, keepCommands: 0 };
    const result = await addon.ndpRun(handle, run, noProgress);
    ends.push(`${result.fault} at ${result.place}: ${result.message}`);
  }
  return ends;
}

describe("an NDP unit", () => {
  test.each([
    [0, /^none at : $/],
    [1, /^protocol at NDP unit: done_valid_o .*descriptor/],
    [2, /^protocol at NDP unit: events_o .* 16 /],
    [3, /^protocol at NDP unit: out_stream_o .*stream 7$/],
    [5, /^protocol at NDP unit: req_tag_o of stream 0 is 8,/],
    [6, /^protocol at NDP unit: req_tag_o of stream 0 is 3,/],
  ])("with fault %i ends as %s", async (fault, end) => {
    const [broken, whole] = await unitRun(fault, honestMemory);
    expect(broken).toMatch(end);
    expect(whole).toBe("none at : ");
  });
});
