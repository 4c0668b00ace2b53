// SPDX-License-Identifier: Apache-2.0
// The directory of a downloaded model: config.json, and one .safetensors file, or shards with their
// index. It lists the layers with experts, their formats, and tensors that would be refused.

import { grouped } from "../base/grouped.ts";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { inputError, NeardataError, type Issue } from "../base/errors.ts";
import { tensorLabel } from "../base/format-value.ts";
import { termsOf } from "../golden/low-bit.ts";
import type { Checkpoint } from "../workload/checkpoint.ts";
import { expertNames, type ExpertWeights } from "../workload/expert.ts";
import type { LowBitWeights } from "../workload/low-bit.ts";
import { kindOf } from "../workload/layouts/expert-tensors.ts";
import { bitsPerWeight } from "../workload/ndp/pack-low-bit.ts";
import { ofExpert } from "../workload/unread.ts";
import { placeOnUnit } from "../kernels/ndp/evaluate.ts";
import { expertWithGate } from "./checkpoint.ts";

const plainName = "model.safetensors";

/** The file of weights in a directory: the index of its shards, or its only file. @throws NeardataError. */
export function weightsIn(directory: string): string {
  const files = filesIn(directory);
  const indexes = files.filter((name) => name.endsWith(".safetensors.index.json"));
  const weights = files.filter((name) => name.endsWith(".safetensors"));
  const usual = [`${plainName}.index.json`, plainName];
  const indexFile =
    usual.find((name) => files.includes(name)) ??
    (indexes.length === 1 ? indexes[0] : indexes.length === 0 ? only(weights) : undefined);
  if (indexFile !== undefined) return join(directory, indexFile);
  const list = [...indexes, ...weights].slice(0, 4).join(", ");
  throw inputError(
    directory,
    list === ""
      ? "it has no .safetensors file and no index of shards."
      : `it has ${list} and neither ${usual.join(" nor ")}: --weights chooses a file.`,
  );
}

function only(list: readonly string[]): string | undefined {
  return list.length === 1 ? list[0] : undefined;
}

function filesIn(directory: string): readonly string[] {
  try {
    if (statSync(directory).isDirectory()) return readdirSync(directory).sort();
  } catch (cause) {
    throw inputError(directory, "the directory cannot be read.", cause);
  }
  throw inputError(directory, "it is not a directory.");
}

/** The place of an expert by its name: `model.layers.3.mlp.experts.11` is expert 11 of layer 3. */
interface Place {
  readonly name: string;
  readonly group: string;
  readonly layer: number;
  readonly expert: number;
}

function placesOf(checkpoint: Checkpoint): readonly Place[] {
  return [...new Set(expertNames(checkpoint))].flatMap((name) => {
    const [, group, layer, expert] = /^((?:.*\.)?layers\.(\d+)\..*)\.(\d+)$/.exec(name) ?? [];
    if (group === undefined) return [];
    return [{ name, group, layer: Number(layer), expert: Number(expert) }];
  });
}

/**
 * The name of expert `expert` of layer `layer`.
 * @throws NeardataError `bad-input` if no such expert exists, or more than one
 */
export function expertAt(checkpoint: Checkpoint, layer: number, expert: number): string {
  const all = placesOf(checkpoint);
  const places = all.filter((place) => place.layer === layer);
  const ofExpert = places.filter((place) => place.expert === expert);
  const [first, second] = ofExpert;
  if (first !== undefined && second === undefined) return first.name;
  if (first !== undefined) {
    const names = ofExpert.map(({ name }) => tensorLabel(name)).join(", ");
    throw inputError(
      checkpoint.name,
      `layer ${layer} has ${ofExpert.length} experts ${expert}: ${names}; --weights and --expert choose one.`,
    );
  }
  const numbers = (list: readonly number[]): string => ranges(list);
  const message =
    all.length === 0
      ? "no layer has experts."
      : places.length === 0
        ? `layer ${layer} has no experts; layers with experts: ${numbers(all.map((p) => p.layer))}.`
        : `layer ${layer} has no expert ${expert}; it has ${numbers(places.map((p) => p.expert))}.`;
  throw inputError(checkpoint.name, message);
}

/** Whole numbers such as `0 to 7, 9`. */
function ranges(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  const spans: [number, number][] = [];
  for (const n of sorted) {
    const last = spans.at(-1);
    if (last?.[1] === n - 1) last[1] = n;
    else spans.push([n, n]);
  }
  return spans.map(([a, b]) => (a === b ? String(a) : `${a} to ${b}`)).join(", ");
}

/**
 * The properties of an expert: its format in the file, its codes on the unit, its size and
 * function.
 */
export interface LocatedExpert {
  /** Type of 16 bits, or format of low-bit weights, in the file. */
  readonly stored: string;
  /** Codes that the unit multiplies. */
  readonly codes: string;
  /** Bits that the unit reads for a weight, the mean over the three matrices. */
  readonly bitsPerWeight: number;
  readonly hidden: number;
  readonly intermediate: number;
  readonly activation: string;
  readonly biases: boolean;
}

/** The same as one line. */
export function describeExpert(locatedExpert: LocatedExpert): string {
  const {
    stored,
    codes,
    bitsPerWeight: bits,
    hidden,
    intermediate,
    activation,
    biases,
  } = locatedExpert;
  const as = codes === stored ? "" : ` as ${codes}`;
  const size = `hidden ${hidden}, intermediate ${intermediate}`;
  return `${stored}${as}, ${bits} bits a weight, ${size}, ${activation}${biases ? ", biases" : ""}`;
}

export function locateExpert({
  weights,
  label,
}: {
  readonly weights: ExpertWeights | LowBitWeights;
  readonly label: string;
}): LocatedExpert {
  const { hidden, intermediate, format, biases } = weights;
  const common = { hidden, intermediate, activation: label, biases: biases !== undefined };
  if (!("storage" in weights)) {
    return { stored: format, codes: format, bitsPerWeight: 16, ...common };
  }
  const matrices = [weights.gate, weights.up, weights.down];
  const terms = Math.max(...matrices.map((matrix) => termsOf(matrix).length));
  const { storage, stored = storage } = weights;
  const codes = terms === 1 ? storage : `a sum of ${terms} ${storage}`;
  const bits = matrices.map(bitsPerWeight).reduce((sum, bits) => sum + bits, 0) / matrices.length;
  return { stored, codes, bitsPerWeight: Math.round(bits * 100) / 100, ...common };
}

/** The experts of a layer. */
export interface ListedLayer {
  readonly layer: number;
  /** Name of the first expert. */
  readonly name: string;
  readonly experts: number;
  /** Null where the golden model refuses the first expert. */
  readonly found: LocatedExpert | null;
  /** Reasons for which the golden model rejects the expert, one sentence each. */
  readonly refused: readonly string[];
  /** Reasons for which cycle model and RTL reject it; they include all of `refused`. */
  readonly refusedByUnit: readonly string[];
}

/**
 * The layers of a model that have experts. The first expert of each layer is read whole, unless an earlier
 * layer has tensors of the same names, types and shapes.
 */
export function listedLayers(checkpoint: Checkpoint): readonly ListedLayer[] {
  const groups = grouped(placesOf(checkpoint), ({ group }) => group);
  const known = new Map<string, Pick<ListedLayer, "found" | "refused" | "refusedByUnit">>();
  return groups.map((places) => {
    const first = places.reduce((least, one) => (one.expert < least.expert ? one : least));
    const { name, layer, group } = first;
    const key = signature(checkpoint, name, group);
    const read = known.get(key) ?? readBoth(checkpoint, name);
    known.set(key, read);
    return { layer, name, experts: places.length, ...read };
  });
}

/** Names, types and shapes of an expert's tensors, whichever layer and expert it is. */
function signature(checkpoint: Checkpoint, name: string, group: string): string {
  const matchingTensorNames = checkpoint.tensorNames.filter(ofExpert(name));
  const kinds = matchingTensorNames.map((tensor) => {
    const short = tensor.replace(name, "E").replace(group, "L");
    const stored = issuesOf(() => checkpoint.tensor(tensor));
    return `${short} ${"value" in stored && stored.value !== undefined ? kindOf(stored.value) : "?"}`;
  });
  return kinds.sort().join("\n");
}

function readBoth(
  checkpoint: Checkpoint,
  name: string,
): Pick<ListedLayer, "found" | "refused" | "refusedByUnit"> {
  const options = { given: undefined, allowNonfinite: false };
  const golden = issuesOf(() => expertWithGate(checkpoint, name, { ...options, unit: false }));
  const unit = issuesOf(() => {
    const { weights, gate } = expertWithGate(checkpoint, name, { ...options, unit: true });
    placeOnUnit(weights, gate);
  });
  const messages = (issues: readonly Issue[]): readonly string[] =>
    issues.map(({ where, message }) =>
      where === checkpoint.name ? message : `${where}: ${message}`,
    );
  return {
    found: "value" in golden ? locateExpert(golden.value) : null,
    refused: "value" in golden ? [] : messages(golden.issues),
    refusedByUnit: "value" in unit ? [] : messages(unit.issues),
  };
}

/** The result of `read`, or the issues of its error. */
function issuesOf<T>(read: () => T): { readonly value: T } | { readonly issues: readonly Issue[] } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof NeardataError && error.code === "bad-input")
      return { issues: error.issues };
    throw error;
  }
}
