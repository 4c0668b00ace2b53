// SPDX-License-Identifier: Apache-2.0
// Finds the fact for a case.

import { facts } from "./catalogue.ts";
import type { Fact } from "../experiment/fact.ts";

export interface Question {
  readonly kind: string;
  readonly where: string;
  readonly what: string;
  readonly published: number | null;
}

/** Weight of an equal published number against one equal word. */
const numberWeight = 4;

/**
 * The fact of the same paper that shares most: the published number and the words of place and
 * subject. Null when neither the number nor at least half of the fact's words agree.
 */
export function findFact(question: Question): Fact | null {
  const words = wordsOf(`${question.where} ${question.what}`);
  let best: Fact | null = null;
  let most = 0;
  for (const fact of facts) {
    if (fact.paper !== question.kind) continue;
    const factWords = wordsOf(`${fact.where} ${fact.what}`);
    const common = factWords.filter((word) => words.includes(word)).length / factWords.length;
    const sameNumber = fact.published === question.published;
    if (question.published !== null && !sameNumber) continue;
    if (common < (sameNumber && question.published !== null ? 0 : 0.5)) continue;
    const score = (sameNumber ? numberWeight : 0) + common;
    if (score <= most) continue;
    best = fact;
    most = score;
  }
  return best;
}

function wordsOf(text: string): readonly string[] {
  return [...new Set(text.toLowerCase().match(/[a-z0-9.]+/g) ?? [])];
}
