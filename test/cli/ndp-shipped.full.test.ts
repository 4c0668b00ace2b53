// SPDX-License-Identifier: Apache-2.0
// Experts in the layouts of published models by `neardata ndp eval`: right within the bounds of the
// reference, or refused by a sentence that names a tensor of the file or a key of its configuration.

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

/** Layouts that are computed, of those that may be refused as well. */
const computed = new Set([
  ...["02-qwen3-moe-fp8", "04-glm-4.5-fp8", "05-mixtral-fp8-static", "06-kimi-k2-int4"],
  ...["11-llama-4", "12-qwen3.5-moe"],
]);

describe("experts as models ship them", needs("oracle/ndp-shipped"), () => {
  const manifest = has("oracle/ndp-shipped")
    ? (JSON.parse(readFileSync(oraclePath(area, "manifest.json"), "utf8")) as { cases: Case[] })
    : { cases: [] };

  it("are there", () => {
    expect(manifest.cases.length).toBeGreaterThan(15);
  });

  it.each(manifest.cases)("$id", async (one) =>
    inTemporary(async (directory) => {
      const out = join(directory, "y.npy");
      const { code, stderr } = await cli(
        ...["ndp", "eval", "--weights", oraclePath(area, one.weights), "--expert", one.expert],
        ...["--inputs", oraclePath(area, one.inputs), "--out", out, "--engine", "golden"],
      );
      if (one.expect === "compute" || computed.has(one.id)) expect(code).toBe(0);
      if (code === 0) {
        expect(one.expect).not.toBe("refuse");
        const found = Float64Array.from(readNpy(out, readFileSync(out)).data);
        const wanted = values(one.expected);
        const limits = values(one.tolerance);
        expect(distance(found, wanted).relativeL2).toBeLessThanOrEqual(one.relative_l2);
        for (const [i, limit] of limits.entries()) {
          expect(Math.abs((found[i] ?? NaN) - (wanted[i] ?? NaN))).toBeLessThanOrEqual(limit);
        }
        return;
      }
      expect(code).toBe(2);
      expect(existsSync(out)).toBe(false);
      expect((one.names ?? []).filter((name) => stderr.includes(name))).not.toEqual([]);
    }),
  );
});
