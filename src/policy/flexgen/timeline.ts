// SPDX-License-Identifier: Apache-2.0
// FlexGen's block schedule as tasks (figure 4 and algorithm 1): the layers of one step over all GPU
// batches, with the weights of the next layer, the cache of the next batch and the results of the
// one before moving while a batch computes.

import type { Task } from "../../host/timeline.ts";
import { scale, type Seconds } from "../../units.ts";
import type { TermName } from "./cost.ts";

type Phase = "prefill" | "decode";

/** The tasks of `layers` layers; each term of a layer is spread over the batches of the block. */
export function blockTasks(
  terms: Readonly<Record<TermName, Seconds>>,
  phase: Phase,
  layers: number,
  batches: number,
): readonly Task[] {
  const part = (name: "ctog" | "gtoc" | "dtoc" | "ctod" | "comp"): Seconds =>
    scale(terms[`${name}_${phase === "prefill" ? "p" : "g"}`], 1 / batches);
  const count = layers * batches;
  const id = (what: string, i: number): string =>
    `${what} layer ${Math.floor(i / batches)} batch ${i % batches}`;
  const all = Array.from({ length: count }, (_, i) => i);
  return all.flatMap((i): readonly Task[] => {
    // A buffer each for this batch and the next: loading waits for the batch two before.
    const buffer = i < 2 ? [] : [id("compute", i - 2)];
    return [
      { id: id("read", i), device: "disk to CPU", time: part("dtoc"), after: buffer },
      { id: id("load", i), device: "CPU to GPU", time: part("ctog"), after: [id("read", i)] },
      { id: id("compute", i), device: "GPU and CPU", time: part("comp"), after: [id("load", i)] },
      { id: id("store", i), device: "GPU to CPU", time: part("gtoc"), after: [id("compute", i)] },
      { id: id("write", i), device: "CPU to disk", time: part("ctod"), after: [id("store", i)] },
    ];
  });
}
