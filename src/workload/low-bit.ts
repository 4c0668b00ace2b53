// SPDX-License-Identifier: Apache-2.0
// Experts of low-bit checkpoints: codes and scales of the unit's formats, or exact sums of such matrices
// where the file has codes that the unit lacks. `low-bit-layouts.ts` reads a matrix; MXFP4 may have all
// experts of a layer in one tensor (`mxfp4-blocks.ts`).

import { defined } from "../base/defined.ts";
import { inputError, NeardataError, type Issue } from "../base/errors.ts";
import type { LowBitExpert } from "../golden/expert.ts";
import {
  countNonfiniteCodes,
  hasByteScales,
  type LowBitFormat,
  type LowBitMatrix,
} from "../golden/low-bit.ts";
import { tensorLabel } from "../base/format-value.ts";
import { present } from "../base/present.ts";
import type { Checkpoint } from "./checkpoint.ts";
import {
  described,
  ExpertTensors,
  namings,
  matrixRoles,
  type MatrixRole,
} from "./layouts/expert-tensors.ts";
import { factorsOf } from "./layouts/scales.ts";
import {
  keysOf,
  partsOf,
  readExpert,
  type ExpertParts,
  type ExpertWeights,
  type ReadExpertOptions,
} from "./expert.ts";
import { biasesOf, type LocatedBiases } from "./layouts/biases.ts";
import { formatOf, lowBitReaders, type StoredFormat } from "./layouts/low-bit-layouts.ts";
import { MatrixTensors } from "./layouts/matrix-tensors.ts";
import { timesRows, widened, withFactors } from "./layouts/terms.ts";
import { expertBlocks } from "./layouts/mxfp4-blocks.ts";

/** A gated feed-forward network of a low-bit checkpoint. */
export interface LowBitWeights extends LowBitExpert, ExpertParts {
  /** The codes that the array multiplies. */
  readonly storage: LowBitFormat;
  /** The codes of the file. */
  readonly stored?: StoredFormat;
  /** Scales that inputs would be rounded with, where these had 8 bits: the unit rounds none. */
  readonly inputScales?: readonly string[];
}

/**
 * Reads expert `name` with weights of any format. @throws as `readLowBitExpert` and `readExpert`.
 */
export function readAnyExpert(
  checkpoint: Checkpoint,
  name: string,
  options: ReadExpertOptions,
): ExpertWeights | LowBitWeights {
  return readLowBitExpert(checkpoint, name, options) ?? readExpert(checkpoint, name, options);
}

/**
 * Reads expert `name` if its weights have a low-bit format; undefined if they do not, or if the
 * expert is missing. @throws NeardataError `bad-input`: missing tensors or other shapes, unused
 * tensors of the expert, matrices that do not match, NaN or infinity where they are not allowed.
 */
export function readLowBitExpert(
  checkpoint: Checkpoint,
  name: string,
  options: ReadExpertOptions,
): LowBitWeights | undefined {
  const tensors = new ExpertTensors(checkpoint, name, options);
  const inputScales: string[] = [];
  const read: LowBitSource | undefined = expertBlocks(tensors) ?? matricesOf(tensors, inputScales);
  if (read === undefined) return undefined;
  tensors.refuse();
  const { gate, up, down, stored = "mxfp4", ungated, locatedBiases } = read;
  if (gate === undefined || up === undefined || down === undefined) {
    throw new NeardataError("bad-input", tensors.issues);
  }
  const matrices = ofOneFormat({ gate, up, down }, locatedBiases !== undefined);
  const faults = [
    ...shapeIssues(checkpoint, name, matrices),
    ...(options.allowNonfinite ? [] : valueIssues(checkpoint, name, matrices, options)),
  ];
  if (faults.length > 0) throw new NeardataError("bad-input", faults);
  return {
    ...partsOf(name, ungated, locatedBiases),
    storage: matrices.gate.format,
    ...defined({ stored: stored === matrices.gate.format ? undefined : stored }),
    format: options.format ?? "fp16",
    hidden: gate.columns,
    intermediate: gate.rows,
    ...matrices,
    ...defined({ inputScales: inputScales.length === 0 ? undefined : inputScales }),
  };
}

type Matrices = Partial<Readonly<Record<MatrixRole, LowBitMatrix>>>;

/**
 * The matrices of an expert, with their stored format; without matrices if a problem was reported.
 */
interface LowBitSource extends Matrices {
  readonly stored?: StoredFormat;
  readonly ungated?: true;
  readonly locatedBiases?: LocatedBiases | undefined;
}

/**
 * Converts the matrices to one format. INT4 and INT8 become INT8, as zero points widen some INT4
 * matrices. MXFP8 or NVFP4 with FP8 become FP8, as the array lacks the exponents or the factors of
 * some. NVFP4 matrices with biases become FP8, too: on the unit, biases are weights with separate
 * factors.
 */
function ofOneFormat(
  matrices: Readonly<Record<MatrixRole, LowBitMatrix>>,
  biased: boolean,
): Readonly<Record<MatrixRole, LowBitMatrix>> {
  const { gate, up, down } = matrices;
  const formats = new Set([gate, up, down].map(({ format }) => format));
  if (formats.size === 1 && !(biased && formats.has("nvfp4"))) return matrices;
  const wide = (matrix: LowBitMatrix): LowBitMatrix => {
    if (matrix.format === "mxfp8" || matrix.format === "nvfp4") return withFactors(matrix);
    return matrix.format === "int4" ? widened(matrix) : matrix;
  };
  return { gate: wide(gate), up: wide(up), down: wide(down) };
}

function matricesOf(tensors: ExpertTensors, inputScales: string[]): LowBitSource | undefined {
  const { checkpoint, name } = tensors;
  for (const naming of namings) {
    const gateLacks = !checkpoint.tensorNames.some((tensorName) =>
      tensorName.startsWith(`${name}.${naming.gate}.`),
    );
    const ungated = gateLacks && tensors.ungated;
    const roles = ungated ? matrixRoles.filter((place) => place !== "gate") : matrixRoles;
    const formats = new Set(roles.map((p) => formatOf(checkpoint, `${name}.${naming[p]}`)));
    const [format] = [...formats].filter((format) => format !== undefined);
    if (format === undefined) continue;
    if (formats.size > 1) {
      const stems = matrixRoles.map((p) => [p, `${name}.${naming[p]}`] as const);
      const list = stems.map(
        ([p, stem]) => `${p} ${formatOf(checkpoint, stem) ?? "of another type"}`,
      );
      const there = stems.flatMap(([, stem]) =>
        ["weight_packed", "weight"].flatMap(
          (suffix) => checkpoint.tensor(`${stem}.${suffix}`) ?? [],
        ),
      );
      throw inputError(
        checkpoint.name,
        `the matrices of expert ${tensorLabel(name)} have one format, here: ${list.join(", ")}; ` +
          `it has ${there.map(described).join(", ")}.`,
      );
    }
    const matrix = (place: MatrixRole): LowBitMatrix | undefined =>
      lowBitReaders[format](new MatrixTensors(tensors, `${name}.${naming[place]}`, inputScales));
    const first = ungated ? undefined : matrix("gate");
    const [up, down] = [matrix("up"), matrix("down")];
    const gate = ungated ? up : first;
    const rows = { gate: gate?.rows ?? 0, up: up?.rows ?? 0, down: down?.rows ?? 0 };
    const biases = gate && up && down && biasesOf(tensors, naming, rows);
    const all = {
      ...defined({ gate, up, down, ungated: ungated ? (true as const) : undefined }),
      stored: format,
      locatedBiases: biases,
    };
    return ungated ? all : beforeDown(tensors, `${name}.${naming.down}`, all);
  }
  return undefined;
}

/**
 * `pre_quant_scale` of down multiplies each of its inputs, act(gate x) * (up x): so it multiplies the rows
 * of up, as part of their factors. (It undoes a scale of down's columns: NVFP4-AWQ of ModelOpt.)
 */
function beforeDown(
  tensors: ExpertTensors,
  down: string,
  lowBitSource: LowBitSource,
): LowBitSource {
  const { up, locatedBiases: biases } = lowBitSource;
  const scale = tensors.checkpoint.tensor(`${down}.pre_quant_scale`);
  if (scale === undefined || up === undefined || up.format === "mxfp4") return lowBitSource;
  tensors.use(scale.name);
  const kinds = ["F16", "BF16", "F32"];
  if (!kinds.includes(scale.dtype) || scale.shape.join() !== String(up.rows)) {
    tensors.say(`${described(scale)}: it must be ${kinds.join(", ")} [${up.rows}].`);
    return lowBitSource;
  }
  const factors = factorsOf(scale);
  if (!factors.every(Number.isFinite)) tensors.say(`${described(scale)} holds NaN or infinity.`);
  const bias = biases?.biases.up?.map((value, row) => value * present(factors[row]));
  return {
    ...lowBitSource,
    up: timesRows(hasByteScales(up.format) ? withFactors(up) : up, factors),
    ...(biases && bias
      ? { locatedBiases: { ...biases, biases: { ...biases.biases, up: bias } } }
      : {}),
  };
}

function shapeIssues(
  checkpoint: Checkpoint,
  name: string,
  { gate, up, down }: Readonly<Record<MatrixRole, LowBitMatrix>>,
): readonly Issue[] {
  const issues: Issue[] = [];
  const say = (place: MatrixRole, { rows, columns }: LowBitMatrix, wanted: string): void => {
    const message =
      `the ${place} matrix of ${tensorLabel(name)} is [${rows}, ${columns}]; ` +
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
  matrices: Readonly<Record<MatrixRole, LowBitMatrix>>,
  options: ReadExpertOptions,
): readonly Issue[] {
  return matrixRoles.flatMap((place): Issue[] => {
    const { count, first } = countNonfiniteCodes(matrices[place]);
    if (first === null) return [];
    const message =
      `the ${place} matrix of ${tensorLabel(name)} holds ${count} weights that are NaN or infinite ` +
      `(the first at [${first.join(", ")}]); ${keysOf(options).nonfinite} carries them as IEEE 754 says.`;
    return [{ where: checkpoint.name, message }];
  });
}
