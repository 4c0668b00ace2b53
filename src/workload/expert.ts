// SPDX-License-Identifier: Apache-2.0
// One expert of a checkpoint as the bits that the hardware reads: gate and up are
// [intermediate][hidden], down is [hidden][intermediate], row by row.

import { inputError, NeardataError } from "../errors.ts";
import type { Issue } from "../errors.ts";
import { didYouMean } from "../nearest.ts";
import type { Checkpoint, StoredTensor } from "./checkpoint.ts";
import { countNonfinite, fromBits, toBits } from "../golden/float16.ts";
import type { FloatFormat } from "../golden/activation.ts";

/** A gated feed-forward network, y = down(act(gate x) * (up x)), as bits of `format`. */
export interface ExpertWeights {
  readonly name: string;
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
}

type Matrix = "gate" | "up" | "down";
const matrices: readonly Matrix[] = ["gate", "up", "down"];

/** What Hugging Face checkpoints call the three matrices (the second is Mixtral's). */
const namings: readonly Readonly<Record<Matrix, string>>[] = [
  { gate: "gate_proj.weight", up: "up_proj.weight", down: "down_proj.weight" },
  { gate: "w1.weight", up: "w3.weight", down: "w2.weight" },
];

/** F32 tensors are converted in pieces of so many elements. */
const pieceElements = 1 << 20;

/**
 * Reads expert `name`, such as `model.layers.3.mlp.experts.17`.
 * @throws NeardataError `bad-input`: no such expert, wrong shapes or types, values that the
 * format does not hold, NaN or infinity where they are not allowed.
 */
export function readExpert(
  checkpoint: Checkpoint,
  name: string,
  options: ReadExpertOptions,
): ExpertWeights {
  const tensors = findTensors(checkpoint, name);
  const [intermediate, hidden] = checkShapes(checkpoint, tensors);
  const format = chooseFormat(checkpoint, tensors, options.format);
  const read = (matrix: Matrix): Uint16Array => readMatrix(tensors[matrix], format, options);
  const weights = { gate: read("gate"), up: read("up"), down: read("down") };
  if (!options.allowNonfinite) refuseNonfinite(checkpoint, tensors, weights, format);
  return { name, format, hidden, intermediate, ...weights };
}

/** The format in which `readExpert` reads an expert that nobody asks to round. */
export function expertFormat(checkpoint: Checkpoint, name: string): FloatFormat {
  return chooseFormat(checkpoint, findTensors(checkpoint, name), undefined);
}

function findTensors(checkpoint: Checkpoint, name: string): Record<Matrix, StoredTensor> {
  for (const naming of namings) {
    const tensorName = (matrix: Matrix): string => `${name}.${naming[matrix]}`;
    const gate = checkpoint.tensor(tensorName("gate"));
    const up = checkpoint.tensor(tensorName("up"));
    const down = checkpoint.tensor(tensorName("down"));
    if (gate !== undefined && up !== undefined && down !== undefined) return { gate, up, down };
    const found = { gate, up, down };
    const missing = matrices.filter((matrix) => found[matrix] === undefined);
    if (missing.length < matrices.length) {
      const list = missing.map((matrix) => `"${tensorName(matrix)}"`).join(" and ");
      throw inputError(checkpoint.name, `expert "${name}" lacks ${list}.`);
    }
  }
  const known = expertNames(checkpoint);
  const hint =
    didYouMean(name, known) ||
    (known.length === 0 ? " It holds no experts." : ` It holds ${known.slice(0, 3).join(", ")}...`);
  throw inputError(checkpoint.name, `there is no expert "${name}" in this checkpoint.${hint}`);
}

/** Names that have a gate matrix, of 16 bits or packed, in file order. */
export function expertNames(checkpoint: Checkpoint): readonly string[] {
  return checkpoint.tensorNames.flatMap((tensor) => {
    const layer = /^(.*)\.gate_up_proj_blocks$/.exec(tensor)?.[1];
    if (layer !== undefined) {
      const experts = checkpoint.tensor(tensor)?.shape[0] ?? 0;
      return Array.from({ length: experts }, (_, e) => `${layer}.${e}`);
    }
    return namings
      .flatMap(({ gate }) => [`.${gate}`, `.${gate}_packed`])
      .filter((ending) => tensor.endsWith(ending))
      .map((ending) => tensor.slice(0, -ending.length));
  });
}

/** [intermediate, hidden], from the gate matrix. */
function checkShapes(
  checkpoint: Checkpoint,
  tensors: Readonly<Record<Matrix, StoredTensor>>,
): readonly [number, number] {
  const issues: Issue[] = [];
  const say = (tensor: StoredTensor, rule: string): void => {
    const shape = `[${tensor.shape.join(", ")}]`;
    issues.push({ where: checkpoint.name, message: `"${tensor.name}" is ${shape}; ${rule}` });
  };
  const { gate, up, down } = tensors;
  const [intermediate, hidden] = gate.shape;
  const flat = gate.shape.length === 2 && gate.shape.every((n) => n > 0);
  if (!flat || intermediate === undefined || hidden === undefined) {
    say(gate, "a weight matrix has two dimensions of at least 1.");
  } else {
    if (!sameShape(up, intermediate, hidden)) {
      say(up, `up has the shape of gate, [${intermediate}, ${hidden}].`);
    }
    if (!sameShape(down, hidden, intermediate)) {
      say(down, `down has the shape of gate turned round, [${hidden}, ${intermediate}].`);
    }
    if (issues.length === 0) return [intermediate, hidden];
  }
  throw new NeardataError("bad-input", issues);
}

function sameShape(tensor: StoredTensor, rows: number, columns: number): boolean {
  return tensor.shape.length === 2 && tensor.shape[0] === rows && tensor.shape[1] === columns;
}

function chooseFormat(
  checkpoint: Checkpoint,
  tensors: Readonly<Record<Matrix, StoredTensor>>,
  wanted: FloatFormat | undefined,
): FloatFormat {
  const types = new Set(matrices.map((m) => tensors[m].dtype));
  const [type] = types;
  if (types.size > 1 || type === undefined) {
    const list = matrices.map((m) => `${m} ${tensors[m].dtype}`).join(", ");
    throw inputError(checkpoint.name, `the matrices of an expert have one type, here: ${list}.`);
  }
  if (type !== "F16" && type !== "BF16" && type !== "F32") {
    throw inputError(checkpoint.name, `weights are F16, BF16 or F32, here ${type}.`);
  }
  return wanted ?? (type === "BF16" ? "bf16" : "fp16");
}

/** The bits of a tensor in `format`. @throws when a value has to be rounded unasked. */
function readMatrix(
  tensor: StoredTensor,
  format: FloatFormat,
  options: ReadExpertOptions,
): Uint16Array {
  const elements = tensor.shape.reduce((product, n) => product * n, 1);
  const bits = new Uint16Array(elements);
  const own = tensor.dtype === "F16" ? "fp16" : tensor.dtype === "BF16" ? "bf16" : undefined;
  if (own === format) {
    tensor.source.read(tensor.begin, new Uint8Array(bits.buffer));
    return bits;
  }
  const itemBytes = own === undefined ? 4 : 2;
  for (let at = 0; at < elements; at += pieceElements) {
    const count = Math.min(pieceElements, elements - at);
    const raw = new Uint8Array(count * itemBytes);
    tensor.source.read(tensor.begin + at * itemBytes, raw);
    const values =
      own === undefined
        ? new Float32Array(raw.buffer)
        : Float32Array.from(new Uint16Array(raw.buffer), (b) => fromBits(own, b));
    for (const [i, value] of values.entries()) {
      const rounded = toBits(format, value);
      if (options.format === undefined && !Object.is(fromBits(format, rounded), value)) {
        const where = `"${tensor.name}"[${elementPlace(tensor, at + i)}]`;
        throw inputError(
          tensor.source.name,
          `${where} = ${value} (${tensor.dtype}) is not exactly an ${format.toUpperCase()} ` +
            "value; --dtype fp16 or --dtype bf16 allows rounding to nearest even.",
        );
      }
      bits[at + i] = rounded;
    }
  }
  return bits;
}

function elementPlace(tensor: StoredTensor, index: number): string {
  const columns = tensor.shape[1] ?? 1;
  return `${Math.floor(index / columns)}, ${index % columns}`;
}

function refuseNonfinite(
  checkpoint: Checkpoint,
  tensors: Readonly<Record<Matrix, StoredTensor>>,
  weights: Readonly<Record<Matrix, Uint16Array>>,
  format: FloatFormat,
): void {
  const issues = matrices.flatMap((m): Issue[] => {
    const { count, first } = countNonfinite(format, weights[m]);
    if (count === 0) return [];
    const place = elementPlace(tensors[m], first);
    const message =
      `"${tensors[m].name}" holds ${count} NaN or infinite values (the first at [${place}]); ` +
      "--allow-nonfinite carries them as IEEE 754 says.";
    return [{ where: checkpoint.name, message }];
  });
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
}
