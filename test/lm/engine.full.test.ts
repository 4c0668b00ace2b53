// SPDX-License-Identifier: Apache-2.0
// Decode steps of the trained model through the Verilated engine behind flash: every one of them,
// and the same bits per byte as with the engine's arithmetic in TypeScript.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import type { AttentionEngine } from "../../src/kernels/csd/attention/attention-request.ts";
import { attentionEngine } from "../../src/kernels/csd/attention/attention-engine.ts";
import type { CsdRun, OpenCsdSession } from "../../src/machine/csd/csd-types.ts";
import { decodeOn } from "../../src/lm/decode.ts";
import { windowBits } from "../../src/lm/forward.ts";
import { policyMaker, type PolicyMaker } from "../../src/lm/group-policy.ts";
import { readTinyModel, tinyShape } from "../../src/lm/model.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { inRepository } from "../../src/base/paths.ts";
import { memorySource } from "../../src/base/bytes.ts";

const dataOf = (name: string): Buffer => readFileSync(inRepository("data", "tinylm", name));

/** The prompt fills a block of embedding-order pages; the steps after it append. */
const promptLength = 512;
const steps = 3;
const { heads, headWidth } = tinyShape;

const policies: readonly (readonly [string, PolicyMaker])[] = [
  ["dense", policyMaker({ attention: "dense", ratio: 1, choice: "whole" }, headWidth)],
  ["SparF at 1/8", policyMaker({ attention: "sparf", ratio: 1 / 8, choice: "whole" }, headWidth)],
];

/** Opens sessions and records their runs. */
function recorded(runs: CsdRun[]): OpenCsdSession {
  return async (machine) => {
    const session = await openCsdSession(machine);
    const run: typeof session.run = async (jobs, options) => {
      const csdRun = await session.run(jobs, options);
      runs.push(csdRun);
      return csdRun;
    };
    return { ...session, run };
  };
}

test.each(policies)(
  "%s: the RTL attends at every decode step",
  async (_, policy) => {
    const model = readTinyModel(memorySource("tinylm", dataOf("tinylm.safetensors")));
    const text = dataOf("eval.bin").subarray(0, promptLength + steps + 1);
    const bitsOn = async (engine: AttentionEngine): Promise<Float64Array> =>
      windowBits(model, text, { promptLength, half: true, decode: decodeOn(engine, policy) });
    const runs: CsdRun[] = [];
    const onRtl = await bitsOn(attentionEngine("rtl", recorded(runs)));
    const golden = await bitsOn(attentionEngine("golden", recorded([])));
    expect(onRtl).toEqual(golden);

    const attentions = runs.flatMap(({ jobs }) => jobs.filter(({ outputs }) => outputs.length > 0));
    expect(attentions).toHaveLength(model.layers.length * heads * steps);
    expect(attentions.every(({ pages }) => pages.keys > 0)).toBe(true);
    // The device counted the work of its kernels, so it was an engine that attended.
    const busy = runs.flatMap(({ devices }) => devices.flatMap(({ kernels }) => kernels));
    expect(busy.reduce((sum, { attend }) => sum + attend, 0)).toBeGreaterThan(0);
  },
  1_800_000,
);
