// SPDX-License-Identifier: Apache-2.0
// One file per case: a JSON document with the subject, the reason to store it, and the fields that
// are not minimal.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Case, Subject } from "./subject.ts";

interface CorpusCase {
  readonly why: string;
  readonly subject: string;
  readonly case: Case;
}

/** The document of a case. */
export function corpusText({ fields, name }: Subject, one: Case, why: string): string {
  const changed = Object.entries(one).filter(([field, value]) => value !== fields[field]?.[0]);
  const kept: CorpusCase = { why, subject: name, case: Object.fromEntries(changed) };
  return `${JSON.stringify(kept, null, 2)}\n`;
}

/** Every case of the subject in a directory, whole, by file name. */
export function readCorpus(
  directory: string,
  { fields, name }: Subject,
): ReadonlyMap<string, Case> {
  const least = Object.fromEntries(Object.entries(fields).map(([field, [low]]) => [field, low]));
  const cases = new Map<string, Case>();
  for (const file of readdirSync(directory).sort()) {
    const kept = JSON.parse(readFileSync(join(directory, file), "utf8")) as CorpusCase;
    const unknown = Object.keys(kept.case).filter((field) => !Object.hasOwn(fields, field));
    if (kept.subject !== name) continue;
    if (unknown.length > 0) throw new Error(`${file}: ${name} has no field ${unknown.join(", ")}`);
    cases.set(file, { ...least, ...kept.case });
  }
  return cases;
}
