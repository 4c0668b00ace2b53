// SPDX-License-Identifier: Apache-2.0
// Queries, keys and values from files: .npy and .safetensors dumps of the same heads give the same
// bits on the simulated device, checked there against golden, prefilled and appended to.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { numbersToHalves } from "../../src/golden/half.ts";
import { generateHta1 } from "../../src/workload/hta1.ts";
import { writeNpy } from "../../src/workload/npy.ts";
import { cli, inTemporary } from "../helpers/cli.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";
import { bits16, safetensors } from "../helpers/safetensors.ts";

const [count, tokens, width] = [3, 70, 32];
const heads = Array.from({ length: count }, (_, h) => generateHta1(h + 1, tokens, width));
const parts = ["queries", "keys", "values"] as const;

function writeDumps(directory: string): Readonly<Record<"npy" | "safetensors", string>> {
  for (const part of parts) {
    const data = Uint16Array.from(heads.flatMap((head) => [...numbersToHalves(head[part])]));
    const file = writeNpy({ type: "f2", shape: [count, tokens, width], data });
    writeFileSync(join(directory, `${part}.npy`), file);
  }
  const tensors = heads.flatMap((head, h) =>
    parts.map((part) => {
      const bits = numbersToHalves(head[part]);
      return [`h.${h}.${part.slice(0, 1)}`, bits16("F16", [tokens, width], bits)] as const;
    }),
  );
  writeFileSync(join(directory, "qkv.safetensors"), safetensors(Object.fromEntries(tensors)));
  return {
    npy: "{ q: queries.npy, k: keys.npy, v: values.npy }",
    safetensors: "{ tensors: qkv.safetensors }",
  };
}

interface Results {
  readonly outcome: string;
  readonly checks: readonly { readonly pass: boolean }[];
  readonly cases: readonly { readonly method: string; readonly outputHash: string | null }[];
}

async function runOn(directory: string, name: string, source: string): Promise<Results> {
  const file = join(directory, `${name}.yaml`);
  writeFileSync(
    file,
    `name: dumps\nfidelity: cycle\nattention:\n  source: ${source}\n  decode: 3\n` +
      "  flash: [znand4k]\n  inFlight: [4]\n",
  );
  const out = join(directory, name);
  const { code, stderr } = await cli("run", file, "--out", out);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return JSON.parse(readFileSync(join(out, "results.json"), "utf8")) as Results;
}

describe("dumps of q, K and V", () => {
  it("of either format give the same bits on a device, and those of golden", () =>
    inTemporary(async (directory) => {
      const sources = writeDumps(directory);
      const npy = await runOn(directory, "npy", sources.npy);
      const tensors = await runOn(directory, "safetensors", sources.safetensors);
      for (const { outcome, checks } of [npy, tensors]) {
        expect(outcome).toBe("completed");
        expect(checks.length).toBeGreaterThan(0);
        expect(checks.filter(({ pass }) => !pass)).toEqual([]);
      }
      const hashes = ({ cases }: Results): unknown =>
        cases.map(({ method, outputHash }) => [method, outputHash]);
      expect(hashes(npy)).toEqual(hashes(tensors));
      expect(npy.cases.every(({ outputHash }) => outputHash !== null)).toBe(true);
    }));

  it("go through `sparf eval` on golden and on the device alike", () =>
    inTemporary(async (directory) => {
      writeDumps(directory);
      const datasets = heads.map((_, h) => ({
        id: `head-${h}`,
        S: tokens - h,
        d_h: width,
        nq: 1,
        tensors: { q: `h.${h}.q`, k: `h.${h}.k`, v: `h.${h}.v` },
        cases: [1, 20].map((k) => {
          return { id: `h${h}#k${k}`, q: 0, r: 6, k, l: 1, m: 2, n: 16, page_bytes: 1024 };
        }),
      }));
      const file = join(directory, "heads.json");
      writeFileSync(file, JSON.stringify({ data: { file: "qkv.safetensors" }, datasets }));
      const results = [];
      for (const engine of ["golden", "cycle"]) {
        const out = join(directory, `${engine}.json`);
        const { code } = await cli("sparf", "eval", file, "--engine", engine, "--out", out);
        expect(code).toBe(0);
        const found = JSON.parse(readFileSync(out, "utf8")) as { readonly cases: unknown[] };
        expect(found.cases).toHaveLength(2 * count);
        results.push({ ...found, engine: "" });
      }
      expect(results[1]).toEqual(results[0]);
    }));

  it("of a shape that no engine takes are refused, with the scenario", () =>
    inTemporary(async (directory) => {
      const bits = Uint16Array.from({ length: 6 * 8 }, () => 0x3c00);
      for (const part of parts) {
        const file = writeNpy({ type: "f2", shape: [1, 6, 8], data: bits });
        writeFileSync(join(directory, `${part}.npy`), file);
      }
      const file = join(directory, "s.yaml");
      const run = (fidelity: string): ReturnType<typeof cli> => {
        const source = "source: { q: queries.npy, k: keys.npy, v: values.npy }";
        writeFileSync(file, `name: narrow\nfidelity: ${fidelity}\nattention: { ${source} }\n`);
        return cli("run", file, "--out", join(directory, fidelity));
      };
      expect(await run("cycle")).toEqual(rejectedAt("s.yaml: attention.source"));
      expect((await run("analytic")).code).toBe(0);
    }));
});
