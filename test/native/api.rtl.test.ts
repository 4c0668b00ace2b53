// SPDX-License-Identifier: Apache-2.0
// Nothing that is passed to the raw addon ends the process: known cases say how they end, and
// values of every kind are put into every field of every call.

import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";

import { loadAddon } from "../../src/native/addon.ts";
import { accepted } from "./api-base.ts";
import { knownCases } from "./api-cases.ts";
import { hostileCase } from "./api-mutation.ts";
import { outcomesOf, type ApiOutcome } from "./api.ts";

/** The codes of native/entry.cc. */
const codes = ["bad-input", "misuse", "exhausted", "check-failed"];

test("the table has a call of every function of the addon, and each is accepted", async () => {
  const calls = Object.entries(loadAddon()).filter(([, value]) => typeof value === "function");
  expect(Object.keys(accepted).sort()).toEqual(calls.map(([name]) => name).sort());
  const outcomes = await outcomesOf(
    Object.entries(accepted).map(([name, all]) => ({ name, calls: all })),
  );
  const refused = Object.keys(accepted).filter((_, i) => outcomes[i]?.kind !== "value");
  expect(refused.map((name) => [name, outcomes[Object.keys(accepted).indexOf(name)]])).toEqual([]);
});

describe("known cases", { timeout: 120_000 }, () => {
  let outcomes: readonly ApiOutcome[] = [];
  beforeAll(async () => {
    outcomes = await outcomesOf(knownCases);
  });
  test.each(knownCases.map(({ name, ends }, at) => ({ name, ends, at })))(
    "$name",
    ({ ends, at }) => {
      const outcome = outcomes[at];
      if ("faults" in ends) {
        const { faults } = ends;
        const allowed = faults.map((fault) => ({ kind: "value", fault }));
        expect(faults.length === 0 ? [{ kind: "value" }] : allowed).toContainEqual(outcome);
        return;
      }
      expect(outcome).toMatchObject({ kind: "error", ...(ends.code && { code: ends.code }) });
      expect(outcome?.kind === "error" ? outcome.message : "").toMatch(ends.says);
    },
  );
});

test("no value of a field ends the process", { timeout: 240_000 }, async () => {
  const runs = Number(process.env["NEARDATA_FUZZ_RUNS"] ?? 1000);
  const seed = Number(process.env["NEARDATA_FUZZ_SEED"] ?? 16);
  const cases = fc.sample(hostileCase(), { numRuns: runs, seed });
  const outcomes = await outcomesOf(cases);
  const broken = cases.flatMap((item, i) => {
    const outcome = outcomes[i];
    const ours =
      outcome?.kind === "error" && outcome.code !== undefined && codes.includes(outcome.code);
    const theirs = outcome?.kind === "error" && outcome.message.startsWith("thrown by a ");
    return outcome?.kind === "value" || ours || theirs ? [] : [{ name: item.name, outcome }];
  });
  expect(broken).toEqual([]);
});
