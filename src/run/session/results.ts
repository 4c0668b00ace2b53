// SPDX-License-Identifier: Apache-2.0
// The results of a scenario as a program has them: the content of results.json, with the kind of each case.

import type { TokenDocument } from "../../lm/token/token-metrics.ts";
import type {
  AttentionDocument,
  ExpertDocument,
  ResultContent,
} from "../../report/saved/document.ts";

/** A case by its kind. */
export type ScenarioCase =
  | ({ readonly kind: "expert" } & ExpertDocument)
  | ({ readonly kind: "attention" } & AttentionDocument)
  | ({ readonly kind: "token" } & TokenDocument);

/** The content of results.json; `resultHash` does not cover the kinds. */
export interface ScenarioResults extends Omit<ResultContent, "cases"> {
  readonly cases: readonly ScenarioCase[];
}

/** The same content, with kinds. */
export function kindsOf(content: ResultContent): ScenarioResults {
  return { ...content, cases: content.cases.map(caseOf) };
}

function caseOf(one: ResultContent["cases"][number]): ScenarioCase {
  if (!("kernel" in one)) return { kind: "expert", ...one };
  if (one.kernel === "attention") return { kind: "attention", ...one };
  return { kind: "token", ...one };
}
