// SPDX-License-Identifier: Apache-2.0
// Solves a file of policy cases, whichever paper it is about. The result of a case has the field
// names of the case's expected values, so that the two can be compared.

import { z } from "zod";
import { issuesOf } from "../base/issues.ts";
import { NeardataError } from "../base/errors.ts";
import { pathText, formatValue } from "../base/format-value.ts";
import { unknownName, type ReadFamily } from "./cases/family.ts";
import { arithmeticCases } from "./reproduction/arithmetic-cases.ts";
import { flexgenCases } from "./flexgen/files/cases.ts";
import { liaCases } from "./lia/files/cases.ts";
import { designCases, improvementCases } from "./llmshare/files/cases.ts";
import { quantiseCases } from "./cases/quantise.ts";
import { traceCases } from "./trimoe/files/trace-cases.ts";
import { trimoeCases } from "./trimoe/files/cases.ts";

/** How each file is read, by the name in its `oracle` field. */
const families: Readonly<Record<string, ReadFamily>> = {
  lia_policy: liaCases,
  flexgen_policy: flexgenCases,
  trimoe_schedule: trimoeCases,
  group_quant: quantiseCases,
  expert_trace: traceCases,
  paper_arithmetic: arithmeticCases,
  dse_init: designCases,
  ehvi: improvementCases,
};

const documentSchema = z.object({ oracle: z.string(), version: z.literal(1) });

/** The document that `neardata policy solve` writes. */
export interface PolicyResults {
  readonly cases: readonly { readonly id: string; readonly result: object }[];
}

/**
 * Every case of a document, in order. `where` names the document in problems.
 * @throws NeardataError `bad-input` with every problem of the document.
 */
export async function solveCases(document: unknown, where: string): Promise<PolicyResults> {
  const header = documentSchema.safeParse(document, { reportInput: true });
  if (!header.success) throw refused(where, issuesOf(header.error, documentSchema));
  const { oracle } = header.data;
  const read = Object.hasOwn(families, oracle) ? families[oracle] : undefined;
  if (read === undefined) {
    const message = unknownName(oracle, Object.keys(families));
    throw refused(where, [{ where: "oracle", message }]);
  }
  const { issues, tasks } = read(document);
  if (issues.length > 0) throw refused(where, issues);
  const cases: { id: string; result: object }[] = [];
  for (const { id, solve } of tasks) {
    const result = await solve();
    const beyond = firstBeyond(result);
    if (beyond !== null) {
      const message = `${beyond} is beyond all numbers with these inputs.`;
      throw refused(where, [{ where: formatValue(id), message }]);
    }
    cases.push({ id, result });
  }
  return { cases };
}

/** Path of an infinity or NaN in a result, which JSON cannot represent. */
function firstBeyond(value: unknown, path: readonly PropertyKey[] = []): string | null {
  if (typeof value === "number") return Number.isFinite(value) ? null : pathText(path);
  if (typeof value !== "object" || value === null) return null;
  const isList = Array.isArray(value);
  for (const [key, inner] of Object.entries(value)) {
    const unknownKey = firstBeyond(inner, [...path, isList ? Number(key) : key]);
    if (unknownKey !== null) return unknownKey;
  }
  return null;
}

function refused(file: string, issues: NeardataError["issues"]): NeardataError {
  const placed = issues.map(({ where, message }) => ({
    where: where === "" ? file : `${file}: ${where}`,
    message,
  }));
  return new NeardataError("bad-input", placed);
}
