// SPDX-License-Identifier: Apache-2.0
// The search itself, on a subject that is not a unit: guidance reaches cases that random samples do not, failures
// are shrunk, and a case is stored unchanged.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

import { readCorpus, corpusText } from "./corpus.ts";
import { searched, Search, shrunk } from "./search.ts";
import type { Subject } from "./subject.ts";

const scratch = mkdtempSync(join(tmpdir(), "neardata-search-"));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

/** A lock of three numbers; each correct number makes the next one visible. */
const lock: Subject = {
  name: "lock",
  fields: { first: [0, 999], second: [0, 999], third: [0, 999], other: [0, 9] },
  fits: () => true,
  run: ({ first, second, third }) => {
    const right = [first === 700, second === 41, third === 512];
    const open = right.indexOf(false);
    const wrong = open < 0 ? "open" : null;
    return Promise.resolve({ pairs: Uint32Array.of(open), cycles: 1, wrong });
  },
  close: () => undefined,
};

describe("a search", () => {
  it("continues from cases that reached a new state, and shrinks failing cases", async () => {
    const disagreement = await searched(new Search(lock, 1), 100_000);
    expect(disagreement).not.toBeNull();
    expect(await shrunk(lock, disagreement ?? { one: {}, wrong: "" })).toEqual({
      one: { first: 700, second: 41, third: 512, other: 0 },
      wrong: "open",
    });
    expect(await searched(new Search(lock, 1, false), 100_000)).toBeNull();
  });

  it("draws the same cases for the same seed, and others for another", async () => {
    const kept = async (seed: number): Promise<unknown> => {
      const search = new Search(lock, seed);
      await searched(search, 500);
      return search.kept;
    };
    expect(await kept(3)).toEqual(await kept(3));
    expect(await kept(3)).not.toEqual(await kept(4));
  });

  it("keeps a case as a file that is the same case again", () => {
    const one = { first: 0, second: 5, third: 0, other: 9 };
    writeFileSync(join(scratch, "lock.json"), corpusText(lock, one, "an example"));
    expect([...readCorpus(scratch, lock)]).toEqual([["lock.json", one]]);
    writeFileSync(join(scratch, "lock.json"), corpusText(lock, { ...one, fourth: 1 }, "unknown"));
    expect(() => readCorpus(scratch, lock)).toThrow("fourth");
    rmSync(join(scratch, "lock.json"));
  });
});
