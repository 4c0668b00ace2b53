// SPDX-License-Identifier: Apache-2.0
// `neardata ndp eval`: the reference checkpoints on every engine, and what it refuses.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toBits, valuesOf } from "../../src/golden/float16.ts";
import { distance } from "../../src/golden/reference.ts";
import { generateExpert } from "../../src/workload/generate.ts";
import { readNpy, writeNpy } from "../../src/workload/npy.ts";
import { cli, inTemporary } from "../helpers/cli.ts";
import type { CliResult } from "../helpers/cli.ts";
import { oraclePath } from "../helpers/oracle.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";
import { bits16, float32, safetensors } from "../helpers/safetensors.ts";
import { has, needs } from "../helpers/needs.ts";

interface Case {
  readonly id: string;
  readonly weights: string;
  readonly expert: string;
  readonly inputs: string;
  readonly expected: string;
  readonly tolerance: string;
  readonly relative_l2: number;
}

const values = (file: string): Float64Array =>
  Float64Array.from(readNpy(file, readFileSync(file)).data);

const engines: Readonly<Record<string, readonly string[]>> = {
  ndp: ["golden", "cycle", "rtl"],
  "ndp-lowbit": ["golden", "cycle", "rtl"],
};

describe.each(Object.keys(engines))(
  "neardata ndp eval on the reference checkpoints of %s",
  (area) => {
    const there = has(`oracle/${area}`);
    const manifest = there
      ? (JSON.parse(readFileSync(oraclePath(area, "manifest.json"), "utf8")) as { cases: Case[] })
      : { cases: [] };
    const each = (engines[area] ?? []).flatMap((engine) =>
      manifest.cases.map((c) => ({ ...c, engine })),
    );

    it("has cases", needs(`oracle/${area}`), () => {
      expect(manifest.cases.length).toBeGreaterThan(4);
    });

    it.each(each)(
      "$id by $engine",
      (one) =>
        inTemporary(async (directory) => {
          const out = join(directory, "y.npy");
          const { code, stdout } = await cli(
            ...["ndp", "eval", "--weights", oraclePath(area, one.weights), "--expert", one.expert],
            ...["--inputs", oraclePath(area, one.inputs), "--out", out],
            ...["--engine", one.engine, "--json"],
          );
          expect(code).toBe(0);
          expect(JSON.parse(stdout)).toMatchObject({ outcome: "completed", engine: one.engine });
          const found = values(out);
          const wanted = values(oraclePath(area, one.expected));
          expect(distance(found, wanted).relativeL2).toBeLessThanOrEqual(one.relative_l2);
          for (const [i, limit] of values(oraclePath(area, one.tolerance)).entries()) {
            expect(Math.abs((found[i] ?? NaN) - (wanted[i] ?? NaN))).toBeLessThanOrEqual(limit);
          }
        }),
      120_000,
    );
  },
);

const shape = { hidden: 12, intermediate: 5 };
const expert = generateExpert({ seed: 1, name: "e", format: "fp16", ...shape });

/** A checkpoint and inputs in a directory; `change` may spoil either. */
async function evaluate(
  directory: string,
  change: {
    readonly gate?: Uint16Array;
    readonly inputs?: Uint8Array;
    readonly name?: string;
    /** Options that replace the default ones. */
    readonly options?: Readonly<Record<string, string>>;
    readonly more?: readonly string[];
  } = {},
): Promise<CliResult & { readonly out: string }> {
  const out = join(directory, "y.npy");
  const weights = join(directory, "w.safetensors");
  const inputs = join(directory, "x.npy");
  const { hidden, intermediate } = shape;
  const file = safetensors({
    "e.gate_proj.weight": bits16("F16", [intermediate, hidden], change.gate ?? expert.gate),
    "e.up_proj.weight": bits16("F16", [intermediate, hidden], expert.up),
    "e.down_proj.weight": bits16("F16", [hidden, intermediate], expert.down),
  });
  writeFileSync(weights, file);
  const x = Float32Array.from({ length: 2 * hidden }, (_, i) => (i - 10) / 8);
  writeFileSync(inputs, change.inputs ?? writeNpy({ type: "f4", shape: [2, hidden], data: x }));
  const options = {
    "--weights": weights,
    "--expert": change.name ?? "e",
    "--inputs": inputs,
    "--out": out,
    "--engine": "golden",
    "--activation": "silu",
    ...change.options,
  };
  const result = await cli(
    "ndp",
    "eval",
    ...Object.entries(options).flat(),
    ...(change.more ?? []),
  );
  return { ...result, out };
}

describe("neardata ndp eval", () => {
  it("writes float64 outputs of the shape of the inputs", () =>
    inTemporary(async (directory) => {
      const { code, stdout, out } = await evaluate(directory);
      expect(code).toBe(0);
      expect(stdout).toBe(`e: 2 x 12 by golden -> ${out}\n`);
      expect(readNpy(out, readFileSync(out))).toMatchObject({ type: "f8", shape: [2, 12] });
      expect(readdirSync(directory).sort()).toEqual(["w.safetensors", "x.npy", "y.npy"]);
    }));

  it(
    "carries NaN and infinity as IEEE 754 says, when allowed, through RTL as well",
    () =>
      inTemporary(async (directory) => {
        const gate = expert.gate.slice();
        gate[3] = 0x7c00;
        gate[20] = 0x7e00;
        const refused = await evaluate(directory, { gate });
        expect(refused).toMatchObject(rejectedAt(/"e\.gate_proj\.weight".* 2 .*\[0, 3\]/));
        expect(existsSync(refused.out)).toBe(false);
        for (const engine of ["golden", "rtl"]) {
          const change = { options: { "--engine": engine }, more: ["--allow-nonfinite"] };
          const allowed = await evaluate(directory, { gate, ...change });
          expect(allowed.code).toBe(0);
          expect([...values(allowed.out)].every(Number.isNaN)).toBe(true);
        }
      }),
    120_000,
  );

  it("says when inputs had to be rounded", () =>
    inTemporary(async (directory) => {
      const data = Float32Array.from({ length: 12 }, () => 0.1);
      const inputs = writeNpy({ type: "f4", shape: [1, 12], data });
      const { code, stderr } = await evaluate(directory, { inputs });
      expect(code).toBe(0);
      expect(stderr).toMatch(/^neardata: 12 inputs .*FP16.*\n$/);
    }));

  it("takes F32 weights that FP16 holds, and others with --dtype", () =>
    inTemporary(async (directory) => {
      const weights = join(directory, "f32.safetensors");
      const inputs = join(directory, "x.npy");
      const out = join(directory, "y.npy");
      const write = (first: number): void => {
        const of = (bits: Uint16Array): Float32Array => valuesOf("fp16", bits);
        const gate = of(expert.gate);
        gate[0] = first;
        const file = safetensors({
          "e.gate_proj.weight": float32([5, 12], gate),
          "e.up_proj.weight": float32([5, 12], of(expert.up)),
          "e.down_proj.weight": float32([12, 5], of(expert.down)),
        });
        writeFileSync(weights, file);
      };
      const data = new Float32Array(12).fill(1);
      writeFileSync(inputs, writeNpy({ type: "f4", shape: [1, 12], data }));
      const args = ["ndp", "eval", "--weights", weights, "--expert", "e", "--inputs", inputs];
      const run = (...more: string[]): Promise<CliResult> =>
        cli(...args, "--out", out, "--engine", "golden", ...more);
      write(0.5);
      expect((await run()).code).toBe(0);
      write(0.1);
      expect(await run()).toEqual(rejectedAt(/e\.gate_proj\.weight/));
      expect((await run("--dtype", "bf16", "--json")).stdout).toContain('"format": "bf16"');
      // 0.1 is not a BF16 value either: the command rounds it on request.
      expect(toBits("bf16", 0.1)).toBe(0x3dcd);
    }));

  it.each<[string, Parameters<typeof evaluate>[1], string | RegExp]>([
    ["a wrong expert", { name: "f" }, /"f"/],
    [
      "inputs of another width",
      { inputs: writeNpy({ type: "f4", shape: [1, 3], data: new Float32Array(3) }) },
      /x\.npy: .*\(1, 3\).* 12\)/,
    ],
    ["inputs that are no array", { inputs: new Uint8Array(100) }, "x.npy"],
    ["a directory that does not exist", { options: { "--out": "/no/such/y.npy" } }, "--out"],
    ["a missing checkpoint", { options: { "--weights": "no.safetensors" } }, "no.safetensors"],
    ["a directory for a checkpoint", { options: { "--weights": "." } }, "."],
  ])("refuses %s with exit code 2 and writes nothing", (_, change, where) =>
    inTemporary(async (directory) => {
      const result = await evaluate(directory, change);
      expect(result).toMatchObject(rejectedAt(where));
      expect(existsSync(result.out)).toBe(false);
    }),
  );
});
