// SPDX-License-Identifier: Apache-2.0
// Functions with which the files in `properties` list harnesses. A property is a row of label, claim, and the text of
// the injected fault before and after.

import type { Engine, Harness, Property } from "./types.ts";

export const pdr: Engine = { kind: "pdr" };
export const induction: Engine = { kind: "induction" };

/** `steps` counts the first cycle. */
export function window(steps: number): Engine {
  return { kind: "window", steps };
}

export function bounded(steps: number): Engine {
  return { kind: "bounded", steps };
}

type Row = readonly [label: string, claim: string, from: string, to: string];

/** Properties whose faults are injected into `module`. */
export function properties(module: string, rows: readonly Row[]): readonly Property[] {
  return rows.map(([label, claim, from, to]) => ({ label, claim, fault: { module, from, to } }));
}

type Optional = "top" | "parameters" | "smaller" | "contracts" | "separately" | "seconds" | "quick";
type Given = Omit<Harness, Optional> & Partial<Pick<Harness, Optional>>;

/**
 * A harness of the module `prove_NAME` with default settings: unchanged constants, all properties
 * decided together, in the quick set, one minute per solver.
 */
export function harness(given: Given): Harness {
  const { name } = given;
  const usual = {
    parameters: {},
    smaller: [],
    contracts: false,
    separately: false,
    seconds: 60,
    quick: true,
  };
  return { top: `prove_${name}`, ...usual, ...given };
}
