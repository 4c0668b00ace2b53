// SPDX-License-Identifier: Apache-2.0
// Experts in the layouts of published models by `neardata ndp eval`: by the golden model within half the
// bounds of the reference, but for those that nobody can compute; by the cycle model and the RTL the same
// bits; or a refusal that names a tensor of the file or a key of its configuration.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { distance } from "../../src/golden/reference.ts";
import { readNpy } from "../../src/workload/npy.ts";
import { cli, inTemporary } from "../helpers/cli.ts";
import { has, needs } from "../helpers/needs.ts";
import { oraclePath } from "../helpers/oracle.ts";

const area = "ndp-shipped";

interface Case {
  readonly id: string;
  readonly weights: string;
  readonly expert: string;
  readonly inputs: string;
  readonly expect: "compute" | "either" | "refuse";
  readonly names?: readonly string[];
  readonly expected: string;
  readonly tolerance: string;
  readonly relative_l2: number;
}

const values = (file: string): Float64Array =>
  Float64Array.from(readNpy(file, readFileSync(oraclePath(area, file))).data);

describe("experts as models ship them", needs("oracle/ndp-shipped"), () => {
  const manifest = has("oracle/ndp-shipped")
    ? (JSON.parse(readFileSync(oraclePath(area, "manifest.json"), "utf8")) as { cases: Case[] })
    : { cases: [] };

  it("are there", () => {
    expect(manifest.cases.length).toBeGreaterThan(15);
  });

  const evaluated = async (
    one: Case,
    engine: "golden" | "cycle" | "rtl",
  ): Promise<{ readonly outputs: Float64Array | null; readonly stderr: string }> =>
    inTemporary(async (directory) => {
      const out = join(directory, "y.npy");
      const { code, stderr } = await cli(
        ...["ndp", "eval", "--weights", oraclePath(area, one.weights), "--expert", one.expert],
        ...["--inputs", oraclePath(area, one.inputs), "--out", out, "--engine", engine],
      );
      expect([0, 2]).toContain(code);
      expect(existsSync(out)).toBe(code === 0);
      if (code !== 0) return { outputs: null, stderr };
      return { outputs: Float64Array.from(readNpy(out, readFileSync(out)).data), stderr };
    });
  const named = (one: Case, stderr: string): readonly string[] =>
    (one.names ?? []).filter((name) => stderr.includes(name));

  it.each(manifest.cases)("$id", async (one) => {
    const golden = await evaluated(one, "golden");
    if (one.expect === "refuse") {
      expect(golden.outputs).toBeNull();
      expect(named(one, golden.stderr)).not.toEqual([]);
      return;
    }
    const outputs = golden.outputs ?? expect.fail(golden.stderr);
    const wanted = values(one.expected);
    const limits = values(one.tolerance);
    expect(distance(outputs, wanted).relativeL2).toBeLessThanOrEqual(one.relative_l2 / 2);
    const shares = [...limits].map((limit, i) => {
      return Math.abs((outputs[i] ?? NaN) - (wanted[i] ?? NaN)) / limit;
    });
    expect(Math.max(...shares)).toBeLessThanOrEqual(0.5);
    expect((await evaluated(one, "cycle")).outputs).toEqual(outputs);
    expect((await evaluated(one, "rtl")).outputs).toEqual(outputs);
  });
});
