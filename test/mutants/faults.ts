// SPDX-License-Identifier: Apache-2.0
// The possible faults of a file, each with its name and with its text. The text has no line number, so the
// reasons of equivalent faults remain valid if other lines of the file change.

import { mutantName, type Mutant } from "./mutant.ts";
import { tokenMutants } from "./tokens.ts";
import { typescriptMutants } from "./typescript.ts";

export interface Fault {
  readonly mutant: Mutant;
  /** Sampling orders faults by name. */
  readonly name: string;
  /**
   * The file and the lines of the fault, with `{a -> b}` where `a` became `b`. Of equal texts in a file, the
   * second ends in ` #2`, the third in ` #3`.
   */
  readonly text: string;
}

function textOf({ file, start, end, text }: Mutant, source: string): string {
  const first = source.lastIndexOf("\n", start - 1) + 1;
  const last = source.indexOf("\n", end);
  const before = source.slice(first, start);
  const after = source.slice(end, last < 0 ? source.length : last);
  const lines = `${before}{${source.slice(start, end).trimStart()} -> ${text}}${after}`;
  return `${file}: ${lines.replaceAll(/\s+/g, " ").trim()}`;
}

export function faultsOf(file: string, source: string): readonly Fault[] {
  const counts = new Map<string, number>();
  return (file.endsWith(".ts") ? typescriptMutants : tokenMutants)(file, source).map((mutant) => {
    const text = textOf(mutant, source);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    const name = mutantName(mutant, source);
    return { mutant, name, text: count === 1 ? text : `${text} #${String(count)}` };
  });
}
