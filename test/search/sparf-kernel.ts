// SPDX-License-Identifier: Apache-2.0
// The SparF kernel as a subject: every ready, valid and event of every cycle of RTL and cycle model,
// and selections and outputs of the golden arithmetic.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import fc from "fast-check";

import { groupsOfHeads } from "../../src/rtl/fast-check/index.ts";
import { buildSparfKernel, type KernelShape } from "../helpers/sparf-kernel.ts";
import { kernelGolden, runKernel, type KernelHead } from "../helpers/sparf-kernel-heads.ts";
import { wordsOf } from "./pairs.ts";
import type { Case, Fields, Subject } from "./subject.ts";

const maxHeads = 5;
const longest = 40;

function fieldsOf({ MaxGroup, Width }: KernelShape): Fields {
  const head = {
    group: [1, MaxGroup],
    tokens: [1, longest],
    dense: [0, 1],
    mean: [0, 1],
    dims: [1, Width],
    take: [1, longest + 3],
    window: [0, longest],
    dimTokens: [0, longest],
    block: [1, 64],
    rows: [1, 8],
    values: [0, 999],
  } as const;
  const heads = Array.from({ length: maxHeads }, (_, i) =>
    Object.entries(head).map(([name, range]) => [`${name}.${String(i)}`, range] as const),
  );
  return {
    heads: [1, maxHeads],
    headPause: [0, 254],
    keyPause: [0, 254],
    valuePause: [0, 254],
    leavingPause: [0, 254],
    traffic: [0, 0xffff],
    ...Object.fromEntries(heads.flat()),
  };
}

/** `replaced` has sources that replace the repository's, by path. */
export async function sparfKernelSubject(
  name: string,
  shape: KernelShape,
  scratch: string,
  replaced?: ReadonlyMap<string, string>,
): Promise<Subject> {
  const bench = await buildSparfKernel(shape, replaced);
  const pairs = join(scratch, `${name}.pairs`);
  return {
    name,
    fields: fieldsOf(shape),
    fits: () => true,
    run: async (one) => {
      const heads = Array.from({ length: one["heads"] ?? 1 }, (_, i) => headOf(shape, one, i));
      const of = (field: string): number => one[field] ?? 0;
      const settings = {
        pauses: [of("headPause"), of("keyPause"), of("valuePause"), of("leavingPause")],
        seed: of("traffic"),
      } as const;
      try {
        const kernelOutcomes = await runKernel(bench, heads, {
          directory: scratch,
          pairs,
          ...settings,
        });
        const different = heads.findIndex(
          (h, i) => !isDeepStrictEqual(kernelOutcomes[i], kernelGolden(h)),
        );
        const words = wordsOf(readFileSync(pairs));
        const wrong =
          different < 0 ? null : `head ${String(different)} is not the golden arithmetic`;
        return { pairs: words, cycles: 0, wrong };
      } catch (error) {
        const wrong = error instanceof Error ? error.message : String(error);
        return { pairs: new Uint32Array(), cycles: 0, wrong };
      }
    },
    close: () => undefined,
  };
}

/** Head `i` of a case, truncated to the kernel's limits. */
function headOf(
  { MaxGroup, MaxKeys, Width: width }: KernelShape,
  one: Case,
  i: number,
): KernelHead {
  const of = (name: string): number => one[`${name}.${String(i)}`] ?? 0;
  const group = Math.min(of("group"), MaxGroup);
  const length = Math.min(of("tokens"), Math.floor(MaxKeys / 8 / group) * 8);
  const [values] = fc.sample(groupsOfHeads({ group, length, width }), {
    seed: of("values"),
    numRuns: 1,
  });
  if (values === undefined) throw new Error("fast-check drew nothing");
  return {
    ...values,
    dense: of("dense") === 1,
    mean: of("mean") === 1,
    r: of("dims"),
    k: Math.min(of("take"), length + 3),
    l: Math.min(of("window"), length),
    layout: [Math.min(of("dimTokens"), length), of("block"), of("rows")],
  };
}
