// SPDX-License-Identifier: Apache-2.0
// The network between a design's features and the kernel: its levels and their connections. A tree
// of parts is a network in which a part has connections only to its children.

import type { Part, Space } from "./space.ts";

/** tanh(inputs x weights + bias); inputs are the features and then all values of earlier levels. */
export interface Level {
  /** For each input, which outputs see it. */
  readonly mask: readonly (readonly boolean[])[];
  /** The input that each output begins as; without it weights begin at random. */
  readonly passes?: readonly number[];
}

/** Without levels the features themselves, each with a scale of its own. */
export interface Embedding {
  readonly inputs: number;
  readonly levels: readonly Level[];
}

/** Every feature has its own scale: an ordinary kernel with a length a parameter. */
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

/** Inputs that a part's values lie at. */
type Embeddings = ReadonlyMap<Part, readonly number[]>;

/**
 * The deep tree kernel's network (LLMShare, equation 2): h_v = phi_v(concat of the children's h),
 * every part with weights of its own. A part has as many values as there are parameters below it and
 * begins by passing them on, so that the kernel begins as one over the parameters and learns what
 * parts make of them. A level holds the parts of one height.
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

/** Where the values of a part's children lie. */
function inputsOf(part: Part, names: readonly string[], places: Embeddings): readonly number[] {
  return part.children.flatMap((child) => {
    if (typeof child !== "string") return places.get(child) ?? [];
    const at = names.indexOf(child);
    if (at < 0) throw new RangeError(`no parameter of the space is called ${child}.`);
    return [at];
  });
}
