// SPDX-License-Identifier: Apache-2.0
// Every family of cases against reference values, given to the solver without them. Of the long
// ones (searches of a grid, traces) a few of each kind.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { solveCases } from "../../../src/papers/solve-cases.ts";
import { oraclePath } from "../../helpers/oracle.ts";
import { differences, type Allowed } from "./compare.ts";
import { needs } from "../../helpers/needs.ts";

const exact: Allowed = { relative: 1e-9, absolute: 1e-15 };
const trace: Allowed = { relative: 0, absolute: 0.03 };

interface Plan {
  readonly allowed: Allowed;
  /** Tolerances of some kinds or of single values. */
  readonly kinds?: Readonly<Record<string, Allowed>>;
  /** Expected values that describe the reference itself, or that depend on the order of ties. */
  readonly without?: readonly string[];
  /** At most so many cases of a kind. */
  readonly most?: Readonly<Record<string, number>>;
}

const plans: Readonly<Record<string, Plan>> = {
  lia_policy: { allowed: exact },
  trimoe_schedule: { allowed: exact, without: ["refined_makespan_any_tie_break"] },
  group_quant: { allowed: exact, without: ["note"] },
  expert_trace: {
    allowed: trace,
    without: ["max_load"],
    most: { dynamic: 2, static: 4 },
  },
  paper_arithmetic: { allowed: { relative: 1e-6, absolute: 1e-12 } },
  flexgen_policy: {
    allowed: exact,
    kinds: { policy_search: { relative: 1e-6, absolute: 0 } },
    without: ["example_placement", "example_gbs_nb"],
    most: { policy_search: 3 },
  },
  dse_init: { allowed: exact, without: ["published"] },
  ehvi: {
    allowed: exact,
    without: ["monte_carlo", "monte_carlo_standard_error"],
  },
};

const fileSchema = z.looseObject({
  cases: z.array(
    z.looseObject({ id: z.string(), kind: z.string(), expect: z.record(z.string(), z.unknown()) }),
  ),
});

/** The first cases of each kind, as many as the plan allows. */
function chosen<Case extends { readonly kind: string }>(
  cases: readonly Case[],
  most: Readonly<Record<string, number>> = {},
): readonly Case[] {
  return cases.filter((one, index) => {
    const before = cases.slice(0, index).filter(({ kind }) => kind === one.kind).length;
    return before < (most[one.kind] ?? Infinity);
  });
}

describe("reference values", needs("oracle/policy"), () => {
  it.each(Object.entries(plans))("%s", async (name, plan) => {
    const text = readFileSync(oraclePath("policy", `${name}.json`), "utf8");
    const file = fileSchema.parse(JSON.parse(text));
    const cases = chosen(file.cases, plan.most);
    const questions = cases.map(({ expect: _, ...question }) => question);
    const solved = await solveCases({ ...file, cases: questions }, name);
    const problems = cases.flatMap(({ id, kind, expect: wanted }, i) => {
      const compared = Object.entries(wanted).filter(([key]) => !plan.without?.includes(key));
      const answer = solved.cases[i];
      expect(answer?.id).toBe(id);
      const allowed = plan.kinds?.[kind] ?? plan.allowed;
      return differences(answer?.result, Object.fromEntries(compared), allowed, id);
    });
    expect(problems.slice(0, 10)).toEqual([]);
  });

  it("a Monte Carlo estimate lies within five standard errors of the closed form", async () => {
    const text = readFileSync(oraclePath("policy", "ehvi.json"), "utf8");
    const file = fileSchema.parse(JSON.parse(text));
    const { cases } = await solveCases(file, "ehvi");
    const schema = z.object({
      ehvi: z.number(),
      monte_carlo: z.number(),
      monte_carlo_standard_error: z.number(),
    });
    const sampled = cases.flatMap(({ result }) => schema.safeParse(result).data ?? []);
    // If improvements are rarer than one in the number of samples, the estimate is not usable.
    const hit = sampled.filter(({ ehvi, monte_carlo_standard_error: error }) => {
      return error > 0 && error < 0.1 * ehvi;
    });
    expect(hit.length).toBeGreaterThan(sampled.length / 3);
    for (const one of hit) {
      const off = Math.abs(one.monte_carlo - one.ehvi);
      expect(off).toBeLessThanOrEqual(5 * one.monte_carlo_standard_error);
    }
  });
});

describe("the comparison itself", () => {
  it("finds a wrong number, a missing value and a wrong length", () => {
    const wanted = { a: 1, b: [1, 2], c: "x" };
    expect(differences({ a: 1 + 1e-12, b: [1, 2], c: "x" }, wanted, exact)).toEqual([]);
    expect(differences({ a: 1.001, b: [1, 2, 3] }, wanted, exact)).toHaveLength(3);
  });
});
