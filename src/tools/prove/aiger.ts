// SPDX-License-Identifier: Apache-2.0
// And-inverter graphs in the format of ABC (binary AIGER) with the invariant that ABC found, and the formula that is
// unsatisfiable when the invariant proves the property. This checks the proof independently: it uses only the graph and
// the invariant of ABC.

import { NeardataError } from "../../base/errors.ts";
import { present } from "../../base/present.ts";
import type { Clause, Formula } from "./formula.ts";

/** Literals are 2 * variable + inverted; variable 0 is false, then inputs, then latches. */
export interface Graph {
  readonly inputs: number;
  /** The literal of each latch's next state; latches are 0 initially. */
  readonly latches: readonly number[];
  readonly outputs: readonly number[];
  /** Operands of each gate, in order of the variables behind the latches. */
  readonly gates: readonly (readonly [number, number])[];
}

/** @throws NeardataError `build-failed` for anything but a binary AIGER file. */
export function parseAiger(bytes: Uint8Array): Graph {
  let place = 0;
  const line = (): string => {
    const end = bytes.indexOf(10, place);
    const text = Buffer.from(bytes.subarray(place, end)).toString("latin1");
    place = end + 1;
    return text;
  };
  const delta = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = present(bytes[place]);
      place += 1;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  const [magic, ...header] = line().split(" ");
  const [, inputs = 0, latchCount = 0, outputCount = 0, gateCount = 0] = header.map(Number);
  if (magic !== "aig") throw new NeardataError("build-failed", "ABC left no AIGER file");
  const firsts = (count: number): number[] =>
    Array.from({ length: count }, () => Number(line().split(" ")[0]));
  const latches = firsts(latchCount);
  const outputs = firsts(outputCount);
  const gates = Array.from({ length: gateCount }, (_, i): [number, number] => {
    const gateLiteral = 2 * (inputs + latchCount + 1 + i);
    const left = gateLiteral - delta();
    return [left, left - delta()];
  });
  return { inputs, latches, outputs, gates };
}

/** A set of states that are never reached: latches with the values that they have there. */
export type Cube = readonly (readonly [latch: number, value: boolean])[];

/**
 * The invariant in ABC's PLA form: the latches that it speaks of (`lo12` is latch 12), and a row for
 * each cube that is excluded.
 */
export function parseInvariant(text: string): readonly Cube[] {
  const [, named = ""] = /^\.ilb (.*)$/m.exec(text) ?? [];
  const latches = named.split(" ").map((name) => Number(name.replace(/^lo/, "")));
  const rows = text.split("\n").filter((line) => /^[01-]+ 1$/.test(line));
  return rows.map((row) =>
    latches.flatMap((latch, place): Cube => {
      const value = row.charAt(place);
      return value === "-" ? [] : [[latch, value === "1"]];
    }),
  );
}

/**
 * A formula that is unsatisfiable if the invariant is true initially, is inductive, and excludes
 * every state in which an output is true. Null if the invariant is false initially, with all
 * latches 0.
 */
export function certificate(graph: Graph, excluded: readonly Cube[]): Formula | null {
  if (excluded.some((cube) => cube.every(([, value]) => !value))) return null;
  const first = 1 + graph.inputs;
  const firstGate = first + graph.latches.length;
  let variables = firstGate + graph.gates.length - 1;
  // Literals of AIGER as those of a formula; false is the variable that is left over.
  const never = (variables += 1);
  const literal = (aiger: number): number => {
    const variable = aiger >> 1 === 0 ? never : aiger >> 1;
    return aiger % 2 === 1 ? -variable : variable;
  };
  const clauses: Clause[] = [[-never]];
  graph.gates.forEach(([left, right], i) => {
    const [gate, a, b] = [firstGate + i, literal(left), literal(right)];
    clauses.push([-gate, a], [-gate, b], [gate, -a, -b]);
  });
  for (const cube of excluded) {
    clauses.push(cube.map(([latch, value]) => (value ? -(first + latch) : first + latch)));
  }
  // An output is true, or the next state is excluded.
  const broken = graph.outputs.map(literal);
  for (const cube of excluded) {
    const reached = (variables += 1);
    broken.push(reached);
    for (const [latch, value] of cube) {
      const next = literal(present(graph.latches[latch]));
      clauses.push([-reached, value ? next : -next]);
    }
  }
  clauses.push(broken);
  return { variables, clauses };
}
