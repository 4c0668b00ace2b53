// SPDX-License-Identifier: Apache-2.0
// And-inverter graphs that are built gate by gate, with equal gates merged, and their output for solvers: a formula, or
// AIGER for ABC.

import type { Graph } from "../aiger.ts";
import type { Clause, Formula } from "../formula.ts";

/** A combinational graph; literals are those of AIGER, with the inputs first. */
export interface Gates {
  readonly inputs: number;
  readonly and: (left: number, right: number) => number;
  readonly gates: readonly (readonly [number, number])[];
}

export const not = (literal: number): number => literal ^ 1;

export function emptyGates(inputs: number): Gates {
  const gates: (readonly [number, number])[] = [];
  const known = new Map<number, number>();
  const and = (a: number, b: number): number => {
    const [low, high] = a < b ? [a, b] : [b, a];
    if (low === 0 || low === not(high)) return 0;
    if (low === 1 || low === high) return high;
    const key = high * 2 ** 26 + low;
    const literal = known.get(key);
    if (literal !== undefined) return literal;
    gates.push([high, low]);
    const made = 2 * (inputs + gates.length);
    known.set(key, made);
    return made;
  };
  return { inputs, and, gates };
}

/**
 * A bit that may be undefined: whether it may be 1 and whether it may be 0. Of a bit that is defined
 * one is the opposite of the other.
 */
export type Bit = readonly [one: number, zero: number];

export const defined = (literal: number): Bit => [literal, not(literal)];
export const undefinedBit: Bit = [1, 1];

/** True where `literal` is not one of the values that `bit` may have. */
export function differ(gates: Gates, [one, zero]: Bit, literal: number): number {
  return or(gates, gates.and(literal, not(one)), gates.and(not(literal), not(zero)));
}

export function or({ and }: Gates, a: number, b: number): number {
  return not(and(not(a), not(b)));
}

export function anyOfThem(gates: Gates, literals: readonly number[]): number {
  return literals.reduce((a, b) => or(gates, a, b), 0);
}

/**
 * Instantiates `graph` in `into`, given the bits of its inputs and latches. @returns the bits of
 * each literal
 */
export function instantiate(into: Gates, graph: Graph, inputs: readonly Bit[]): (l: number) => Bit {
  const bits: Bit[] = [[0, 1], ...inputs];
  const of = (literal: number): Bit => {
    const [one, zero] = bits[literal >> 1] ?? undefinedBit;
    return literal % 2 === 1 ? [zero, one] : [one, zero];
  };
  for (const [left, right] of graph.gates) {
    const [a, b] = [of(left), of(right)];
    bits.push([into.and(a[0], b[0]), or(into, a[1], b[1])]);
  }
  return of;
}

/** Satisfiable when one of `literals` can be true. */
export function anyOf({ inputs, gates }: Gates, literals: readonly number[]): Formula {
  const never = inputs + gates.length + 1;
  const literal = (aiger: number): number => {
    const variable = aiger >> 1 === 0 ? never : aiger >> 1;
    return aiger % 2 === 1 ? -variable : variable;
  };
  const clauses: Clause[] = [[-never], literals.map(literal)];
  const needed = new Set(literals.map((l) => l >> 1));
  for (let i = gates.length - 1; i >= 0; i -= 1) {
    const variable = inputs + 1 + i;
    if (!needed.has(variable)) continue;
    const [left, right] = gates[i] ?? [0, 0];
    needed.add(left >> 1).add(right >> 1);
    const [a, b] = [literal(left), literal(right)];
    clauses.push([-variable, a], [-variable, b], [variable, -a, -b]);
  }
  return { variables: never, clauses };
}

/**
 * Binary AIGER with `outputs`. With `latches`, which has their next states, the last inputs are
 * latches that are 0 initially.
 */
export function aigerOf(
  { inputs, gates }: Gates,
  outputs: readonly number[],
  latches: readonly number[] = [],
): Buffer {
  const counts = [inputs - latches.length, latches.length, outputs.length, gates.length];
  const lines = [...latches, ...outputs].map(String);
  const head = [`aig ${[inputs + gates.length, ...counts].join(" ")}`, ...lines, ""].join("\n");
  const bytes: number[] = [];
  const put = (delta: number): void => {
    let rest = delta;
    for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128);
    bytes.push(rest);
  };
  gates.forEach(([left, right], i) => {
    put(2 * (inputs + 1 + i) - left);
    put(left - right);
  });
  return Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(bytes)]);
}
