// SPDX-License-Identifier: Apache-2.0
// The space of a search: parameters with finite lists of values, and the hardware as a tree that
// groups the parameters.

import type { Draws } from "../../base/draws.ts";
import { present } from "../../base/present.ts";

export interface Parameter {
  readonly name: string;
  /** Legal values in ascending order. */
  readonly values: readonly number[];
}

/** A part of the hardware: made of other parts and of parameters, the latter by name. */
export interface Part {
  readonly name: string;
  readonly children: readonly (Part | string)[];
}

export interface Space {
  readonly parameters: readonly Parameter[];
  readonly tree: Part;
}

/** One value a parameter, in the order of the parameters. */
export type Design = readonly number[];

/** A random design, with every value equally likely. */
export function drawDesign({ parameters }: Space, { integer }: Draws): Design {
  return parameters.map(({ values }) => present(values[integer(values.length)]));
}

/**
 * The position of each value in its list, from 0 (first) to 1 (last): the inputs of the surrogates.
 * For lists of doubling values it is proportional to the logarithm.
 */
export function featuresOf({ parameters }: Space, design: Design): readonly number[] {
  return parameters.map(({ values }, i) =>
    values.length === 1 ? 0.5 : values.indexOf(present(design[i])) / (values.length - 1),
  );
}
