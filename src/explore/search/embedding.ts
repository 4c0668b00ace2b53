// SPDX-License-Identifier: Apache-2.0
// What stands between a design's features and the kernel, as levels of a network: which value sees
// which. A tree of parts is a network in which a part sees its own children and nothing else.

import type { Part, Space } from "./space.ts";

/** tanh(inputs x weights + bias); inputs are the features and then all values of earlier levels. */
export interface Level {
  /** For each input, which outputs see it. */
  readonly mask: readonly (readonly boolean[])[];
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

interface PlacedPart {
  readonly part: Part;
  readonly height: number;
  /** Place of its first value among all inputs. */
  readonly at: number;
}

/**
 * The deep tree kernel's network (LLMShare, equation 2): h_v = phi_v(concat of the children's h),
 * `width` values a part, every part with weights of its own. A level holds the parts of one height.
 */
export function treeLevels({ parameters, tree }: Space, width: number): Embedding {
  const names = parameters.map(({ name }) => name);
  const parts = partsOf(tree);
  const heights = [...new Set(parts.map(heightOf))].toSorted((a, b) => a - b);
  const placed: PlacedPart[] = [];
  const levels: Level[] = [];
  for (const height of heights) {
    const inputs = names.length + placed.length * width;
    const here = parts.filter((part) => heightOf(part) === height);
    const sees = here.map((part) => inputsOf(part, names, placed, width));
    levels.push({
      mask: Array.from({ length: inputs }, (_, i) =>
        sees.flatMap((own) => Array.from({ length: width }, () => own.has(i))),
      ),
    });
    here.forEach((part, i) => placed.push({ part, height, at: inputs + i * width }));
  }
  return { inputs: names.length, levels };
}

function partsOf(part: Part): readonly Part[] {
  return [part, ...part.children.flatMap((c) => (typeof c === "string" ? [] : partsOf(c)))];
}

function heightOf(part: Part): number {
  return 1 + Math.max(0, ...part.children.map((c) => (typeof c === "string" ? 0 : heightOf(c))));
}

function inputsOf(
  part: Part,
  names: readonly string[],
  placed: readonly PlacedPart[],
  width: number,
): ReadonlySet<number> {
  return new Set(
    part.children.flatMap((child) => {
      if (typeof child === "string") {
        const at = names.indexOf(child);
        if (at < 0) throw new RangeError(`no parameter of the space is called ${child}.`);
        return [at];
      }
      const { at } = placed.find((p) => p.part === child) ?? { at: -1 };
      return Array.from({ length: width }, (_, i) => at + i);
    }),
  );
}
