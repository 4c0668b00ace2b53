// SPDX-License-Identifier: Apache-2.0
// The results of a scenario as a program has them: the content of results.json, with the kind of each case.

import type { TokenDocument } from "../../lm/token/token-metrics.ts";
import type {
  AttentionDocument,
  CaseDocument,
  ExpertDocument,
  KernelDocument,
} from "../../report/case-documents.ts";
import type { ResultContent } from "../../report/saved/document.ts";

/** A case by its kind. */
export type ScenarioCase =
  | ({ readonly kind: "expert" } & ExpertDocument)
  | ({ readonly kind: "attention" } & AttentionDocument)
  | ({ readonly kind: "token" } & TokenDocument)
  | ({ readonly kind: "own" } & KernelDocument);

/** The content of results.json; `resultHash` does not cover the kinds. */
export interface ScenarioResults extends Omit<ResultContent, "cases"> {
  readonly cases: readonly ScenarioCase[];
}

/** The same content, with kinds. */
export function kindsOf(content: ResultContent): ScenarioResults {
  return { ...content, cases: content.cases.map(caseOf) };
}

function caseOf(one: CaseDocument): ScenarioCase {
  if (!("kernel" in one)) return { kind: "expert", ...one };
  if (isAttention(one)) return { kind: "attention", ...one };
  return isToken(one) ? { kind: "token", ...one } : { kind: "own", ...one };
}

function isAttention(one: CaseDocument): one is AttentionDocument {
  return "kernel" in one && one.kernel === "attention";
}

function isToken(one: CaseDocument): one is TokenDocument {
  return "kernel" in one && one.kernel === "token";
}
