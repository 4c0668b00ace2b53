// SPDX-License-Identifier: Apache-2.0
// An experiment redoes one table or figure of a paper: what was published, what we get, how the two may
// be compared, and what came of it.

import type { Figure, Prose, Table } from "../report/page.ts";
import type { Span } from "../report/perfetto.ts";
import type { Paper } from "../policy/facts/fact.ts";

/**
 * A: follows by arithmetic from printed numbers. C: needs one constant calibrated on another number of
 * the paper. S: only order, sign or ratio can be compared. X: the printed number contradicts others.
 */
export type ComparisonClass = "A" | "C" | "S" | "X";

/** Agreement within a tolerance or range, a difference, or nothing that could agree. */
export type Verdict = "holds" | "differs" | "not comparable";

export interface Finding {
  readonly what: string;
  /** As printed; a range where the paper prints one. */
  readonly published: number | string | null;
  readonly ours: number;
  readonly unit: string;
  readonly class: ComparisonClass;
  /** What counts as agreement. */
  readonly rule: string;
  readonly verdict: Verdict;
  /** Why they differ or cannot be compared; empty when there is nothing to say. */
  readonly note: string;
}

export interface Outcome {
  readonly findings: readonly Finding[];
  readonly blocks: readonly (Figure | Table | Prose)[];
  /** Which device ran what when; empty where nothing runs. */
  readonly timeline: readonly Span[];
}

export interface Experiment {
  /** Such as `trimoe/figure-6`. */
  readonly id: string;
  readonly paper: Paper;
  readonly title: string;
  readonly run: () => Outcome;
}

/** An experiment on the simulated machine instead of the equations. It takes seconds to minutes. */
export interface SimulatedExperiment extends Omit<Experiment, "run"> {
  readonly run: () => Promise<Outcome>;
}

/** A number against a published one, within a relative tolerance. */
export function within(
  what: string,
  published: number,
  ours: number,
  unit: string,
  kind: "A" | "C",
  tolerance: number,
  note: string = "",
): Finding {
  const holds = Math.abs(ours / published - 1) <= tolerance;
  return {
    what,
    published,
    ours,
    unit,
    class: kind,
    rule: tolerance < 1e-6 ? "equal" : `within ${Number((100 * tolerance).toPrecision(2))} %`,
    verdict: holds ? "holds" : "differs",
    note,
  };
}

/** A count that must be whole: nothing was published, another of our models says what is right. */
export function every(what: string, ours: number, of: number, unit: string): Finding {
  return {
    what,
    published: null,
    ours,
    unit,
    class: "A",
    rule: `all ${of}`,
    verdict: ours === of ? "holds" : "differs",
    note: "",
  };
}

/** A shape: our number must lie in a range that the paper's statement allows. */
export function shape(
  what: string,
  published: number | string | null,
  ours: number,
  unit: string,
  [low, high]: readonly [number, number],
  note: string = "",
): Finding {
  return {
    what,
    published,
    ours,
    unit,
    class: "S",
    rule: high === Infinity ? `at least ${shown(low)}` : `${shown(low)} to ${shown(high)}`,
    verdict: ours >= low && ours <= high ? "holds" : "differs",
    note,
  };
}

function shown(bound: number): number {
  return Number(bound.toPrecision(3));
}

/** A printed number that other printed numbers contradict: shown, never judged. */
export function contradicted(
  what: string,
  published: number | string,
  ours: number,
  unit: string,
  note: string,
): Finding {
  return { what, published, ours, unit, class: "X", rule: "none", verdict: "not comparable", note };
}

/** True when every number that follows from printed ones, or after one calibration, agrees. */
export function agrees(findings: readonly Finding[]): boolean {
  return findings.every((finding) => finding.class === "S" || finding.verdict !== "differs");
}
