// SPDX-License-Identifier: Apache-2.0
// One experiment a paper: its figures that follow from its other figures.

import { facts } from "../policy/facts/catalogue.ts";
import type { Fact, Paper } from "../policy/facts/fact.ts";
import { contradicted, within, type Experiment, type Finding } from "./experiment.ts";

/** Facts whose value needs a constant that was calibrated elsewhere in the paper. */
const calibrated = /switch|ipex|175b-|30b-/;
/** Printed numbers that contradict the paper's own inputs, and how. */
const contradictions: Readonly<Record<string, string>> = {
  "instinfer/kv-175b":
    "printed by scaling 13B with the parameter count; the cache scales with layers and width",
};

function findingOf(fact: Fact): Finding | null {
  const { published } = fact;
  if (published === null) return null;
  const what = `${fact.where}: ${fact.what}`;
  const why = contradictions[fact.id];
  if (why !== undefined) return contradicted(what, published, fact.value(), fact.unit, why);
  const kind = calibrated.test(fact.id) ? "C" : "A";
  return within(what, published, fact.value(), fact.unit, kind, fact.tolerance);
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
