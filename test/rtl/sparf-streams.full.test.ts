// SPDX-License-Identifier: Apache-2.0
// The SparF engine of scenarios/attention-groups.yaml at full size: eight queries at once, 8,192 tokens of a head at
// most. Heads whose k is the number of tokens or more select all tokens; RTL and cycle model do the same in the
// same cycles.

import { expect, it } from "vitest";

import { sparfUnit } from "../../src/machine/resolve/csd.ts";
import { buildSparfUnit } from "../../src/native/csd/csd-unit.ts";
import { type StreamJob, streamThrough } from "../helpers/descriptor-streams.ts";

const hour = 3_600_000;
const width = 128;
const layout = { pageBytes: 4096, dimsPerPage: 2 };
const group = { kernels: 1, querySets: 8, maxKeys: 65536, ringLines: 4096 };
const unit = { ...sparfUnit(width, 8, layout.pageBytes / (2 * width)), ...group };
const head = { op: "sparse", cache: 1, window: 4, r: 16, group: 8, rows: 0 } as const;

it(
  "heads of eight queries with k of 8,192 and above",
  async () => {
    const short = [8191, 8192, 8193, 16_384, 65_535].map((k): StreamJob => ({
      ...head,
      tokens: 1000,
      k,
    }));
    const long = [8191, 8192, 65_535].map((k): StreamJob => ({ ...head, tokens: 8192, k }));
    const jobs: StreamJob[] = [...short, ...long, { op: "append", cache: 1, tokens: 8192 }];
    const [result] = await streamThrough(await buildSparfUnit(unit), unit, layout, [
      { seed: 1, pauses: 0, dramLatency: 20, jobs },
    ]);
    expect(result?.rtl.error).toBe("");
    expect({ ...result?.cycle, engine: "rtl" }).toEqual(result?.rtl);
    expect(result?.rtl.ends.map(([, status]) => status)).toEqual(jobs.map(() => 0));
    expect(result?.rtl.choices.map(([, chosen]) => chosen)).toEqual([
      ...short.map(() => 1000),
      ...[8191, 8192, 8192],
    ]);
    const outputs = result?.rtl.outputs.map(([, hash]) => hash) ?? [];
    expect(new Set(outputs.slice(0, short.length)).size).toBe(1);
    expect(outputs[6]).not.toBe(outputs[5]);
    expect(outputs[7]).toBe(outputs[6]);
  },
  3 * hour,
);
