// SPDX-License-Identifier: Apache-2.0
// Waveforms that a run leaves, read back: what moved where the run says that it moved, and the picture of a
// property's smallest failing case.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { readFst, type Waves } from "../../src/rtl/waves/fst.ts";
import { lastCycles, formatBits } from "../../src/rtl/waves/picture.ts";
import { openUnit } from "../../src/rtl/unit.ts";
import type { Unit } from "../../src/rtl/types.ts";
import { holds } from "../../src/rtl/vitest/property.ts";
import { inTemporary } from "../helpers/cli.ts";
import { rejection } from "../helpers/rejection.ts";

const wavesOf = (path: string): Waves => readFst(path, readFileSync(path));

/** The value of a port before the edge of each cycle. */
function before({ signals }: Waves, name: string): (cycle: number) => string {
  const { changes = [] } = signals.find((signal) => signal.name === name) ?? {};
  return (cycle) => changes.findLast(({ time }) => time <= 2 * cycle)?.value ?? "x";
}

describe("a waveform of a run", () => {
  let unit: Unit;
  beforeAll(async () => {
    const sources = [inRepository("examples", "own-rtl", "scaled_add.sv")];
    unit = await openUnit({ top: "scaled_add", sources });
  });
  afterAll(() => {
    unit.close();
  });

  async function run(pairs: readonly (readonly [number, number])[], path?: string): Promise<void> {
    const { a, b, y } = unit.streams;
    unit.reset();
    unit.set({ scale_i: 3 });
    y?.pause({ probability: 0.3, seed: 5 });
    a?.pause({ probability: 0.2, seed: 6 });
    a?.send(pairs.map(([x]) => x));
    b?.send(pairs.map(([, x]) => x));
    const until = { moved: { y: pairs.length }, rest: 4 };
    await unit.run({ until, ...(path === undefined ? {} : { waveform: path }) });
  }

  it.each([1, 20, 3000])("of %i messages has them in their cycles", (count) =>
    inTemporary(async (directory) => {
      const path = join(directory, "run.fst");
      const pairs = Array.from({ length: count }, (_, i) => [(i * 977) % 65536, i] as const);
      await run(pairs, path);
      const waves = wavesOf(path);
      const { y } = unit.streams;
      const sum = before(waves, "y_sum_o");
      const [valid, ready] = [before(waves, "y_valid_o"), before(waves, "y_ready_i")];
      const taken = Array.from({ length: unit.cycle() }, (_, cycle) => cycle).filter(
        (cycle) => valid(cycle) === "1" && ready(cycle) === "1",
      );
      expect(taken).toEqual([...(y?.movedAt() ?? [])]);
      expect(taken.map((cycle) => Number.parseInt(sum(cycle), 2))).toEqual(
        pairs.map(([a, b]) => a + 3 * b),
      );
      const picture = lastCycles(waves);
      expect(picture?.svg).toMatch(/^<svg [^]*<\/svg>$/);
      expect(picture?.ports.map(({ name }) => name)).toContain("y_valid_o");
    }),
  );

  it("that is cut is refused", () =>
    inTemporary(async (directory) => {
      const path = join(directory, "run.fst");
      await run([[1, 2]], path);
      const bytes = readFileSync(path);
      expect(() => readFst(path, bytes.subarray(0, bytes.length - 40))).toThrow(
        rejection("bad-input", path),
      );
    }));

  it("of a property's smallest failing case is drawn beside it", () =>
    inTemporary(async (directory) => {
      const cases = fc.integer({ min: 0, max: 100 });
      const check = async (x: number, { waveform }: { waveform: string | undefined }) => {
        await run([[x, 1]], waveform);
        const { y } = unit.streams;
        expect(y?.taken()[0]).toMatchObject({ sum: Math.min(x, 40) + 3 });
      };
      const found = holds("caps at forty", cases, check, { seed: 1, waves: directory });
      await expect(found).rejects.toThrow(/\[41\][^]*its last cycles: .*caps-at-forty\.svg/);
      expect(existsSync(join(directory, "caps-at-forty.fst"))).toBe(true);
      // 41 and 44 in hexadecimal.
      expect(readFileSync(join(directory, "caps-at-forty.svg"), "utf8")).toMatch(
        />0029<[^]*>00002c</,
      );
    }));
});

it("a property that is given a path without its seed says so before any case runs", async () => {
  let runs = 0;
  const count = (): void => {
    runs += 1;
  };
  const configured = fc.readConfigureGlobal();
  fc.resetConfigureGlobal();
  try {
    const found = holds("any", fc.nat(), count, { path: "0:1" });
    await expect(found).rejects.toThrow(/`seed`/);
  } finally {
    fc.configureGlobal(configured);
  }
  expect(runs).toBe(0);
});

it("shows words in hexadecimal, and what is not known as x", () => {
  expect(["1", "0", "x", "101010", "1x"].map(formatBits)).toEqual(["1", "0", "x", "2a", "x"]);
});
