// SPDX-License-Identifier: Apache-2.0
// One expert of a checkpoint as the bits that the hardware reads: gate and up are
// [intermediate][hidden], down is [hidden][intermediate], row by row. Weights are F16, BF16 or F32, a
// tensor for each matrix, or all experts of a layer in one tensor (`fused.ts`).

import { defined } from "../base/defined.ts";
import { inputError, NeardataError } from "../base/errors.ts";
import type { Issue } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { tensorLabel } from "../base/format-value.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { countNonfinite } from "../golden/float16.ts";
import type { GoldenParts } from "../golden/expert.ts";
import type { FloatFormat } from "../golden/names.ts";
import { biasesOf, type LocatedBiases } from "./layouts/biases.ts";
import {
  described,
  ExpertTensors,
  namings,
  matrixRoles,
  type MatrixRole,
} from "./layouts/expert-tensors.ts";
import { fusedViews, fusedNames } from "./layouts/fused.ts";
import { elementLocation, readView, type MatrixView } from "./layouts/matrix-view.ts";
import { liesWith, unknownLayoutError } from "./layouts/unknown-layout.ts";

/** Parts of an expert in addition to its matrices. */
export interface ExpertParts extends GoldenParts {
  readonly name: string;
  /** The tensors of `biases`, for messages. */
  readonly biasTensors?: readonly string[];
}

/** A gated feed-forward network, y = down(act(gate x) * (up x)), as bits of `format`. */
export interface ExpertWeights extends ExpertParts {
  readonly format: FloatFormat;
  readonly hidden: number;
  readonly intermediate: number;
  readonly gate: Uint16Array;
  readonly up: Uint16Array;
  readonly down: Uint16Array;
}

export interface ReadExpertOptions {
  /** Round to this format; needed only where the file's type is not exactly representable. */
  readonly format?: FloatFormat | undefined;
  readonly allowNonfinite: boolean;
  /** Read biases, which experts of a run have not. */
  readonly biases?: boolean;
  /** Read experts without a gate. */
  readonly ungated?: boolean;
  /**
   * The keys or options that allow rounding and NaN, for messages; by default options of a command.
   */
  readonly keys?: { readonly format: string; readonly nonfinite: string };
}

type Views = Readonly<Record<MatrixRole, MatrixView>>;

/** The matrices of an expert; `ungated`: gate is up. */
interface ExpertSource {
  readonly views: Views;
  readonly ungated?: true;
  readonly biases?: LocatedBiases | undefined;
}

/** Options of `ndp eval`. */
const optionKeys = {
  format: "--dtype fp16 or --dtype bf16",
  nonfinite: "--allow-nonfinite",
};

/**
 * Reads expert `name`, such as `model.layers.3.mlp.experts.17`.
 * @throws NeardataError `bad-input`: a missing expert, wrong shapes or types, unused tensors of the
 * expert, values outside the format, NaN or infinity where they are not allowed.
 */
export function readExpert(
  checkpoint: Checkpoint,
  name: string,
  options: ReadExpertOptions,
): ExpertWeights {
  const tensors = new ExpertTensors(checkpoint, name, options);
  const { views, ungated, biases } = findViews(tensors);
  const format = chooseFormat(tensors, views, options.format);
  const shape = checkShapes(tensors, views);
  tensors.refuse();
  if (format === undefined || shape === undefined) throw unknownLayoutError(tensors);
  const [intermediate, hidden] = shape;
  const rounding = { rounds: options.format !== undefined, hint: keysOf(options).format };
  const read = (place: MatrixRole): Uint16Array => readView(views[place], format, rounding);
  const weights = { gate: read("gate"), up: read("up"), down: read("down") };
  if (!options.allowNonfinite) rejectNonfinite(tensors, views, weights, format, options);
  return { ...partsOf(name, ungated, biases), format, hidden, intermediate, ...weights };
}

/** The parts of an expert in addition to its matrices. */
export function partsOf(
  name: string,
  ungated: true | undefined,
  locatedBiases: LocatedBiases | undefined,
): ExpertParts {
  return {
    name,
    ...defined({ ungated, biases: locatedBiases?.biases, biasTensors: locatedBiases?.tensors }),
  };
}

/** The keys or options that allow a rejected input. */
export function keysOf({ keys = optionKeys }: ReadExpertOptions): typeof optionKeys {
  return keys;
}

/** The format in which `readExpert` reads an expert without rounding. */
export function expertFormat(checkpoint: Checkpoint, name: string): FloatFormat {
  const tensors = new ExpertTensors(checkpoint, name);
  const format = chooseFormat(tensors, findViews(tensors).views, undefined);
  if (format !== undefined) return format;
  throw new NeardataError("bad-input", tensors.issues);
}

/**
 * The three matrices, whatever their types. @throws NeardataError `bad-input` if they are missing.
 */
function findViews(tensors: ExpertTensors): ExpertSource {
  const { checkpoint, name } = tensors;
  for (const naming of namings) {
    const tensorName = (place: MatrixRole): string => `${name}.${naming[place]}.weight`;
    const storedTensors = matrixRoles.map((place) => tensors.use(tensorName(place)));
    const [, up, down] = storedTensors;
    const gate = storedTensors[0] ?? (tensors.ungated ? up : undefined);
    if (gate !== undefined && up !== undefined && down !== undefined) {
      if ([gate, up, down].some(({ dtype }) => !types.has(dtype)))
        throw unknownLayoutError(tensors);
      const views = { gate: viewOf(gate), up: viewOf(up), down: viewOf(down) };
      const rows = { gate: views.gate.rows, up: views.up.rows, down: views.down.rows };
      const biases = biasesOf(tensors, naming, rows);
      return { views, biases, ...(gate === up ? { ungated: true } : {}) };
    }
    const there = storedTensors.flatMap((tensor) =>
      tensor === undefined ? [] : described(tensor),
    );
    if (there.length > 0) {
      const missing = matrixRoles.filter((_, i) => storedTensors[i] === undefined);
      const list = missing.map((place) => tensorLabel(tensorName(place))).join(" and ");
      tensors.say(`expert ${tensorLabel(name)} has ${there.join("; ")}; it lacks ${list}.`);
      tensors.refuse();
    }
  }
  const fused = fusedViews(tensors, tensors.family === "gpt-oss");
  if (fused !== undefined) return { views: fused.views, biases: fused.locatedBiases };
  if (checkpoint.tensorNames.some(liesWith(name))) throw unknownLayoutError(tensors);
  const known = expertNames(checkpoint);
  const hint =
    didYouMean(name, known) ||
    (known.length === 0 ? " It holds no experts." : ` It holds ${known.slice(0, 3).join(", ")}...`);
  throw inputError(
    checkpoint.name,
    `there is no expert ${tensorLabel(name)} in this checkpoint.${hint}`,
  );
}

function viewOf(tensor: MatrixView["tensor"]): MatrixView {
  const [rows = 0, columns = 0] = tensor.shape.length === 2 ? tensor.shape : [];
  return { tensor, rows, columns, begin: 0, stride: columns, turned: false, step: 1 };
}

/** Names that have a gate matrix, of 16 bits or packed, or those of experts without one, in file order. */
export function expertNames(checkpoint: Checkpoint): readonly string[] {
  const stored = ["weight", "weight_packed", "qweight"];
  const endings = [
    ...namings.flatMap(({ gate }) => stored.map((suffix) => `.${gate}.${suffix}`)),
    ...stored.map((suffix) => `.up_proj.${suffix}`),
  ];
  return checkpoint.tensorNames.flatMap((tensor) => {
    const ofLayer = fusedNames(checkpoint, tensor);
    if (ofLayer.length > 0) return ofLayer;
    const ending = endings.find((suffix) => tensor.endsWith(suffix));
    if (ending === undefined) return [];
    const name = tensor.slice(0, -ending.length);
    return ending.startsWith(".up_proj") && !/(^|\.)mixer\.experts\.\d+$/.test(name) ? [] : [name];
  });
}

/** [intermediate, hidden], from the gate matrix; reports other shapes. */
function checkShapes(
  tensors: ExpertTensors,
  { gate, up, down }: Views,
): readonly [number, number] | undefined {
  const say = ({ tensor }: MatrixView, rule: string): void => {
    tensors.say(`${tensorLabel(tensor.name)} is [${tensor.shape.join(", ")}]; ${rule}`);
  };
  const { rows: intermediate, columns: hidden } = gate;
  if (intermediate < 1 || hidden < 1) {
    say(gate, "a weight matrix has two dimensions of at least 1.");
    return undefined;
  }
  const fits = (view: MatrixView, rows: number, columns: number): boolean =>
    view.rows === rows && view.columns === columns;
  const fitting = [fits(up, intermediate, hidden), fits(down, hidden, intermediate)];
  if (fitting[0] === false) say(up, `up has the shape of gate, [${intermediate}, ${hidden}].`);
  if (fitting[1] === false) {
    say(down, `down has the shape of gate turned round, [${hidden}, ${intermediate}].`);
  }
  return fitting.every(Boolean) ? [intermediate, hidden] : undefined;
}

const types = new Set(["F16", "BF16", "F32"]);

function chooseFormat(
  tensors: ExpertTensors,
  views: Views,
  wanted: FloatFormat | undefined,
): FloatFormat | undefined {
  const types = new Set(matrixRoles.map((place) => views[place].tensor.dtype));
  const [type] = types;
  if (types.size > 1) {
    const list = matrixRoles.map((place) => `${place} ${views[place].tensor.dtype}`).join(", ");
    tensors.say(`the matrices of an expert have one type, here: ${list}.`);
    return undefined;
  }
  return wanted ?? (type === "BF16" ? "bf16" : "fp16");
}

function rejectNonfinite(
  { checkpoint }: ExpertTensors,
  views: Views,
  weights: Readonly<Record<MatrixRole, Uint16Array>>,
  format: FloatFormat,
  options: ReadExpertOptions,
): void {
  const issues = matrixRoles.flatMap((place): Issue[] => {
    const { count, first } = countNonfinite(format, weights[place]);
    if (count === 0) return [];
    const view = views[place];
    const message =
      `${tensorLabel(view.tensor.name)} holds ${count} NaN or infinite values (the first at ` +
      `[${elementLocation(view, first)}]); ${keysOf(options).nonfinite} carries them as IEEE 754 says.`;
    return [{ where: checkpoint.name, message }];
  });
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
}
