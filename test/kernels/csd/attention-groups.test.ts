// SPDX-License-Identifier: Apache-2.0
// A scenario's sparse attention with queries that share keys and values, on devices without
// hardware: outputs of every query, checks that fire, and what is refused.

import { describe, expect, it } from "vitest";
import { parseScenario } from "../../../src/scenario/parse.ts";
import { resolveConfig } from "../../../src/scenario/resolve.ts";
import { runAttentionCases } from "../../../src/kernels/csd/attention/attention-cases.ts";
import { noExpectedLayers } from "../../../src/kernels/csd/attention/attention-checks.ts";
import { emptyHeadStore } from "../../../src/kernels/csd/head-store.ts";
import { attentionEnergy } from "../../../src/results/energy/energy.ts";
import type { AttentionCase } from "../../../src/results/types.ts";
import { readRecord } from "../../../src/tools/synth/record.ts";
import { generateHta1 } from "../../../src/workload/hta1.ts";
import { fakeCsd, type CsdFault } from "../../helpers/fake-csd.ts";
import { rejection } from "../../helpers/rejection.ts";

const width = 16;

async function cases(group: string, fault: CsdFault = {}): Promise<readonly AttentionCase[]> {
  const text = `name: a
fidelity: cycle
attention:
  ${group}
  heads: 3
  headWidth: ${String(width)}
  ratio: 1/4
`;
  const sized = group.includes("length") ? text : `${text}  length: 300\n  decode: 2\n`;
  const { attention } = resolveConfig("a.yaml", parseScenario("a.yaml", sized)).scenario;
  if (attention === null) throw new Error("no attention");
  return runAttentionCases(attention, {
    open: fakeCsd(fault, []),
    expected: noExpectedLayers(),
    heads: [500, 501, 502].map((seed) => generateHta1(seed, 302, width)),
    headStore: emptyHeadStore(),
    signal: new AbortController().signal,
    onCase: () => ({ update: () => undefined, end: () => undefined }),
    waveDirectory: "/waves",
    waves: false,
  });
}

function failed(all: readonly AttentionCase[]): readonly string[] {
  return all.flatMap(({ id, checks }) =>
    checks.filter(({ pass }) => !pass).map((check) => `${id} ${check.id}`),
  );
}

describe("attention of a group", () => {
  it("is that of the queries of the last tokens", async () => {
    const all = await cases("group: 3");
    expect(failed(all)).toEqual([]);
    for (const { steps, group, accuracy } of all) {
      expect(group).toBe(3);
      const jobs = steps.flatMap(({ run, jobs: own }) => own.map((j) => run.jobs[j]));
      expect(jobs.map((job) => job?.outputs.length)).toEqual(jobs.map(() => 3 * width));
      expect(accuracy?.differentFromGolden).toBe(0);
    }
    expect(failed(await cases("group: 3", { flipJob: 0 }))).toContain("dense-znand4k-1-16 golden");
  });

  it("takes the operations of every query", async () => {
    const record = readRecord("sparf")?.record;
    if (record === undefined) throw new Error("no record");
    const productsOf = async (group: string): Promise<number> => {
      const [dense] = await cases(group);
      const energy = dense && attentionEnergy(dense, record.energy, null);
      return energy?.parts.find(({ part }) => part === "products")?.count ?? Number.NaN;
    };
    expect(await productsOf("group: 3")).toBe(3 * (await productsOf("group: 1")));
  });

  it.each([
    ["group: 9", /attention\.group: 9 .* 8/],
    ["group: 4\n  length: 3", /attention\.group: 4 .* 3 tokens/],
  ])("refuses %s", async (more, rule) => {
    await expect(cases(more)).rejects.toThrow(rejection("bad-input", rule));
  });
});
