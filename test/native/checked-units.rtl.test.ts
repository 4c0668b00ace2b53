// SPDX-License-Identifier: Apache-2.0
// What a unit says of itself is held against what it does: ports that do not fit and paths from an
// input to an output are refused when it is loaded; in a run that checks its RTL, quiet_o is proved
// cycle for cycle, and the run stays what it was.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { loadAddon } from "../../src/native/addon.ts";
import type { Native } from "../../src/native/layout.ts";
import { buildNdpUnit } from "../../src/native/ndp/ndp-unit.ts";
import { inRepository } from "../../src/base/paths.ts";
import { runTool } from "../../src/native/compile/process.ts";
import { rejection } from "../helpers/rejection.ts";
import { buildEcho, echoMachine, echoRun, echoUnit, honestMemory, noProgress } from "./echo.ts";

const directory = mkdtempSync(join(tmpdir(), "neardata-checked-"));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const minutes = 60_000;

describe("a unit is not loaded", () => {
  test("whose ports are not those of the machine, all told at once", async () => {
    const source = inRepository("test", "native", "fixtures", "faulty", "dimm_ndp.cc");
    const plugin = join(directory, "other.so");
    const flags = ["-std=c++20", "-O1", "-shared", "-fPIC", "-DOTHER_PORTS"];
    await runTool("g++", [...flags, `-I${inRepository("sim")}`, source, "-o", plugin]);
    expect(() => loadAddon().ndpOpen(echoMachine(plugin))).toThrow(
      rejection("bad-input", /^dimm_ndp: .*out_addr_o .*32 bits; .*out_data_o .*256 .*512 bits/),
    );
  });

  test(
    "whose ready waits for its valid",
    async () => {
      const echo = inRepository("test/native/fixtures/echo/dimm_ndp.sv");
      const right = "assign desc_ready_o = state_q == Idle;";
      const text = readFileSync(echo, "utf8");
      expect(text.split(right)).toHaveLength(2);
      const copy = join(directory, "dimm_ndp.sv");
      writeFileSync(copy, text.replace(right, right.replace(";", " && desc_valid_i;")));
      const plugin = await buildNdpUnit(echoUnit, [copy]);
      expect(() => loadAddon().ndpOpen(echoMachine(plugin))).toThrow(
        rejection("bad-input", /^dimm_ndp: .*desc_ready_o .*desc_valid_i/),
      );
    },
    5 * minutes,
  );
});

describe("a checked run", () => {
  let plugin = "";
  beforeAll(async () => {
    plugin = await buildEcho();
  }, 5 * minutes);

  const run = async (word: number, checked: boolean, stalled = 0): Promise<Native<"NdpResult">> => {
    const addon = loadAddon();
    const handle = addon.ndpOpen(echoMachine(plugin, { ...honestMemory, latency: 400 }));
    const { descriptors, ...rest } = echoRun(20);
    descriptors[0] = word;
    const stalls = { seed: 1, probability: stalled };
    return addon.ndpRun(handle, { ...rest, descriptors, checked, stalls }, noProgress);
  };
  const simulated = ({ times, ...result }: Native<"NdpResult">): object => ({
    ...result,
    ran: times.total > 0,
  });

  test("is the run that it was", async () => {
    const [plain, checked] = [await run(0, false), await run(0, true)];
    expect(plain.fault).toBe("none");
    expect(plain.skipped).toBeGreaterThan(150);
    expect(simulated(checked)).toEqual(simulated(plain));
  });

  test("finds an output that changes while the unit says that it is quiet", async () => {
    expect((await run(13, false)).fault).toBe("none");
    expect(await run(13, true)).toMatchObject({
      fault: "protocol",
      place: "NDP unit",
      message: expect.stringMatching(/events_o .*quiet_o/) as unknown,
    });
  });

  test("finds an output that follows an input", async () => {
    // The memory delays requests, so answers arrive at the same time as requests. Without the
    // check, a request that the unit withdraws after the memory accepted it has no answer.
    expect((await run(14, false, 0.9)).fault).toBe("deadlock");
    expect(await run(14, true, 0.9)).toMatchObject({
      fault: "protocol",
      place: "NDP unit",
      message: expect.stringMatching(/req_valid_o .*input/) as unknown,
    });
  });
});
