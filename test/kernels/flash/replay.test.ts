// SPDX-License-Identifier: Apache-2.0
// The flash back end against reference facts: every time of every request, to the tick.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { loadFlash } from "../../../src/native/flash-binding.ts";
import { parseFacts } from "../../../src/machine/flash/facts.ts";
import { replayFacts } from "../../../src/kernels/flash/replay.ts";
import { oraclePath } from "../../helpers/oracle.ts";
import { has, needs } from "../../helpers/needs.ts";

interface FactsDocument {
  readonly format: string;
  readonly expected: Readonly<Record<string, unknown>>;
  readonly alternative_cmd_first: { readonly total_time: number; readonly total_ns: number };
}

function documents(): (readonly [string, FactsDocument])[] {
  if (!has("oracle/flash")) return [];
  return readdirSync(oraclePath("flash"))
    .filter((name) => name.endsWith(".json"))
    .map((name) => {
      const text = readFileSync(oraclePath("flash", name), "utf8");
      return [name, JSON.parse(text) as FactsDocument] as const;
    })
    .filter(([, document]) => document.format === "flash-facts-1");
}

describe("flash replay against facts", needs("oracle/flash"), () => {
  it.each(documents())("%s is exact in both arbitrations", (_, document) => {
    const result = replayFacts(loadFlash(), parseFacts(document));
    const { latency_ns: wantedLatency, ...wanted } = document.expected;
    const { latency_ns: latency, ...found } = result.expected;
    expect(found).toEqual(wanted);
    for (const [name, value] of Object.entries(wantedLatency as Record<string, number>)) {
      expect(latency[name as "min"]).toBeCloseTo(value, 6);
    }
    expect(result.alternative_cmd_first.total_time).toBe(document.alternative_cmd_first.total_time);
  });
});
