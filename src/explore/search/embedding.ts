// SPDX-License-Identifier: Apache-2.0
// The network between a design's features and the kernel: its levels and their connections. A tree
// of parts is a network in which a part has connections only to its children.

import type { Part, Space } from "./space.ts";

/** tanh(inputs x weights + bias); inputs are the features and then all values of earlier levels. */
export interface Level {
  /** For each input, whether each output depends on it. */
  readonly mask: readonly (readonly boolean[])[];
  /** The input that each output begins as; without it weights begin at random. */
  readonly passes?: readonly number[];
}

/** Without levels the embedding is the features themselves, each with a separate scale. */
export interface Embedding {
  readonly inputs: number;
  readonly levels: readonly Level[];
}

/** A separate scale for every feature: an ordinary kernel with one length scale per parameter. */
export function scaledFeatures(inputs: number): Embedding {
  return { inputs, levels: [] };
}

/** Fully connected levels of these widths: deep kernel learning. */
export function denseLevels(inputs: number, widths: readonly number[]): Embedding {
  const before = (level: number): number => widths.slice(0, level).reduce((a, b) => a + b, inputs);
  const levels = widths.map((width, level) => {
    const previous = level === 0 ? 0 : before(level - 1);
    return {
      mask: Array.from({ length: before(level) }, (_, i) =>
        Array.from({ length: width }, () => i >= previous),
      ),
    };
  });
  return { inputs, levels };
}

/** The inputs that contain the values of a part. */
type Embeddings = ReadonlyMap<Part, readonly number[]>;

/**
 * The deep tree kernel's network (LLMShare, equation 2): h_v = phi_v(concat of the children's h),
 * with separate weights for every part. A part has as many values as there are parameters below it
 * and initially passes them on. The kernel therefore starts as a kernel over the parameters and
 * learns the functions of the parts. A level contains the parts of one height.
 */
export function treeLevels({ parameters, tree }: Space): Embedding {
  const names = parameters.map(({ name }) => name);
  const parts = partsOf(tree);
  const heights = [...new Set(parts.map(heightOf))].toSorted((a, b) => a - b);
  const places = new Map<Part, readonly number[]>();
  const levels: Level[] = [];
  let inputs = names.length;
  for (const height of heights) {
    const here = parts.filter((part) => heightOf(part) === height);
    const seen = here.map((part) => inputsOf(part, names, places));
    const passes = seen.flat();
    levels.push({
      passes,
      mask: Array.from({ length: inputs }, (_, i) =>
        seen.flatMap((set) => set.map(() => set.includes(i))),
      ),
    });
    for (const [i, part] of here.entries()) {
      const members = seen[i] ?? [];
      places.set(
        part,
        members.map((_, k) => inputs + k),
      );
      inputs += members.length;
    }
  }
  return { inputs: names.length, levels };
}

function partsOf(part: Part): readonly Part[] {
  return [part, ...part.children.flatMap((c) => (typeof c === "string" ? [] : partsOf(c)))];
}

function heightOf(part: Part): number {
  return 1 + Math.max(0, ...part.children.map((c) => (typeof c === "string" ? 0 : heightOf(c))));
}

/** The inputs that contain the values of a part's children. */
function inputsOf(part: Part, names: readonly string[], places: Embeddings): readonly number[] {
  return part.children.flatMap((child) => {
    if (typeof child !== "string") return places.get(child) ?? [];
    const at = names.indexOf(child);
    if (at < 0) throw new RangeError(`no parameter of the space is called ${child}.`);
    return [at];
  });
}
