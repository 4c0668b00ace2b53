// SPDX-License-Identifier: Apache-2.0
// The search itself: a method proposes the next candidate from the evaluated ones. There are two
// objectives, both positive and both minimised.

import { present } from "../../base/present.ts";
import type { Point } from "./front.ts";
import { featuresOf, type Design, type Space } from "./space.ts";

/** The designs that may be evaluated. */
export interface Candidates {
  readonly space: Space;
  readonly designs: readonly Design[];
  /** A row of numbers in 0 .. 1 a design. */
  readonly features: readonly (readonly number[])[];
}

/** An evaluated candidate; null where it turned out not to work. */
export interface Observation {
  readonly index: number;
  readonly objectives: Point | null;
}

/** A running search. */
export interface Guide {
  /** The candidates to begin with, at most `count`. */
  readonly first: (count: number) => readonly number[];
  /** The candidate to evaluate next, never one of `seen`. */
  readonly next: (seen: readonly Observation[]) => number;
}

export interface SearchMethod {
  readonly name: string;
  /** Begins a search; `seed` decides every random choice. */
  readonly begin: (candidates: Candidates, seed: number) => Guide;
}

export interface SearchPlan {
  readonly method: SearchMethod;
  readonly candidates: Candidates;
  readonly evaluate: (design: Design, index: number) => Promise<Point | null> | Point | null;
  /** Candidates evaluated before the method learns anything. */
  readonly initial: number;
  /** Candidates evaluated after that, one at a time. */
  readonly iterations: number;
  readonly seed: number;
  /** Called with each evaluated candidate. */
  readonly onObservation?: (observation: Observation) => void;
}

export function candidatesOf(space: Space, designs: readonly Design[]): Candidates {
  return { space, designs, features: designs.map((design) => featuresOf(space, design)) };
}

/** Evaluates `initial + iterations` candidates, or all of them, in the order of the method. */
export async function search(plan: SearchPlan): Promise<readonly Observation[]> {
  const { candidates, evaluate, initial, iterations, method, onObservation, seed } = plan;
  const guide = method.begin(candidates, seed);
  const seen: Observation[] = [];
  const look = async (index: number): Promise<void> => {
    const objectives = await evaluate(candidates.designs[index] ?? [], index);
    seen.push({ index, objectives });
    onObservation?.({ index, objectives });
  };
  const total = Math.min(initial + iterations, candidates.designs.length);
  for (const index of guide.first(Math.min(initial, total))) await look(index);
  while (seen.length < total) {
    const learned = seen.some(({ objectives }) => objectives !== null);
    await look(learned ? guide.next(seen) : present(unevaluated(candidates, seen)[0]));
  }
  return seen;
}

/** The candidates that have not been evaluated, in order. */
export function unevaluated(
  { designs }: Candidates,
  seen: readonly Observation[],
): readonly number[] {
  const known = new Set(seen.map(({ index }) => index));
  return designs.flatMap((_, i) => (known.has(i) ? [] : [i]));
}
