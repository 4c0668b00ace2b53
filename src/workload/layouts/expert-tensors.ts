// SPDX-License-Identifier: Apache-2.0
// The tensors of one expert as its readers ask for them: what was asked for, and what is wrong with it.

import { NeardataError, type Issue } from "../../base/errors.ts";
import { tensorLabel } from "../../base/format-value.ts";
import { readBytes } from "../../base/bytes.ts";
import type { Checkpoint, StoredTensor } from "../checkpoint.ts";
import type { Family } from "../model-config.ts";
import { ofExpert, unreadTensors } from "../unread.ts";
import { familyOfExpert } from "./family.ts";

export type MatrixRole = "gate" | "up" | "down";
export const matrixRoles: readonly MatrixRole[] = ["gate", "up", "down"];

/** Names of the three matrices in Hugging Face checkpoints (the second set is Mixtral's). */
export const namings: readonly Readonly<Record<MatrixRole, string>>[] = [
  { gate: "gate_proj", up: "up_proj", down: "down_proj" },
  { gate: "w1", up: "w3", down: "w2" },
];

/** The tensors of expert `name` in `checkpoint`. */
export class ExpertTensors {
  readonly checkpoint: Checkpoint;
  readonly name: string;
  /** Whether biases are read. */
  readonly biases: boolean;
  readonly family: Family | null;
  readonly issues: Issue[] = [];
  private readonly used = new Set<string>();
  private readonly withoutGate: boolean;

  constructor(
    checkpoint: Checkpoint,
    name: string,
    parts: { readonly biases?: boolean; readonly ungated?: boolean } = {},
  ) {
    this.checkpoint = checkpoint;
    this.name = name;
    this.biases = parts.biases === true;
    this.withoutGate = parts.ungated === true;
    this.family = familyOfExpert(checkpoint, name);
  }

  /**
   * Whether an expert with only up and down is complete: its function is one that models use
   * without a gate.
   */
  get ungated(): boolean {
    const { checkpoint, family, withoutGate } = this;
    if (!withoutGate) return false;
    return family === "nemotron" || checkpoint.config?.gateOf(family).gate?.name === "relu2";
  }

  /** A tensor that is used from now on, or undefined. */
  use(name: string): StoredTensor | undefined {
    const tensor = this.checkpoint.tensor(name);
    if (tensor !== undefined) this.used.add(name);
    return tensor;
  }

  say(message: string): void {
    this.issues.push({ where: this.checkpoint.name, message });
  }

  /** @throws NeardataError `bad-input` with all reported problems and every unused tensor */
  refuse(): void {
    const { checkpoint, name, used } = this;
    const { config } = checkpoint;
    // config.json announces scales before matrices; these tensors are the scales, so the problem is
    // solved.
    const scaled = [...used].some((name) => name.endsWith(".pre_quant_scale"));
    const transforms = (config?.transformProblems ?? [])
      .filter((message) => !scaled || !message.includes("pre_quant_scale"))
      .map((message) => ({ where: config?.where ?? "", message }));
    const issues = [...this.issues, ...unreadOf(checkpoint, name, used), ...transforms];
    if (issues.length > 0) throw new NeardataError("bad-input", issues);
  }
}

/** Tensors of an expert that were not used, in this file and in others of the model. */
function unreadOf(
  checkpoint: Checkpoint,
  name: string,
  used: ReadonlySet<string>,
): readonly Issue[] {
  const belongs = ofExpert(name);
  const { name: where, tensorNames: names, elsewhere } = checkpoint;
  const far = elsewhere.filter(belongs).map((tensor) => tensorLabel(tensor));
  const message =
    `${far.slice(0, 3).join(", ")}${far.length > 3 ? ` and ${far.length - 3} more` : ""} of expert ` +
    `${tensorLabel(name)} lie in other files: open the index of the shards instead.`;
  return [
    ...unreadTensors({ where, names, used, belongs, what: `expert ${tensorLabel(name)}` }),
    ...(far.length === 0 ? [] : [{ where, message }]),
  ];
}

/** Type and shape of a tensor, such as `U8 [64, 32]`. */
export function kindOf({ dtype, shape }: StoredTensor): string {
  return `${dtype} [${shape.join(", ")}]`;
}

/** A tensor by name, type and shape. */
export function described(tensor: StoredTensor): string {
  return `${tensorLabel(tensor.name)} (${kindOf(tensor)})`;
}

export function bytesOf(tensor: StoredTensor): Uint8Array {
  return readBytes(tensor.source, tensor.begin, tensor.end - tensor.begin);
}
