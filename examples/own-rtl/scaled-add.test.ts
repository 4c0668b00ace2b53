// SPDX-License-Identifier: Apache-2.0
// A unit of three streams driven from vitest: every pair has its sum, for random inputs and random stalls.
// An injected fault is found, shrunk to the smallest case, and recorded as a waveform.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";

import { unitTypes } from "../../src/rtl/declare/index.ts";
import { stalls } from "../../src/rtl/fast-check/index.ts";
import { openUnit, type Unit } from "../../src/rtl/index.ts";
import { holds, property } from "../../src/rtl/vitest/index.ts";
import type { ScaledAdd } from "./scaled-add.ts";

const source = { top: "scaled_add", from: import.meta.dirname } as const;
const folder = mkdtempSync(join(tmpdir(), "neardata-own-rtl-"));
let unit: Unit<ScaledAdd>;

beforeAll(async () => {
  unit = await openUnit<ScaledAdd>({ ...source, sources: ["scaled_add.sv"] });
});
afterAll(() => {
  unit.close();
  rmSync(folder, { recursive: true });
});

const word = fc.integer({ min: 0, max: 0xffff });
const cases = fc.record({
  pairs: fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 20, size: "max" }),
  scale: fc.integer({ min: 0, max: 15 }),
  pauses: fc.tuple(stalls(), stalls(), stalls()),
});
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

async function adds(on: Unit<ScaledAdd>, one: Case, waveform?: string): Promise<void> {
  const { pairs, scale, pauses } = one;
  const { a, b, y } = on.streams;
  on.reset();
  on.set({ scale_i: scale });
  [a, b, y].forEach((stream, i) => {
    stream.pause(pauses[i] ?? pauses[0]);
  });
  a.send(pairs.map(([first]) => first));
  b.send(pairs.map(([, second]) => second));
  await on.run({ until: { moved: { y: pairs.length }, rest: 8 }, limit: 10_000, waveform });
  expect(y.taken()).toEqual(
    pairs.map(([first, second], number) => ({ sum: first + scale * second, number })),
  );
  expect(on.outputs()).toEqual({ count_o: pairs.length });
}

property("adds every pair under back-pressure", cases, async (one, { waveform }) =>
  adds(unit, one, waveform),
);

test("types are those of the RTL", async () => {
  const text = await unitTypes({ ...source, sources: ["scaled_add.sv"] });
  const names = (of: string): readonly string[] => of.match(/\b[a-z]\w*(?=:)/g) ?? [];
  const kept = readFileSync(join(import.meta.dirname, "scaled-add.ts"), "utf8");
  expect(names(text)).toEqual(names(kept));
  // @ts-expect-error there is no stream of this name
  expect(unit.streams.z).toBeUndefined();
  expect(() => {
    // @ts-expect-error nor such a field
    unit.streams.a.send([{ sum: 1 }]);
  }).toThrow(/16 bits/);
});

test("an injected fault is shrunk and kept as a waveform", async () => {
  const text = readFileSync(join(import.meta.dirname, "scaled_add.sv"), "utf8");
  const broken = text.replace("(Width + 5)'(a_i) +", "(Width + 5)'({1'b0, a_i[Width-2:0]}) +");
  expect(broken).not.toBe(text);
  writeFileSync(join(folder, "scaled_add.sv"), broken);
  await using changed = await openUnit<ScaledAdd>({ top: "scaled_add", sources: [folder] });
  const found = holds(
    "injected",
    cases,
    async (one, { waveform }) => adds(changed, one, waveform),
    {
      waves: folder,
    },
  );
  // The smallest pair whose first number has its highest bit: nothing else is left of the case.
  await expect(found).rejects.toThrow(/"pairs":\[\[32768,0\]\]/);
  await expect(found).rejects.toThrow(/seed: -?\d+, path: "[\d:]+"/);
  expect(existsSync(join(folder, "injected.fst"))).toBe(true);
});

test("what cannot be is refused", async () => {
  unit.reset();
  await expect(unit.run({ until: { moved: { y: 1 } }, limit: 50 })).rejects.toThrow(
    /50 cycles: y gave 0/,
  );
  expect(() => {
    unit.streams.a.send([65536]);
  }).toThrow(/16 bits/);
  expect(() => {
    unit.set({ scale_i: 16 });
  }).toThrow(/4 bits/);
  const absent = openUnit({ top: "scaled_ad", sources: ["scaled_add.sv"], from: source.from });
  await expect(absent).rejects.toThrow();
  await expect(openUnit({ top: "x", sources: ["absent.sv"] })).rejects.toThrow(/absent\.sv/);
  const controller = new AbortController();
  const endless = unit.run({ cycles: 1e9, signal: controller.signal });
  controller.abort();
  await expect(endless).rejects.toMatchObject({ code: "cancelled" });
});
