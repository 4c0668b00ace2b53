// SPDX-License-Identifier: Apache-2.0
// The trained mixture of experts against figures made elsewhere: the prompt of a window in the suite,
// whole windows by `make token`.

import { createReadStream, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { beforeAll, describe, expect, it } from "vitest";

import { attentionEngine } from "../../src/kernels/csd/attention/attention-engine.ts";
import { recorded, type RecordedName } from "../../src/papers/experiment/recorded.ts";
import type { GroupChoice } from "../../src/lm/attention-names.ts";
import { evaluateLm } from "../../src/lm/evaluate.ts";
import { float64Experts } from "../../src/lm/moe/experts.ts";
import { moeWindowBits, type MoeRun } from "../../src/lm/moe/forward.ts";
import { moeLanguageModel } from "../../src/lm/moe/language-model.ts";
import type { MoeModel } from "../../src/lm/moe/model.ts";
import { product } from "../../src/lm/moe/product.ts";
import { probabilities } from "../../src/lm/moe/router.ts";
import { routeLog } from "../../src/lm/moe/routes.ts";
import { loadLanguageModel } from "../../src/run/lm-model.ts";
import { inRepository } from "../../src/base/paths.ts";
import { cli } from "../helpers/cli.ts";
import { fakeCsd } from "../helpers/fake-csd.ts";
import { oraclePath } from "../helpers/oracle.ts";
import { has, needs } from "../helpers/needs.ts";

const text = readFileSync(inRepository("data", "tinylm", "eval.bin"));
const weights = inRepository("data", "tinymoe", "tinymoe.safetensors");
const loaded = loadLanguageModel(weights, {});
if (loaded.kind !== "moe") throw new RangeError("tinymoe is a mixture of experts");
const { model } = loaded;

interface Figures {
  readonly per_window: readonly {
    readonly window: number;
    readonly prompt_bits_dense: number;
    readonly bits: Readonly<Record<string, number | Readonly<Record<string, number>>>>;
  }[];
}

interface Case {
  readonly window: number;
  readonly layer: number;
  readonly position: number;
  readonly input: readonly number[];
  readonly router_probabilities: readonly number[];
  readonly experts: readonly {
    readonly id: number;
    readonly weight: number;
    readonly output: readonly number[];
  }[];
  readonly output: readonly number[];
}

const oracle = (name: string): unknown =>
  JSON.parse(readFileSync(oraclePath("tinymoe", name), "utf8"));
const figures = (): Figures["per_window"] => (oracle("quality.json") as Figures).per_window;

/** Rows of the oracle's routes of one window, up to a position. */
async function oracleRoutes(window: number, positions: number): Promise<readonly string[]> {
  const lines: string[] = [];
  const file = createReadStream(oraclePath("tinymoe", "routes.csv"));
  for await (const line of createInterface({ input: file })) {
    const [own, , position] = line.split(",").map(Number);
    if (own === window && (position ?? 0) < positions) lines.push(line);
    if ((own ?? 0) > window) break;
  }
  return lines;
}

const exact = (run: Partial<MoeRun> = {}): MoeRun => ({
  experts: float64Experts,
  dispatch: "window",
  prompt: 512,
  ...run,
});
const denseOnly = { promptLength: 1024, half: false, decode: () => Promise.resolve([]) };

const largest = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(b).reduce((most, x, i) => Math.max(most, Math.abs(x - (a[i] ?? NaN))), 0);

describe("tinymoe, the prompt of window 2", needs("oracle/tinymoe"), () => {
  const log = routeLog(4, true);
  let bits: Float64Array;
  beforeAll(async () => {
    const own = text.subarray(1024, 1024 + 513);
    const onRoutes: MoeRun["onRoutes"] = (routes) => {
      log.add(2, routes);
    };
    bits = await moeWindowBits(model, own, denseOnly, exact({ onRoutes }));
  });

  it("needs the bits of the oracle", () => {
    const wanted = figures().find(({ window }) => window === 2);
    const sum = bits.reduce((a, b) => a + b, 0);
    expect(Math.abs(sum - (wanted?.prompt_bits_dense ?? NaN))).toBeLessThan(1e-8);
  });

  it("takes the oracle's routes, weights to the last decimal", async () => {
    const [head, ...lines] = log.csv().trim().split("\n");
    expect(head).toBe(
      "window,layer,position,expert0,expert1,expert2,expert3,weight0,weight1,weight2,weight3",
    );
    const wanted = await oracleRoutes(2, 512);
    expect(wanted).toHaveLength(4 * 512);
    expect(lines).toEqual(wanted);
  });
});

describe("tinymoe, recorded evaluations of all windows", needs("oracle/tinymoe"), () => {
  const recordedWindows = (name: RecordedName): LmDocument["windows"] =>
    recorded(name).result["windows"] as LmDocument["windows"];

  it.each([
    ["tinymoe-dense", "dense", null],
    ["tinymoe-sparf-8", "sparf_group", "1/8"],
  ] as const)("%s has the oracle's bits in every window", (name, variant, ratio) => {
    const wanted = figures();
    const found = recordedWindows(name);
    expect(found.map(({ window }) => window)).toEqual(wanted.map(({ window }) => window));
    expect(found).toHaveLength(64);
    wanted.forEach(({ bits }, i) => {
      const bit = bits[variant];
      const sum = typeof bit === "object" ? bit[ratio ?? ""] : bit;
      expect(Math.abs((found[i]?.bits ?? NaN) - (sum ?? NaN))).toBeLessThan(1e-8);
    });
  });
});

/** A whole window needs seconds. */
const long = process.env["NEARDATA_TOKEN"] !== undefined;

describe("tinymoe, whole windows", needs("make token", "oracle/tinymoe"), () => {
  const listed = process.env["NEARDATA_TOKEN_WINDOWS"] ?? "0,20";
  const windows = listed.split(",").map(Number);
  const ratios = { "1/2": 1 / 2, "1/4": 1 / 4, "1/8": 1 / 8, "1/16": 1 / 16 } as const;
  type Ratio = keyof typeof ratios;
  const variants: readonly (readonly [string, GroupChoice, Ratio | null, boolean])[] = [
    ["dense", "whole", null, false],
    ["dense_fp16kv", "whole", null, true],
    ["sparf_group", "whole", "1/2", false],
    ["sparf_group", "whole", "1/4", false],
    ["sparf_group", "whole", "1/8", false],
    ["sparf_group", "whole", "1/16", false],
    ["sparf_group_fp16kv", "whole", "1/8", true],
    ["sparf_self", "heads", "1/2", false],
    ["sparf_self", "heads", "1/4", false],
    ["sparf_self", "heads", "1/8", false],
    ["sparf_self", "heads", "1/16", false],
  ];
  const judge = moeLanguageModel(model, { experts: float64Experts, dispatch: "window" });

  it.each(windows.flatMap((window) => variants.map((variant) => [window, ...variant] as const)))(
    "window %i, %s, chosen by %s, at %s",
    async (window, name, choice, ratio, half) => {
      const attention = ratio === null ? ("dense" as const) : ("sparf" as const);
      const method = { attention, ratio: ratio === null ? 1 : ratios[ratio], choice };
      const engine = half ? attentionEngine("float64", fakeCsd()) : null;
      const result = await evaluateLm(judge, { text, windows: [window], method }, engine);
      const bit = figures().find((one) => one.window === window)?.bits[name];
      const wanted = typeof bit === "object" ? bit[ratio ?? ""] : bit;
      const tolerance = half ? 0.05 : 1e-8;
      expect(Math.abs((result.windows[0]?.bits ?? NaN) - (wanted ?? NaN))).toBeLessThan(tolerance);
    },
  );
});

describe("tinymoe, vectors of experts", needs("oracle/tinymoe"), () => {
  const { cases } = has("oracle/tinymoe")
    ? (oracle("cases.json") as { readonly cases: readonly Case[] })
    : { cases: [] };
  const near = cases.filter(({ position }) => long || position < 100);
  it.each(near.map((one) => [one.window, one.layer, one.position, one] as const))(
    "window %i, layer %i, position %i",
    async (window, layer, position, wanted) => {
      const vectors = await vectorsAt(model, window, layer, position);
      expect(largest(vectors.input, wanted.input)).toBeLessThan(1e-8);
      expect(largest(vectors.probabilities, wanted.router_probabilities)).toBeLessThan(1e-8);
      expect(largest(vectors.output, wanted.output)).toBeLessThan(1e-8);
      wanted.experts.forEach(({ output }, i) => {
        expect(largest(vectors.experts[i]?.output ?? [], output)).toBeLessThan(1e-8);
      });
      expect(vectors.experts.map(({ expert }) => expert)).toEqual(
        wanted.experts.map(({ id }) => id),
      );
    },
  );
});

describe("tinymoe, 32 decode steps", needs("make token"), () => {
  const run = async (engine: string, storage: readonly string[]): Promise<LmDocument> => {
    const { code, stdout } = await cli(
      ...["lm", "eval", "--model", weights, "--windows", "0", "--steps", "32"],
      ...["--attention", "sparf", "--engine", engine, "--experts", engine, "--dispatch", "step"],
      ...storage,
      "--json",
    );
    expect(code).toBe(0);
    return JSON.parse(stdout) as LmDocument;
  };

  it.each([
    ["16-bit", []],
    ["MXFP4", ["--storage", "mxfp4"]],
  ] as const)(
    "with %s experts have every expert and every head on RTL, with the golden model's values and the cycle model's times",
    async (_, storage) => {
      const [rtl, cycle] = [await run("rtl", storage), await run("cycle", storage)];
      const golden = await run("golden", storage);
      expect(rtl.windows).toEqual(golden.windows);
      expect(rtl.checks.map(({ id, pass }) => [id, pass])).toEqual([
        ["attention", true],
        ["experts", true],
      ]);
      // A token has a job for four experts in each of four layers; the prompt has more jobs.
      expect(rtl.hardware.experts.jobs).toBeGreaterThan(32 * 16);
      expect(rtl.hardware).toEqual(cycle.hardware);
      expect(rtl.windows).toEqual(cycle.windows);
    },
  );

  it("on the cycle models are the RTL's where a draw audits them", async () => {
    const { code, stdout } = await cli(
      ...["lm", "token", "--windows", "0", "--steps", "32", "--audit", "1/8", "--json"],
    );
    expect(code).toBe(0);
    const { audit } = JSON.parse(stdout) as {
      readonly audit: Readonly<Record<"experts" | "heads", { readonly audited: number }>>;
    };
    expect(audit).toMatchObject({
      share: 1 / 8,
      seed: 1,
      experts: { of: 512, different: 0 },
      heads: { of: 256, different: 0 },
    });
    expect(Math.min(audit.experts.audited, audit.heads.audited)).toBeGreaterThan(16);
  });

  it("take one machine the same times on RTL and on the cycle models", async () => {
    const times = async (fidelity: string): Promise<unknown> => {
      const folder = mkdtempSync(join(tmpdir(), "neardata-token-"));
      const file = join(folder, "timeline.json");
      const options = ["--windows", "0", "--steps", "8", "--timeline", file];
      const { code } = await cli("lm", "token", "--fidelity", fidelity, ...options);
      expect(code).toBe(0);
      return readFileSync(file, "utf8");
    };
    expect(await times("rtl")).toBe(await times("cycle"));
  });
});

interface LmDocument {
  readonly windows: readonly { readonly window: number; readonly bits: number }[];
  readonly checks: readonly { readonly id: string; readonly pass: boolean }[];
  readonly hardware: { readonly experts: { readonly jobs: number } };
}

interface Vectors {
  readonly input: Float64Array;
  readonly probabilities: Float64Array;
  readonly experts: readonly { readonly expert: number; readonly output: Float64Array }[];
  readonly output: Float64Array;
}

/** The inputs and outputs of one layer's network at one position of a dense run. */
async function vectorsAt(
  of: MoeModel,
  window: number,
  layer: number,
  position: number,
): Promise<Vectors> {
  const found: { -readonly [K in keyof Vectors]?: Vectors[K] } = {};
  const row = (data: Float64Array): Float64Array =>
    data.slice(position * 256, position * 256 + 256);
  let chosen: readonly number[] = [];
  const outputs = new Map<number, Float64Array>();
  const start = window * 512;
  await moeWindowBits(of, text.subarray(start, start + position + 2), denseOnly, {
    ...exact(),
    onRoutes: (routes) => {
      if (routes.layer === layer)
        chosen = [...routes.experts.subarray(position * 4, position * 4 + 4)];
    },
    onNetwork: (n, inputs, output) => {
      if (n !== layer) return;
      const network = of.layers[layer]?.network;
      if (network === undefined || !("router" in network)) return;
      const x = { rows: 1, columns: 256, data: row(inputs.data) };
      found.input = x.data;
      found.probabilities = probabilities(product(x, network.router).data);
      found.output = row(output.data);
    },
    experts: {
      name: "float64",
      compute: async (jobs, activation) => {
        const all = await float64Experts.compute(jobs, activation);
        jobs.forEach((job, j) => {
          const i = job.positions.indexOf(position);
          if (job.layer !== layer || i < 0) return;
          outputs.set(job.expert, all[j]?.slice(i * 256, i * 256 + 256) ?? new Float64Array());
        });
        return all;
      },
    },
  });
  const none = new Float64Array();
  const experts = chosen.map((expert) => ({ expert, output: outputs.get(expert) ?? none }));
  const { input = none, probabilities: p = none, output = none } = found;
  return { input, probabilities: p, experts, output };
}
