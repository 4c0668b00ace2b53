// SPDX-License-Identifier: Apache-2.0
// The entry point `neardata`: sessions of a DIMM and of storage devices, and scenarios, as a program has them.

import { describe, expect, it } from "vitest";

import {
  generateExpert,
  generateHead,
  NeardataError,
  openDimm,
  openStorage,
  runScenario,
} from "../../src/run/index.ts";
import { rejection } from "../helpers/rejection.ts";

const weights = generateExpert({
  seed: 1,
  name: "e",
  format: "fp16" as const,
  hidden: 512,
  intermediate: 256,
});
const inputs = new Uint16Array(512).fill(0x3c00);
const heads = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) =>
  generateHead({ seed, length: 500, width: 32 }),
);

describe("openDimm", () => {
  it("computes an expert, tells how far it is, and describes itself", async () => {
    await using dimm = await openDimm({ engine: "cycle" });
    const progress: number[] = [];
    const onProgress = (now: { readonly done: number }): void => void progress.push(now.done);
    const first = await dimm.expert({ weights, inputs }, { onProgress });
    expect(first.differences()).toBe(0);
    expect(first.cycles).toBeGreaterThan(1000);
    expect(progress.length).toBeGreaterThan(0);
    expect(dimm.describe().parts.length).toBeGreaterThan(3);
    const again = await dimm.expert({ weights, inputs });
    expect(again.outputs).toEqual(first.outputs);
  });

  it("cuts products to the bits that it is told, as the golden model does, in the same time", async () => {
    const run = async (alignedBits: number): Promise<readonly [Uint16Array, number]> => {
      await using dimm = await openDimm({ engine: "cycle", parameters: { alignedBits } });
      const expertResult = await dimm.expert({ weights, inputs });
      expect(expertResult.differences()).toBe(0);
      return [expertResult.outputs, expertResult.cycles];
    };
    const [[few, fewCycles], [all, allCycles]] = [await run(14), await run(44)];
    expect(few).not.toEqual(all);
    expect(fewCycles).toBe(allCycles);
  });

  it("takes the keys of a scenario's `ndp`, sizes as texts or numbers, and the same rules", async () => {
    for (const buffer of ["128 KiB", 131_072]) {
      using dimm = await openDimm({ engine: "cycle", parameters: { buffer, queueBursts: 64 } });
      expect(dimm.machine.unit).toMatchObject({ bufferBytes: 131_072, queueBursts: 64 });
    }
    await expect(openDimm({ engine: "cycle", parameters: { lanes: 3 } })).rejects.toThrow(
      rejection("bad-input", "parameters.lanes"),
    );
    const misspelt = { engine: "cycle", parameters: { bufer: "128 KiB" } } as const;
    await expect(openDimm(misspelt as object)).rejects.toThrow(
      rejection("bad-input", /options\.parameters\.bufer: .*Did you mean "buffer"/),
    );
  });

  it("stops at a signal, refuses what does not fit, and is closed by its block", async () => {
    const dimm = await openDimm({ engine: "cycle" });
    {
      await using dimmSession = dimm;
      const signal = AbortSignal.abort();
      await expect(dimmSession.expert({ weights, inputs }, { signal })).rejects.toThrow(
        rejection("cancelled"),
      );
      const short = dimmSession.expert({ weights, inputs: inputs.slice(1) });
      await expect(short).rejects.toBeInstanceOf(NeardataError);
    }
    await expect(dimm.expert({ weights, inputs })).rejects.toThrow(rejection("misuse"));
  });
});

describe("openStorage", () => {
  it.each(["sparf", "dense"] as const)("attends, %s", async (method) => {
    await using storage = await openStorage({
      engine: "cycle",
      headWidth: 32,
      mostTokens: 512,
      devices: 2,
    });
    const jobs: number[] = [];
    const onProgress = (now: { readonly jobsDone: number }): void => void jobs.push(now.jobsDone);
    const kernel = { heads, method, select: { r: 8, k: 40, l: 10 } };
    const attentionResult = await storage.attend(kernel, { onProgress });
    expect(attentionResult.differences()).toBe(0);
    expect(attentionResult.outputs).toHaveLength(8 * 32);
    const chosen = method === "sparf" ? [8, 40] : [0, 0];
    for (const { dims, tokens, alpha } of attentionResult.choices) {
      expect([dims.length, tokens.length]).toEqual(chosen);
      expect(alpha).toBeGreaterThan(0);
    }
    expect(attentionResult.seconds).toBeGreaterThan(0);
    expect(jobs.length).toBeGreaterThan(0);
    expect(storage.describe().parts.length).toBeGreaterThan(5);
    // The heads are removed, so the same heads fit again, any number of times.
    const again = await storage.attend(kernel);
    expect(again.outputs).toEqual(attentionResult.outputs);
  });

  it("stops at a signal, refuses what does not fit, and is closed by its block", async () => {
    const storage = await openStorage({ engine: "cycle", headWidth: 32, mostTokens: 512 });
    {
      await using storageSession = storage;
      await expect(
        storageSession.attend({ heads }, { signal: AbortSignal.abort() }),
      ).rejects.toThrow(rejection("cancelled"));
      const wrong = [
        ["heads", { heads: [] }],
        ["heads", { heads: [generateHead({ length: 600, width: 32 })] }],
        ["heads[0]", { heads: [generateHead({ length: 30, width: 64 })] }],
        ["select", { heads, select: { r: 17, k: 4, l: 1 } }],
        ["select", { heads, select: { r: 4, k: 501, l: 1 } }],
      ] as const;
      // As FP16, -65,520 is an infinity.
      for (const value of [NaN, Infinity, -65_520]) {
        const first = generateHead({ length: 30, width: 32 });
        const spoilt = (rows: Float64Array): Float64Array =>
          rows.map((x, i) => (i === 40 ? value : x));
        const second = { ...first, keys: spoilt(first.keys), values: spoilt(first.values) };
        await expect(storageSession.attend({ heads: [first, second] })).rejects.toThrow(
          rejection("bad-input", "heads[1].keys", "heads[1].values"),
        );
      }
      for (const [where, kernel] of wrong) {
        await expect(storageSession.attend(kernel)).rejects.toThrow(rejection("bad-input", where));
      }
      expect((await storageSession.attend({ heads })).differences()).toBe(0);
    }
    await expect(storage.attend({ heads })).rejects.toThrow(rejection("misuse"));
    await expect(openStorage({ headWidth: 33 })).rejects.toThrow(
      rejection("bad-input", /headWidth.* 33\./),
    );
    await expect(openStorage({ devices: 0 })).rejects.toThrow(
      rejection("bad-input", "openStorage: options.devices"),
    );
  });
});

describe("runScenario", () => {
  const scenario = {
    name: "mine",
    fidelity: "cycle",
    expert: { hidden: 256, intermediate: 256 },
  } as const;

  it("gives checks and metrics, and says how far it is", async () => {
    const shares: number[] = [];
    const run = await runScenario(scenario, { onProgress: (_, done) => void shares.push(done) });
    expect(run).toMatchObject({ passed: true, failed: [] });
    expect(run.metric("cycles")).toBeGreaterThan(100);
    expect(shares.every((done) => done >= 0 && done <= 1)).toBe(true);
    expect(() => run.metric("cicles")).toThrow(rejection("bad-input", "cicles"));
  });

  it("gives the same results for quantities in base units, and the kind of each case", async () => {
    const attention = { heads: 1, headWidth: 32, length: 64, flash: ["znand4k"] } as const;
    const text = { ...scenario, ndp: { clock: "1 GHz" }, attention };
    const plain = { ...scenario, ndp: { clock: 1e9 }, attention };
    const [first, second] = [await runScenario(text), await runScenario(plain)];
    expect(second.results.resultHash).toBe(first.results.resultHash);
    const { cases, metrics, checks } = first.results;
    expect(cases.map(({ kind }) => kind)).toEqual(["expert", "attention", "attention"]);
    for (const one of cases) {
      if (one.kind === "expert") expect(one.work.flops).toBeGreaterThan(0);
      else if (one.kind === "attention") expect(one.heads).toBe(1);
    }
    expect(metrics.every(({ value }) => Number.isFinite(value))).toBe(true);
    expect(checks.every(({ pass }) => pass)).toBe(true);
  });

  it("checks against the golden model of the scenario's `ndp.alignedBits`", async () => {
    const run = await runScenario({ ...scenario, ndp: { alignedBits: 14 } });
    expect(run).toMatchObject({ passed: true, failed: [] });
  });

  it("stops at a signal, and tells every problem of a scenario", async () => {
    const stopped = runScenario(scenario, { signal: AbortSignal.abort() });
    await expect(stopped).rejects.toThrow(rejection("cancelled"));
    const wrong = { ...scenario, expert: { hidden: 0, intermediate: -1 } };
    await expect(runScenario(wrong)).rejects.toThrow(
      rejection("bad-input", /expert\.hidden: /, /expert\.intermediate: /),
    );
  });
});
