// SPDX-License-Identifier: Apache-2.0
// A kernel of a program from its scenario to its results, through the public interface and the command.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { defineKernel, runScenario } from "neardata";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { cli } from "../../test/helpers/cli.ts";
import { rejection } from "../../test/helpers/rejection.ts";
import { rejectedAt } from "../../test/helpers/rejected-at.ts";
import { hostGemv } from "./kernel.ts";

const file = (name: string): string => join(import.meta.dirname, name);
const directory = mkdtempSync(join(tmpdir(), "neardata-host-gemv-"));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const small = { name: "s", hostGemv: { rows: 64, columns: 96 } };
const kernels = [hostGemv];

describe("a kernel of a program", () => {
  it("runs its scenario, holds its checks, and is named in the results", async () => {
    const run = await runScenario(file("scenario.yaml"), { kernels });
    expect(run.failed).toEqual([]);
    expect(run.results.checks.map(({ id }) => id)).toEqual(["lines", "values", "quantities"]);
    expect(run.results.versions).toMatchObject({ "kernel hostGemv": "1" });
    expect(run.results.cases).toEqual([
      expect.objectContaining({ kind: "own", kernel: "hostGemv", rows: 512, columns: 1024 }),
    ]);
    // A channel of DDR5-4800 transfers 19.2 GB/s, less its refreshes.
    expect(run.metric("bandwidth")).toBeLessThan(19.2);
    expect(run.metric("bandwidth")).toBeGreaterThan(0.85 * 19.2);
    const bytes = 2 * 512 * 1024;
    expect(run.metric("time")).toBeCloseTo(bytes / (run.metric("bandwidth") * 1e3), 6);
  });

  it("is bound by the host where that is slower, and has another hash for other settings", async () => {
    const fast = await runScenario(small, { kernels });
    const slow = { ...small, hostGemv: { ...small.hostGemv, macsPerSecond: 1e6 } };
    const run = await runScenario(slow, { kernels });
    expect(run.metric("time")).toBeCloseTo(64 * 96, 6);
    expect(run.results.configHash).not.toBe(fast.results.configHash);
    expect((await runScenario(small, { kernels })).results.resultHash).toBe(
      fast.results.resultHash,
    );
  });

  it("runs beside the kernels of neardata, whose results stay as they are", async () => {
    const expert = { name: "s", fidelity: "analytic", expert: { model: "deepseek-v2" } } as const;
    const alone = await runScenario(expert);
    const { results } = await runScenario({ ...expert, ...small }, { kernels });
    expect(results.cases.map(({ kind }) => kind)).toEqual(["expert", "own"]);
    const [first] = results.cases;
    expect(first).toEqual(alone.results.cases[0]);
  });

  it("has its keys checked like neardata's own", async () => {
    const refused = async (hostGemvKeys: unknown): Promise<unknown> =>
      runScenario({ name: "s", hostGemv: hostGemvKeys }, { kernels }).catch(
        (error: unknown) => error,
      );
    expect(await refused({ row: 4, columns: 4 })).toEqual(
      rejection("bad-input", /hostGemv\.rows: this is missing/, /row: .*did you mean "rows"/i),
    );
    expect(await refused({ rows: 0, columns: 4 })).toEqual(
      rejection("bad-input", /hostGemv\.rows: 0 is less than 1/),
    );
    await expect(runScenario({ name: "s", hostGem: {} }, { kernels })).rejects.toThrow(
      rejection("bad-input", /hostGem: .*did you mean "hostGemv"/i),
    );
    await expect(runScenario({ name: "s" }, { kernels })).rejects.toThrow(rejection("bad-input"));
    await expect(
      runScenario({ ...small, hostGemv: { ...small.hostGemv, memory: "DDR9" } }, { kernels }),
    ).rejects.toThrow(rejection("bad-input", /DDR9/));
  });

  it("has a name that no key of scenarios and no other kernel has", async () => {
    const body = { version: "1", schema: z.object({}), prepare: () => null, metrics: () => [] };
    const rest = { run: async () => Promise.resolve([]), checks: () => [] };
    expect(() => defineKernel({ ...body, ...rest, name: "memory" })).toThrow(
      rejection("bad-input", /definition\.name: .*already/),
    );
    const again = defineKernel({ ...body, ...rest, name: "hostGemv" });
    await expect(runScenario(small, { kernels: [hostGemv, again] })).rejects.toThrow(
      rejection("bad-input", "kernels[1]"),
    );
    const fake = { ...hostGemv };
    await expect(runScenario(small, { kernels: [fake] })).rejects.toThrow(rejection("bad-input"));
  });
});

describe("neardata run --kernel", () => {
  it("writes the kernel's numbers into table, results.json and page", async () => {
    const out = join(directory, "run");
    const kernel = ["--kernel", file("kernel.ts")];
    const { code, stdout } = await cli("run", file("scenario.yaml"), ...kernel, "--out", out);
    expect(code).toBe(0);
    expect(stdout).toContain("bandwidth achieved");
    const document = JSON.parse(readFileSync(join(out, "results.json"), "utf8")) as {
      readonly metrics: readonly { readonly id: string }[];
    };
    expect(document.metrics.map(({ id }) => id)).toEqual([
      "time",
      "bandwidth",
      "busUse",
      "compute",
    ]);
    const page = readFileSync(join(out, "report.html"), "utf8");
    expect(page).toContain("bus in use");
    expect(page).toContain("every line of the matrix is read once");
  });

  it("names a module without a kernel, and a scenario's key without its kernel", async () => {
    const scenario = file("scenario.yaml");
    expect(await cli("run", scenario)).toEqual(rejectedAt(/scenario\.yaml: hostGemv: there is no/));
    const none = join(import.meta.dirname, "..", "own-rtl", "scaled-add.ts");
    expect(await cli("run", scenario, "--kernel", none)).toEqual(rejectedAt("scaled-add.ts"));
  });
});
