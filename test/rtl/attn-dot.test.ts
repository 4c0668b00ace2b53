// SPDX-License-Identifier: Apache-2.0
// Logits in RTL, at full width and a small one, against the golden arithmetic, bit for bit.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { engineLogits } from "../../src/golden/attention-engine.ts";
import { halvesToNumbers } from "../../src/golden/half.ts";
import { inRepository } from "../../src/native/paths.ts";
import { runTool } from "../../src/native/process.ts";
import { verilate } from "../../src/native/verilate.ts";

/** A query and the rows that follow it; each row waits before it comes. */
interface Job {
  readonly query: Uint16Array;
  readonly rows: readonly Uint16Array[];
  readonly pauses: readonly number[];
}

const directory = mkdtempSync(join(tmpdir(), "neardata-attn-dot-"));

afterAll(() => {
  rmSync(directory, { recursive: true });
});

async function logits(bench: string, jobs: readonly Job[]): Promise<readonly number[]> {
  const [input, output] = [join(directory, "rows"), join(directory, "logits")];
  const words = jobs.flatMap(({ query, rows, pauses }) => [
    1,
    0,
    ...query,
    ...rows.flatMap((row, i) => [0, pauses[i] ?? 0, ...row]),
  ]);
  writeFileSync(input, Uint16Array.from(words));
  await runTool(bench, [input, output]);
  const bytes = readFileSync(output);
  const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return [...new Uint32Array(copy)];
}

function golden({ query, rows }: Job): number[] {
  const width = query.length;
  const keys = halvesToNumbers(Uint16Array.from(rows.flatMap((row) => [...row])));
  const cache = { length: rows.length, width, keys, values: keys };
  const values = Float32Array.from(engineLogits(halvesToNumbers(query), cache));
  return [...new Uint32Array(values.buffer)];
}

const finite = (bits: number): number => ((bits & 0x7c00) === 0x7c00 ? bits & 0xbfff : bits);

/** Rows of operands that try to break a sum: any, tiny, huge, equal and opposite, mostly zero. */
function operands(lanes: number): fc.Arbitrary<Uint16Array> {
  const fill = (one: fc.Arbitrary<number>): fc.Arbitrary<Uint16Array> =>
    fc.array(one, { minLength: lanes, maxLength: lanes }).map((list) => Uint16Array.from(list));
  return fc.oneof(
    fill(fc.nat({ max: 0xffff }).map(finite)),
    fill(fc.nat({ max: 0x3ff })),
    fill(fc.constantFrom(0x7bff, 0xfbff)),
    fill(fc.constantFrom(0, 0x8000, 0x3c00, 0xbc00)),
    fill(fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.nat({ max: 0x7bff }))),
  );
}

describe.each([128, 8])("attn_dot of %i lanes", (lanes) => {
  let bench = "";
  beforeAll(async () => {
    const rtl = (folder: string, name: string): string => inRepository("rtl", folder, `${name}.sv`);
    bench = await verilate({
      top: "attn_dot",
      parameters: { Lanes: lanes },
      sources: [
        rtl("ndp", "ndp_pkg"),
        rtl("sparf", "attn_pkg"),
        rtl("common", "fp_normalise"),
        rtl("sparf", "attn_dot"),
      ],
      harness: [inRepository("testbench", "attn_dot_main.cc")],
      kind: "executable",
      trace: false,
    });
  });

  it("computes the golden logits", async () => {
    const job = fc.record({
      query: operands(lanes),
      rows: fc.array(operands(lanes), { minLength: 1, maxLength: 12 }),
      pauses: fc.array(fc.nat({ max: 2 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(job, { minLength: 1, maxLength: 8 }), async (jobs) => {
        expect(await logits(bench, jobs)).toEqual(jobs.flatMap(golden));
      }),
      { numRuns: 30 },
    );
  });
});
