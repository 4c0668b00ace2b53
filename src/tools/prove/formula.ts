// SPDX-License-Identifier: Apache-2.0
// Formulas in conjunctive normal form, and the input languages of the solvers: z3 reads DIMACS; cvc5 reads SMT-LIB,
// with bits as vectors of width one, so that it passes them to its SAT solver directly.

import { present } from "../../base/present.ts";

/** Numbers of variables, negative ones inverted. */
export type Clause = readonly number[];

export interface Formula {
  readonly variables: number;
  readonly clauses: readonly Clause[];
}

export function dimacs({ variables, clauses }: Formula): string {
  const lines = clauses.map((clause) => `${clause.join(" ")} 0`);
  return [`p cnf ${String(variables)} ${String(clauses.length)}`, ...lines, ""].join("\n");
}

/** The variables that are true in a model of z3. */
export function chosenBy(text: string): ReadonlySet<number> {
  const rows = [...text.matchAll(/^v (.*)$/gm)];
  return new Set(rows.flatMap(([, row = ""]) => row.trim().split(/\s+/).map(Number)));
}

export function parseDimacs(text: string): Formula {
  const lines = text.split("\n").filter((line) => /^-?\d/.test(line));
  const clauses = lines.map((line) => line.trim().split(/\s+/).slice(0, -1).map(Number));
  const variables = Number(/^p cnf (\d+)/m.exec(text)?.[1] ?? 0);
  return { variables, clauses };
}

export function smtLib({ variables, clauses }: Formula): string {
  const bit = (literal: number): string =>
    literal > 0 ? `v${String(literal)}` : `(bvnot v${String(-literal)})`;
  const disjunction = (clause: Clause): string =>
    clause.length === 0
      ? "#b0"
      : clause.length === 1
        ? bit(present(clause[0]))
        : `(bvor ${clause.map(bit).join(" ")})`;
  return [
    "(set-logic QF_BV)",
    ...Array.from(
      { length: variables },
      (_, i) => `(declare-const v${String(i + 1)} (_ BitVec 1))`,
    ),
    ...clauses.map((clause) => `(assert (= #b1 ${disjunction(clause)}))`),
    "(check-sat)",
    "",
  ].join("\n");
}
