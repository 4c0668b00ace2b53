// SPDX-License-Identifier: Apache-2.0
// The SparF engine with rows of several lines and pages of up to 128 rows against the golden
// arithmetic, bit for bit.

import { beforeAll, describe, expect, it } from "vitest";

import { type AppendJob, calm } from "../../src/tools/bench/sparf-case.ts";
import { buildEngine, runEngine, wideEngine } from "../helpers/sparf-bench.ts";
import { contents, goldenOutcome } from "../helpers/sparf-jobs.ts";
import { holdsForBatches } from "../helpers/sparf-properties.ts";

let bench = "";
beforeAll(async () => {
  bench = await buildEngine(wideEngine);
}, 1_800_000);

const width = wideEngine.Width;

describe("sparf_engine of 64 dimensions", () => {
  it("is the golden arithmetic and reads the closed set of pages, whatever the heads", async () => {
    await holdsForBatches(bench, wideEngine, { name: "wide", longest: 150, runs: 30 });
  });

  it("appends rows of several lines", async () => {
    const length = 45;
    const head = {
      op: "sparse",
      queries: [contents("ordinary", width, 3)],
      cache: {
        length,
        width,
        keys: contents("ordinary", length * width, 4),
        values: contents("any", length * width, 5),
      },
      r: 16,
      k: 12,
      l: 3,
      m: 4,
      pageBytes: 1024,
      dimFlash: 0,
      tokenFlash: 32,
    } as const;
    const appends = Array.from({ length: 5 }, (_, i): AppendJob => ({
      op: "append",
      head: 5,
      token: 40 + i,
    }));
    const run = await runEngine(bench, [...appends, head], calm);
    expect(run.jobs.at(-1)?.rows).toEqual(goldenOutcome(head).rows);
  });
});
