// SPDX-License-Identifier: Apache-2.0
// One experiment a paper: its figures that follow from its other figures.

import { facts } from "./catalogue.ts";
import type { Fact, Paper } from "../experiment/fact.ts";
import type { Experiment } from "../experiment/experiment.ts";
import { notComparable, compareNumber, type Finding } from "../experiment/finding.ts";

/** Facts that are not findings, and why. */
const leftOut: readonly (readonly [ids: RegExp, why: string])[] = [
  [
    /^lia\/(share-\d+|enlarged-\d+|enlarged-gain|decode-switch|prefill-switch)$/,
    "judged in table 3 and figure 9: no number counts twice",
  ],
  [
    /^lia\/(ddr-cost|cxl-cost)$/,
    "judged in section 8: 560 GB is 6300 $ over the price, not printed",
  ],
  [
    /^flexgen\/(175b-512|175b-512-32x1|175b-1024|30b-512|30b-512-0|30b-1024|frontier)$/,
    "judged in tables 2 and 5 and figure 1",
  ],
  [/^instinfer\/(over-flexgen|drop)$/, "judged in figure 12"],
  [/^trimoe\/(utilisation|migration)$/, "judged in table 3 and section 5.5"],
  [/^lia\/overlap-\d+$/, "judged in table 4"],
  [/^flexgen\/no-overlap$/, "judged in table 5"],
  [/^(lia\/ddr-peak|flexgen\/175b-256)$/, "of a data sheet or the released code, not of the paper"],
];
/** Facts whose value requires a constant that was calibrated elsewhere in the paper. */
const calibrated = new Set(["lia/ipex"]);
/** Printed numbers that contradict the paper's own inputs, with the contradiction. */
const contradictions: Readonly<Record<string, string>> = {
  "instinfer/kv-175b":
    "the paper scales the number of 13B with the parameter count; the cache scales with layers and width",
};

function findingOf(fact: Fact): Finding | null {
  const { published } = fact;
  if (published === null || leftOut.some(([ids]) => ids.test(fact.id))) return null;
  const what = `${fact.where}: ${fact.what}`;
  const why = contradictions[fact.id];
  if (why !== undefined) return notComparable(what, published, fact.value(), fact.unit, why);
  const kind = calibrated.has(fact.id) ? "C" : "A";
  return compareNumber(what, {
    published: textOf(published),
    ours: fact.value(),
    unit: fact.unit,
    kind,
  });
}

/** The number in the notation of papers: large counts with their power of ten. */
function textOf(published: number): string {
  return published >= 1e12 ? published.toExponential().replace("e+", "e") : String(published);
}

export function arithmeticOf(paper: Paper): Experiment {
  return {
    id: `${paper}/arithmetic`,
    paper,
    title: "Figures that follow from other figures",
    run: () => ({
      findings: facts.filter((f) => f.paper === paper).flatMap((f) => findingOf(f) ?? []),
      blocks: [],
      timeline: [],
    }),
  };
}
