// SPDX-License-Identifier: Apache-2.0
// The table "Experts in sequence" of docs/results/exploration.md: on one NDP unit, with one and with two descriptors at
// work: npx --no-install jiti tools/measure-descriptors.ts
// TriMoE's unit on memories that answer as DDR5-4800 delivers, 3 bursts in 10 cycles per stream after 60
// cycles. Gaps are those of the RTL between two experts, cycles those of the cycle model for eight.

import { execFileSync } from "node:child_process";
import process from "node:process";

import { paperMachine } from "../src/machine/resolve/systems.ts";
import { buildNdpMain } from "../src/native/ndp/ndp-main.ts";

interface Answer {
  readonly ok: boolean;
  readonly error?: string;
  readonly cycles: number;
  readonly gaps: readonly number[];
}

/** Blocks of 256 inputs, and rows. */
const experts = {
  "2048 x 1408": { in: 8, mid: 1408, rows: 2048 },
  "5120 x 1536": { in: 20, mid: 1536, rows: 5120 },
  "2048 x 256": { in: 8, mid: 256, rows: 2048 },
} as const;
const counts = [1, 8] as const;
const depths = [1, 2] as const;

const { unit } = paperMachine("rtl");
for (const descriptors of depths) {
  const bench = await buildNdpMain({ ...unit, descriptors });
  const run = (words: Readonly<Record<string, number | string>>): Answer => {
    const line = Object.entries(words).map(([key, value]) => `${key}=${String(value)}`);
    const answer = JSON.parse(execFileSync(bench, line, { encoding: "utf8" })) as Answer;
    if (!answer.ok) throw new Error(answer.error);
    return answer;
  };
  for (const [name, shape] of Object.entries(experts)) {
    for (const tokens of counts) {
      const job = { op: 1, ...shape, tokens, pass: tokens, latency: 60, rate: "3/10", check: 0 };
      const { cycles } = run({ ...job, engine: "cycle", times: 8 });
      // A gap is one of rows' ends, which short experts have as well.
      const [gap = NaN] = run({ ...job, engine: "rtl", mid: 256, times: 2 }).gaps;
      process.stdout.write(
        `${String(descriptors)} at work, ${name}, ${String(tokens)} tokens: ${String(cycles)} cycles, gap ${String(gap)}\n`,
      );
    }
  }
}
