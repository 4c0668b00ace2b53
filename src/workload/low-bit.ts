// SPDX-License-Identifier: Apache-2.0
// Experts of low-bit checkpoints as they lie there: codes and scales, never widened. `low-bit-layouts.ts`
// reads a matrix; MXFP4 may have all experts of a layer in one tensor (`mxfp4-blocks.ts`).

import { inputError, NeardataError, type Issue } from "../base/errors.ts";
import type { LowBitExpert } from "../golden/expert.ts";
import { countNonfiniteCodes, type LowBitFormat, type LowBitMatrix } from "../golden/low-bit.ts";
import { shownTensor } from "../base/shown.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { described, ExpertTensors, namings, places, type Place } from "./layouts/expert-tensors.ts";
import { keysOf, readExpert, type ExpertWeights, type ReadExpertOptions } from "./expert.ts";
import { formatOf, lowBitReaders, MatrixTensors } from "./layouts/low-bit-layouts.ts";
import { expertBlocks } from "./layouts/mxfp4-blocks.ts";

/** A gated feed-forward network of a low-bit checkpoint. */
export interface LowBitWeights extends LowBitExpert {
  readonly name: string;
  readonly storage: LowBitFormat;
  /** Scales that inputs would be rounded with, where these had 8 bits: the unit rounds none. */
  readonly inputScales?: readonly string[];
}

/** Reads expert `name`, of whatever weights. @throws as `readLowBitExpert` and `readExpert`. */
export function readAnyExpert(
  checkpoint: Checkpoint,
  name: string,
  options: ReadExpertOptions,
): ExpertWeights | LowBitWeights {
  return readLowBitExpert(checkpoint, name, options) ?? readExpert(checkpoint, name, options);
}

/**
 * Reads expert `name` if its weights are of a low-bit format; undefined if they are not, or if
 * there is no such expert. @throws NeardataError `bad-input`: tensors missing or of other shapes,
 * tensors of the expert that nothing uses, matrices that do not fit together, NaN or infinity where they
 * are not allowed.
 */
export function readLowBitExpert(
  checkpoint: Checkpoint,
  name: string,
  options: ReadExpertOptions,
): LowBitWeights | undefined {
  const tensors = new ExpertTensors(checkpoint, name);
  const inputScales: string[] = [];
  const read = expertBlocks(tensors) ?? matricesOf(tensors, inputScales);
  if (read === undefined) return undefined;
  tensors.refuse();
  const { gate, up, down } = read;
  if (gate === undefined || up === undefined || down === undefined) {
    throw new NeardataError("bad-input", tensors.issues);
  }
  const matrices = { gate, up, down };
  const faults = [
    ...shapeIssues(checkpoint, name, matrices),
    ...(options.allowNonfinite ? [] : valueIssues(checkpoint, name, matrices, options)),
  ];
  if (faults.length > 0) throw new NeardataError("bad-input", faults);
  return {
    name,
    storage: gate.format,
    format: options.format ?? "fp16",
    hidden: gate.columns,
    intermediate: gate.rows,
    ...matrices,
    ...(inputScales.length === 0 ? {} : { inputScales }),
  };
}

type Matrices = Partial<Readonly<Record<Place, LowBitMatrix>>>;

function matricesOf(tensors: ExpertTensors, inputScales: string[]): Matrices | undefined {
  const { checkpoint, name } = tensors;
  for (const naming of namings) {
    const formats = new Set(places.map((p) => formatOf(checkpoint, `${name}.${naming[p]}`)));
    const [format] = [...formats].filter((found) => found !== undefined);
    if (format === undefined) continue;
    if (formats.size > 1) {
      const stems = places.map((p) => [p, `${name}.${naming[p]}`] as const);
      const list = stems.map(
        ([p, stem]) => `${p} ${formatOf(checkpoint, stem) ?? "of another type"}`,
      );
      const there = stems.flatMap(([, stem]) =>
        ["weight_packed", "weight"].flatMap((own) => checkpoint.tensor(`${stem}.${own}`) ?? []),
      );
      throw inputError(
        checkpoint.name,
        `the matrices of expert ${shownTensor(name)} have one format, here: ${list.join(", ")}; ` +
          `it has ${there.map(described).join(", ")}.`,
      );
    }
    const matrix = (place: Place): LowBitMatrix | undefined =>
      lowBitReaders[format](new MatrixTensors(tensors, `${name}.${naming[place]}`, inputScales));
    const [gate, up, down] = [matrix("gate"), matrix("up"), matrix("down")];
    return { ...(gate && { gate }), ...(up && { up }), ...(down && { down }) };
  }
  return undefined;
}

function shapeIssues(
  checkpoint: Checkpoint,
  name: string,
  { gate, up, down }: Readonly<Record<Place, LowBitMatrix>>,
): readonly Issue[] {
  const issues: Issue[] = [];
  const say = (place: Place, { rows, columns }: LowBitMatrix, wanted: string): void => {
    const message =
      `the ${place} matrix of ${shownTensor(name)} is [${rows}, ${columns}]; ` +
      `it must be ${wanted}.`;
    issues.push({ where: checkpoint.name, message });
  };
  if (up.rows !== gate.rows || up.columns !== gate.columns) {
    say("up", up, `[${gate.rows}, ${gate.columns}], as gate`);
  }
  if (down.rows !== gate.columns || down.columns !== gate.rows) {
    say("down", down, `[${gate.columns}, ${gate.rows}], gate turned round`);
  }
  return issues;
}

function valueIssues(
  checkpoint: Checkpoint,
  name: string,
  matrices: Readonly<Record<Place, LowBitMatrix>>,
  options: ReadExpertOptions,
): readonly Issue[] {
  return places.flatMap((place): Issue[] => {
    const { count, first } = countNonfiniteCodes(matrices[place]);
    if (first === null) return [];
    const message =
      `the ${place} matrix of ${shownTensor(name)} holds ${count} weights that are NaN or infinite ` +
      `(the first at [${first.join(", ")}]); ${keysOf(options).nonfinite} carries them as IEEE 754 says.`;
    return [{ where: checkpoint.name, message }];
  });
}
