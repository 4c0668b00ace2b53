// SPDX-License-Identifier: Apache-2.0
// Work of storage devices and its results: sequences of keys and values, attention and appends of
// their heads, writes of prompts. Plain records, independent of the devices.

import type { PageKind } from "../flash/page-kind.ts";
import type { Femtoseconds } from "../../base/units.ts";

/** Treatment of prompt tokens that do not fill a page. */
export type PromptTail = "padded" | "dram-tail";

/** A sequence on one device. */
export interface CsdSequenceSpec {
  readonly device: number;
  /** Heads of keys and values that this device stores. */
  readonly heads: number;
  /** m: dimensions of an embedding-order page, a power of two up to 8. */
  readonly dimsPerPage: number;
  readonly tail: PromptTail;
}

/** A sequence of a session; `device` stores it. */
export interface CsdSequence {
  readonly device: number;
  readonly id: number;
}

/** Bit patterns of binary16, rows of `width` values one behind another. */
export type HalfRows = Uint16Array;

/** Attention of the queries of a group (one without GQA) over one head's cache. */
interface HeadJob {
  readonly sequence: CsdSequence;
  readonly head: number;
}

export interface SparseJob extends HeadJob {
  readonly kind: "sparse";
  readonly queries: HalfRows;
  /** Dimensions, tokens, local window. */
  readonly r: number;
  readonly k: number;
  readonly l: number;
  /** Add the mean of V for the tokens that were not chosen. */
  readonly mean: boolean;
}

export interface DenseJob extends HeadJob {
  readonly kind: "dense";
  readonly queries: HalfRows;
}

/** One token's key and value of one head. */
export interface AppendJob extends HeadJob {
  readonly kind: "append";
  readonly key: HalfRows;
  readonly value: HalfRows;
}

export type CsdJob = SparseJob | DenseJob | AppendJob;

/** Fields of a descriptor of the engine; the rules are in rtl/sparf/front/sparf_descriptor_check.sv. */
export type DescriptorField =
  | "operation"
  | "group"
  | "dims-per-page"
  | "mode"
  | "tokens"
  | "k"
  | "window"
  | "r"
  | "dims-on-flash"
  | "tokens-on-flash"
  | "query-line"
  | "sum-line"
  | "key-line"
  | "value-line"
  | "output-line"
  | "scale"
  | "reciprocal"
  | "page-bytes";

/** The result of one job. Choices are empty if the job makes none. */
export interface CsdJobResult {
  /**
   * `unreadable`: a page could not be read, the outputs are not to be used. `refused`: a field of
   * the job's descriptor breaks a rule of the engine, which did nothing.
   */
  readonly status: "done" | "unreadable" | "refused" | "not-done";
  /** Of a refused job: the first field that breaks a rule. */
  readonly refusedField: DescriptorField | null;
  /**
   * A query, a key or a value that the job read, or a value in a mean of V that it read, is infinite or not
   * a number. The engine reads the exponent of such a value as any other, so the outputs are not those
   * of IEEE 754.
   */
  readonly nonFinite: boolean;
  readonly outputs: HalfRows;
  /** Ascending. */
  readonly dims: Uint32Array;
  readonly tokens: Uint32Array;
  /** Share of the chosen tokens in all, by query of a sparse job. */
  readonly alpha: Float64Array;
  /** Requested pages: embedding-order K, token-order K, V. */
  readonly pages: { readonly dims: number; readonly keys: number; readonly values: number };
  /** Tokens whose embedding-order and token-order pages were on flash when the job began. */
  readonly onFlash: { readonly dims: number; readonly tokens: number };
  /**
   * Times at which the host sent the job, the engine accepted it, the engine finished it, and the
   * host had received the outputs.
   */
  readonly sent: Femtoseconds;
  readonly taken: Femtoseconds;
  readonly done: Femtoseconds;
  readonly received: Femtoseconds;
}

/** A page request of the engine; recorded on demand. */
export interface PageRecord {
  readonly job: number;
  readonly copy: PageKind;
  readonly index: number;
  readonly channel: number;
  readonly asked: Femtoseconds;
  /** Last byte over the channel, or when it was given up. */
  readonly arrived: Femtoseconds;
}

/** A prompt's keys and values of one head; the GPU has them at `ready`. */
export interface PromptRows {
  readonly sequence: CsdSequence;
  readonly head: number;
  readonly ready: Femtoseconds;
  readonly keys: HalfRows;
  readonly values: HalfRows;
}

/** How keys and values were written to flash. */
export interface PromptWrite {
  /** False when the run broke off before. */
  readonly done: boolean;
  /** The first byte left the GPU; the last was in the controller's DRAM; the last page written. */
  readonly sent: Femtoseconds;
  readonly arrived: Femtoseconds;
  readonly written: Femtoseconds;
  /** Programs of them: embedding-order K, token-order K, V. */
  readonly pages: { readonly dims: number; readonly keys: number; readonly values: number };
  /** Tokens whose pages were written, in both orders; fewer than all when programs failed. */
  readonly onFlash: { readonly dims: number; readonly tokens: number };
}
