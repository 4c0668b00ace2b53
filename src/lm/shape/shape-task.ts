// SPDX-License-Identifier: Apache-2.0
// A decode step of a batch for a model of which only the shape is there: what is decoded, on what.

import type {
  AttentionAnswer,
  AttentionRequest,
} from "../../kernels/csd/attention/attention-request.ts";
import type { LayerStep } from "../../machine/csd/layer-step.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import type { OpenCsdSession } from "../../machine/csd/csd-types.ts";
import type { NdpMachine, OpenSession } from "../../machine/types.ts";
import { inputError } from "../../base/errors.ts";
import type { Experts, ModelShape } from "../../workload/shapes.ts";
import type { TokenObserver } from "../token/token-machine.ts";
import type { ScaledRouter } from "./scaled-routes.ts";
import type { ShapeAttention } from "./shape-attention.ts";

/** The decoding machine, with the fidelity of the cycle models. */
export interface ShapeMachine {
  readonly ndp: NdpMachine;
  readonly dimms: number;
  readonly devices: number;
  readonly openNdp: OpenSession;
  readonly openCsd: OpenCsdSession;
  readonly observer?: Omit<TokenObserver, "asked"> | undefined;
}

/** The hardware for the repeated layer: RTL, or other hardware in a test. */
export interface RtlHardware {
  readonly engine: CsdMachine["engine"];
  readonly openNdp: OpenSession;
  readonly openCsd: OpenCsdSession;
}

/** One step of `batch` sequences, in equal parts that overlap. */
export interface ShapeTask {
  readonly shape: ModelShape;
  /** The first ones of the shape. */
  readonly layers: number;
  readonly batch: number;
  /** Parts of the batch, each a sequence of the plan. */
  readonly parts: number;
  /** Tokens in each cache, the newest included. */
  readonly length: number;
  /** Null: dense. */
  readonly ratio: number | null;
  readonly seed: number;
  readonly attention: ShapeAttention;
  readonly router: ScaledRouter;
  /** The layer that runs on RTL as well; null: none. */
  readonly again: { readonly layer: number; readonly on: RtlHardware } | null;
}

/** A job of the unit: an expert and the sequences whose tokens it gets. */
export interface ShapeJob {
  readonly expert: number;
  readonly sequences: readonly number[];
}

/** One part of the batch in one layer. */
export interface LayerPart {
  readonly requests: readonly AttentionRequest[];
  readonly answers: readonly AttentionAnswer[];
  /** Null where the host attends. */
  readonly step: LayerStep | null;
  readonly jobs: readonly ShapeJob[];
}

/** The shape's experts. @throws NeardataError `bad-input` where it has none. */
export function mixtureOf({ experts, title }: ModelShape): Experts {
  if (experts === null) throw inputError("the model", `${title} has no routed experts.`);
  return experts;
}
