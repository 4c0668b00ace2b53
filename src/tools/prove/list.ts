// SPDX-License-Identifier: Apache-2.0
// Every harness with its properties, and their selection by names on a command line.

import { inputError, NeardataError } from "../../base/errors.ts";
import { didYouMean } from "../../base/nearest.ts";
import { formatValue } from "../../base/format-value.ts";
import { commonHarnesses } from "./properties/common.ts";
import { arithmeticHarnesses } from "./properties/arithmetic.ts";
import { datapathHarnesses } from "./properties/datapath.ts";
import { descriptorHarnesses } from "./properties/descriptors.ts";
import { frontHarnesses } from "./properties/front.ts";
import { headHarnesses } from "./properties/heads.ts";
import { kernelHarnesses } from "./properties/kernel.ts";
import { portHarnesses } from "./properties/ports.ts";
import { queueHarnesses } from "./properties/queues.ts";
import { streamHarnesses } from "./properties/streams.ts";
import { topkHarnesses } from "./properties/topk.ts";
import { walkerHarnesses } from "./properties/walkers.ts";
import { gateProofs } from "./properties/gates.ts";
import type { GateProof } from "./clocks/types.ts";
import { netlists, type NetlistProof } from "./netlists/list.ts";
import type { EngineKind, Harness } from "./types.ts";

export const harnesses: readonly Harness[] = [
  ...commonHarnesses,
  ...queueHarnesses,
  ...descriptorHarnesses,
  ...streamHarnesses,
  ...frontHarnesses,
  ...headHarnesses,
  ...walkerHarnesses,
  ...kernelHarnesses,
  ...topkHarnesses,
  ...portHarnesses,
  ...arithmeticHarnesses,
  ...datapathHarnesses,
];

/** Which of the list are meant. */
export interface Choice {
  readonly names: readonly string[];
  readonly quick: boolean;
  readonly engine: EngineKind | "registers" | "gate" | null;
}

/** The selected harnesses and netlists. */
export interface Chosen {
  readonly harnesses: readonly Harness[];
  readonly netlists: readonly NetlistProof[];
  readonly gates: readonly GateProof[];
}

/** @throws NeardataError `bad-input` that lists all unknown names */
export function chosen({ names, quick, engine }: Choice): Chosen {
  const unknown = names.filter(
    (name) =>
      !harnesses.some((h) => matches(h, name)) &&
      !netlists.some((n) => isNetlist(n, name)) &&
      !gateProofs.some((g) => isGate(g, name)),
  );
  if (unknown.length > 0) {
    const all = [...harnesses, ...netlists, ...gateProofs].map(({ name }) => name);
    const issues = unknown.map((name) => ({
      where: "prove",
      message: `nothing in the list is named ${formatValue(name)}.${didYouMean(name, all)}`,
    }));
    throw new NeardataError("bad-input", issues);
  }
  const meant = harnesses.filter(
    (h) =>
      (names.length === 0 || names.some((name) => matches(h, name))) &&
      (!quick || h.quick) &&
      (engine === null || h.engine.kind === engine),
  );
  const slices = netlists.filter(
    (n) =>
      (names.length === 0 || names.some((name) => isNetlist(n, name))) &&
      (!quick || n.quick) &&
      (engine === null || engine === "registers"),
  );
  const gates = gateProofs.filter(
    (g) =>
      (names.length === 0 || names.some((name) => isGate(g, name))) &&
      (!quick || g.quick) &&
      (engine === null || engine === "gate"),
  );
  if (meant.length + slices.length + gates.length === 0)
    throw inputError("prove", "no property of the list is of all these.");
  return { harnesses: meant, netlists: slices, gates };
}

/** A name is that of a gate's proof, of the unit behind it, or the area of all. */
function isGate({ name, module }: GateProof, given: string): boolean {
  return [name, module, "gates"].includes(given);
}

/** A name is that of a slice's netlist, or the area of all. */
function isNetlist({ name }: NetlistProof, given: string): boolean {
  return name === given || given === "netlists";
}

/** A name is that of a harness, a module, or an area. */
function matches(harness: Harness, name: string): boolean {
  return [harness.name, harness.module, harness.area].includes(name);
}
