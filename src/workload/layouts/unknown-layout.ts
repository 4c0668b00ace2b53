// SPDX-License-Identifier: Apache-2.0
// Experts in layouts that are not read: the refusal says which layout the tensors look like, names them
// with type and shape, and says what is read.

import { NeardataError } from "../../base/errors.ts";
import { tensorLabel } from "../../base/format-value.ts";
import type { StoredTensor } from "../checkpoint.ts";
import { described, type ExpertTensors } from "./expert-tensors.ts";
import { ofExpert } from "../unread.ts";

/** A layout by the ends of its tensors' names. */
interface Layout {
  readonly what: string;
  readonly has: (typeOf: (ending: string) => string | undefined) => boolean;
}

/** Layouts that are known and not read, the first that fits. */
const layouts: readonly Layout[] = [
  {
    what: "in a layout of bitsandbytes",
    has: (typeOf) => typeOf("SCB") !== undefined || typeOf("weight.absmax") !== undefined,
  },
];

const taken =
  "read are F16, BF16 and F32; FP8 with scales for blocks, rows, groups or the whole; INT8 and INT4; GPTQ " +
  "and AWQ; MXFP4, MXFP8 and NVFP4 (docs/reference/file-formats.md)";
const maxDescribed = 12;

/** The error for an expert whose tensors exist but match no known layout. */
export function unknownLayoutError(tensors: ExpertTensors): NeardataError {
  const { checkpoint, name } = tensors;
  const storedTensors = checkpoint.tensorNames
    .filter(liesWith(name))
    .flatMap((tensor) => checkpoint.tensor(tensor) ?? []);
  const layout = layouts.find(({ has }) => has((ending) => typeOf(storedTensors, ending)));
  const what = layout === undefined ? "in a layout that is not known" : layout.what;
  const kinds = oneOfEach(storedTensors).slice(0, maxDescribed);
  const listed = kinds.map(described).join("; ");
  const more =
    storedTensors.length > kinds.length ? `; and ${storedTensors.length - kinds.length} more` : "";
  const message = `expert ${tensorLabel(name)} is ${what}, which is not read: it has ${listed}${more}; ${taken}.`;
  return new NeardataError("bad-input", [...tensors.issues, { where: checkpoint.name, message }]);
}

/** Whether the name of a tensor begins with the expert's name or with the name of its layer. */
export function liesWith(name: string): (tensor: string) => boolean {
  const belongs = ofExpert(name);
  const [layer = name] = /^.*(?=\.\d+$)/.exec(name) ?? [];
  return (tensor) => belongs(tensor) && tensor.startsWith(`${layer}.`);
}

/** The first tensor with each last word, of gate's before those of the other matrices. */
function oneOfEach(tensors: readonly StoredTensor[]): readonly StoredTensor[] {
  const isGate = ({ name }: StoredTensor): boolean => /\.(gate_proj|w1)\./.test(name);
  const ordered = [...tensors.filter(isGate), ...tensors.filter((tensor) => !isGate(tensor))];
  const byEnding = new Map<string, StoredTensor>();
  for (const tensor of ordered) {
    const ending = tensor.name.slice(tensor.name.lastIndexOf(".") + 1);
    if (!byEnding.has(ending)) byEnding.set(ending, tensor);
  }
  return [...byEnding.values()];
}

/** The type of the first tensor whose name ends so. */
function typeOf(tensors: readonly StoredTensor[], ending: string): string | undefined {
  return tensors.find(({ name }) => name.endsWith(`.${ending}`))?.dtype;
}
