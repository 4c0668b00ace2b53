// SPDX-License-Identifier: Apache-2.0
// The DIMM-NDP as a subject: every output of every cycle and the event counts of RTL and cycle model,
// the values, and that nothing moves while the unit is quiet.

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import type { NdpUnitParameters } from "../../src/machine/types.ts";
import { jobFits, openBench } from "../helpers/ndp-bench.ts";
import { wordsOf } from "./pairs.ts";
import type { Case, Fields, Subject } from "./subject.ts";

const contents = ["tame", "wild", "any"] as const;
/** Answers for a cycle, one of these: a burst a cycle down to one in eight. */
const ratePart = 8;

function fieldsOf(unit: NdpUnitParameters): Fields {
  const lowBit = unit.lowBitWeights === 1;
  return {
    op: [0, 2],
    func: [0, 3],
    bf16: [0, 1],
    tokens: [1, 3 * unit.maxTokens],
    pass: [1, unit.maxTokens],
    in: [1, 6],
    mid: [1, 160],
    rows: [1, 160],
    weights: [0, lowBit ? 5 : 0],
    repeats: [1, lowBit ? 3 : 1],
    contents: [0, contents.length - 1],
    seed: [0, 999],
    times: [1, 3],
    latency: [1, 150],
    rate: [1, ratePart],
    window: [1, 16],
    req: [0, 950],
    rsp: [0, 950],
    outp: [0, 950],
    done: [0, 950],
    traffic: [0, 999],
  };
}

/** `replaced` has sources that replace the repository's, by path. */
export async function ndpSubject(
  name: string,
  unit: NdpUnitParameters,
  scratch: string,
  replaced?: ReadonlyMap<string, string>,
): Promise<Subject> {
  const bench = await openBench(unit, replaced);
  const pairs = join(scratch, `${name}.pairs`);
  return {
    name,
    fields: fieldsOf(unit),
    fits: (one) => (one["weights"] !== 0 || one["repeats"] === 1) && jobFits(unit, one),
    run: async (one) => {
      const words = wordsOfCase(one);
      rmSync(pairs, { force: true });
      const answer = await bench.run({ ...words, engine: "both", pairs });
      if (!answer.ok) return { pairs: new Uint32Array(), cycles: 0, wrong: answer.error };
      return { pairs: wordsOf(readFileSync(pairs)), cycles: answer.cycles, wrong: null };
    },
    close: () => {
      bench.close();
    },
  };
}

function wordsOfCase(one: Case): Readonly<Record<string, string | number>> {
  return {
    ...one,
    contents: contents[one["contents"] ?? 0] ?? "tame",
    rate: `${String(one["rate"])}/${String(ratePart)}`,
  };
}
