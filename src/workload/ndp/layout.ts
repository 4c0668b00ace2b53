// SPDX-License-Identifier: Apache-2.0
// Addresses of the tensors of an expert in the sub-channels of a DIMM, and the descriptor with these
// addresses. Row n of a matrix belongs to stream n mod Streams; addresses count 64-byte bursts inside a
// sub-channel and are the same in each. Rows are padded to whole blocks with zeros.

import { inputError, type Issue } from "../../base/errors.ts";
import { fromBits, toBits } from "../../golden/float16.ts";
import {
  gateOf,
  type ActivationFunction,
  type FloatFormat,
  type GateFunction,
} from "../../golden/names.ts";
import type { LowBitFormat } from "../../golden/low-bit.ts";
import {
  accessesPerBurst,
  burstsOf,
  closedAccessCycles,
  rankRefreshInterval,
  rankRefreshTime,
} from "../../machine/rank-memory.ts";
import { slotCycles } from "../../machine/slot-cycles.ts";
import { cycles } from "../../base/units.ts";
import type { Cycles } from "../../base/units.ts";
import { lowBitRowBursts, weightCodes } from "./pack-low-bit.ts";
import type { NdpMachine, NdpUnitParameters } from "../../machine/types.ts";
import type { Arrangement } from "../../machine/arrangement.ts";

const burstBytes = 64;
/** 16-bit values of a burst. */
export const valuesPerBurst: number = burstBytes / 2;
/** Regions begin at a multiple of this, so that no two share a row of a bank. */
const regionAlignment = 1024;
const maxTokens = 65535;
/** Words of 32 bits of a descriptor (DescWords of dimm_ndp_pkg). */
export const descriptorWords = 23;

const gatedExpert = 1;
/** Codes of functions in a descriptor. */
export const functionCode: Readonly<Record<ActivationFunction, number>> = {
  identity: 0,
  relu: 1,
  silu: 2,
  gelu: 3,
  "gelu-tanh": 4,
  relu2: 5,
  "quick-gelu": 6,
};

/** The activation in a descriptor: bits of word 0, and the upper half of word 16. */
function activationBits(
  activation: ActivationFunction | GateFunction,
  format: FloatFormat,
): { readonly mode: number; readonly limit: number } {
  const { name, limit = 0, upPlusOne } = gateOf(activation);
  const bits = toBits(format, limit);
  if (fromBits(format, bits) !== limit || limit < 0 || !Number.isFinite(limit)) {
    throw inputError(
      "expert",
      `the limit ${limit} is not a positive ${format.toUpperCase()} number.`,
    );
  }
  return { mode: (functionCode[name] << 4) | (upPlusOne === true ? 1 << 7 : 0), limit: bits << 16 };
}

/** The computation y = down(act(gate x) * (up x)) for `tokens` tokens. */
export interface ExpertShape {
  readonly hidden: number;
  /** Rows of down; absent: as many as inputs. */
  readonly outputs?: number;
  readonly intermediate: number;
  readonly tokens: number;
  readonly format: FloatFormat;
  readonly activation: ActivationFunction | GateFunction;
  /** Weights of fewer bits than `format`; absent: of that format. */
  readonly lowBit?: LowBitShape;
}

/** Passes of low-bit weights over the blocks of their inputs (`golden/scaled-blocks.ts`). */
export interface LowBitShape {
  readonly format: LowBitFormat;
  readonly gateUpRepeats: number;
  readonly downRepeats: number;
  /** FP32 factors of NVFP4 matrices; absent: 1. */
  readonly factors?: Readonly<Record<"gate" | "up" | "down", number>>;
}

/** A matrix in a sub-channel: row group j begins at `base + j * stride`. */
export interface MatrixPlace {
  readonly base: number;
  readonly stride: number;
  /** Bursts of one row. */
  readonly rowBursts: number;
  readonly rows: number;
  readonly columns: number;
  /** Blocks of weights for each block of the input. */
  readonly repeats: number;
}

/**
 * Vectors of tokens: burst q of token t is in stream q mod Streams at base + t*stride + q/Streams.
 */
export interface VectorPlace {
  readonly base: number;
  readonly stride: number;
  /** Values of a token, without padding. */
  readonly length: number;
  /** Bursts of a token over all streams. */
  readonly bursts: number;
}

export interface ExpertLayout {
  readonly shape: ExpertShape;
  readonly streams: number;
  readonly tokensPerPass: number;
  readonly gate: MatrixPlace;
  readonly up: MatrixPlace;
  readonly down: MatrixPlace;
  readonly input: VectorPlace;
  readonly output: VectorPlace;
  /** Bursts of a sub-channel in use. */
  readonly bursts: number;
  /** Weight bursts that one pass reads from each sub-channel. */
  readonly passBursts: number;
  /** Blocks of weights that one pass multiplies with each token, of each stream. */
  readonly passBlocks: number;
  readonly descriptor: Uint32Array;
}

/**
 * Lays an expert out for a unit.
 * @throws NeardataError `bad-input` when a single token does not fit the unit's buffer, or the unit
 * lacks the format of the weights.
 */
export function layOutExpert(
  unit: NdpUnitParameters,
  shape: ExpertShape,
  arrangement: Arrangement,
): ExpertLayout {
  const blockBursts = (unit.multipliersPerStream * unit.lanes) / valuesPerBurst;
  const blocksOf = (values: number): number => Math.ceil(values / (blockBursts * valuesPerBurst));
  const inWords = blocksOf(shape.hidden) * blockBursts;
  const midWords = blocksOf(shape.intermediate) * blockBursts;
  const { lowBit, outputs = shape.hidden } = shape;
  if (lowBit !== undefined && unit.lowBitWeights !== 1) {
    throw inputError(
      "ndp.lowBitWeights",
      `the unit multiplies FP16 and BF16 weights; for ${lowBit.format} it needs lowBitWeights.`,
    );
  }
  const [gateUpRepeats, downRepeats] = [lowBit?.gateUpRepeats ?? 1, lowBit?.downRepeats ?? 1];
  const rowBursts = (words: number, repeats: number): number =>
    lowBit === undefined ? words : lowBitRowBursts(lowBit.format, (words / blockBursts) * repeats);
  const gateUpRow = rowBursts(inWords, gateUpRepeats);
  const downRow = rowBursts(midWords, downRepeats);
  if (
    lowBit !== undefined &&
    (Math.max(gateUpRow, downRow) > maxTokens || Math.max(gateUpRepeats, downRepeats) > 256)
  ) {
    throw inputError(
      "expert",
      `a row of ${lowBit.format} weights takes more than ${maxTokens} bursts, or has ` +
        "more than 256 groups in half a block.",
    );
  }
  const tokensPerPass = balancedPass(unit, shape, inWords, midWords);

  const streams = unit.streams;
  const groups = Math.ceil(shape.intermediate / streams);
  const alternate = arrangement === "interleaved";
  const gate = {
    base: 0,
    stride: alternate ? 2 * gateUpRow : gateUpRow,
    rowBursts: gateUpRow,
    rows: shape.intermediate,
    columns: shape.hidden,
    repeats: gateUpRepeats,
  };
  const up = { ...gate, base: alternate ? gateUpRow : alignUp(groups * gateUpRow) };
  const down = {
    base: alignUp(up.base + groups * gate.stride),
    stride: downRow,
    rowBursts: downRow,
    rows: outputs,
    columns: shape.intermediate,
    repeats: downRepeats,
  };
  const outGroups = Math.ceil(outputs / streams);
  const input = vectorPlace(
    alignUp(down.base + outGroups * downRow),
    inWords,
    shape.hidden,
    streams,
  );
  const inputEnd = alignUp(input.base + shape.tokens * input.stride);
  const outBursts = Math.ceil(outputs / valuesPerBurst);
  const output = vectorPlace(inputEnd, outBursts, outputs, streams);
  const bursts = output.base + shape.tokens * output.stride;

  const hiddenWord = tokensPerPass * inWords;
  const chunkWord = hiddenWord + tokensPerPass * midWords;
  const activation = activationBits(shape.activation, shape.format);
  const mode = gatedExpert | activation.mode | (shape.format === "bf16" ? 1 << 8 : 0);
  const descriptor = new Uint32Array(descriptorWords);
  descriptor.set([mode, shape.tokens, tokensPerPass, inWords / blockBursts]);
  descriptor.set([shape.intermediate, midWords / blockBursts, outputs], 4);
  descriptor.set([input.base, input.stride, gate.base, up.base, gate.stride], 7);
  descriptor.set([down.base, down.stride, output.base, output.stride], 12);
  descriptor.set([hiddenWord | activation.limit, chunkWord], 16);
  if (lowBit !== undefined) {
    descriptor[0] =
      mode |
      (weightCodes[lowBit.format] << 12) |
      ((gateUpRepeats - 1) << 16) |
      ((downRepeats - 1) << 24);
    descriptor.set(
      [blocksOf(shape.hidden) * gateUpRepeats, blocksOf(shape.intermediate) * downRepeats],
      18,
    );
    const { gate = 1, up = 1, down = 1 } = lowBit.factors ?? {};
    descriptor.set(new Uint32Array(Float32Array.of(gate, up, down).buffer), 20);
  }
  return {
    shape,
    streams,
    tokensPerPass,
    gate,
    up,
    down,
    input,
    output,
    bursts,
    passBursts: 2 * groups * gateUpRow + outGroups * downRow,
    passBlocks:
      (2 * groups * inWords * gateUpRepeats + outGroups * midWords * downRepeats) / blockBursts,
    descriptor,
  };
}

/** The reason why an expert does not fit in the ranks of a machine, or null. */
export function capacityIssue({ memory }: NdpMachine, { bursts }: ExpertLayout): Issue | null {
  if ("ideal" in memory) return null;
  const capacity = burstsOf(memory);
  if (bursts <= capacity) return null;
  const message = `a rank holds ${capacity} bursts of 64 bytes, the expert needs ${bursts} in each.`;
  return { where: "expert", message };
}

/**
 * Unit cycles of one burst of weights alone, an upper bound for any memory whose timings are
 * ordered as in JEDEC.
 */
const minBurstCycles = 200;

/** Upper bound of the unit cycles of a read of a closed row, with its share of refreshes and RFMs. */
function burstCyclesOf({ memory, clock }: Pick<NdpMachine, "memory" | "clock">): number {
  if ("ideal" in memory) return minBurstCycles;
  // Every access opens a row, and an RFM takes as long as a refresh of the same banks.
  const { refreshManagement } = memory;
  const managed =
    refreshManagement === undefined
      ? 0
      : (accessesPerBurst(memory) * rankRefreshTime(memory)) / refreshManagement.initial;
  const access = closedAccessCycles(memory) + managed;
  const interval = rankRefreshInterval(memory);
  const refreshed = interval === 0 ? 1 : interval / (interval - rankRefreshTime(memory));
  const read = access * (memory.refresh === "PerBank" ? 1 : refreshed);
  return Math.max(minBurstCycles, Math.ceil((read * clock) / memory.clock));
}

/**
 * A bound that a sound run stays below: every weight burst alone, from a closed row, and every
 * slot, twice over, and a fixed allowance for short runs.
 */
export function cycleLimit(
  { unit, ...machine }: Pick<NdpMachine, "unit" | "memory" | "clock">,
  layout: ExpertLayout,
): Cycles {
  const passes = Math.ceil(layout.shape.tokens / layout.tokensPerPass);
  const slots = layout.passBlocks * layout.shape.tokens;
  const burstCycles = burstCyclesOf(machine);
  const allowance = 100_000;
  return cycles(
    2 * (passes * layout.passBursts * burstCycles + slots * slotCycles(unit)) + allowance,
  );
}

/** Buffer words (64 bytes) per token of a pass: its input, its hidden row, its chunks. */
function wordsPerToken(unit: NdpUnitParameters, inWords: number, midWords: number): number {
  // Two chunk halves, each with gate and up results of `activationLanes` rows.
  const chunkWords = (2 * 2 * unit.activationLanes) / valuesPerBurst;
  return inWords + midWords + chunkWords;
}

/** Tokens of a pass: as few passes as the buffer allows, of nearly equal size. */
function balancedPass(
  unit: NdpUnitParameters,
  shape: ExpertShape,
  inWords: number,
  midWords: number,
): number {
  const { tokens } = shape;
  if (tokens < 1 || tokens > maxTokens) {
    throw inputError("tokens", `one job takes 1 to ${maxTokens} tokens, ${tokens} were given.`);
  }
  const perToken = wordsPerToken(unit, inWords, midWords);
  const fitting = Math.floor(unit.bufferBytes / burstBytes / perToken);
  const most = Math.min(fitting, unit.maxTokens);
  if (most < 1) {
    throw inputError(
      "ndp.buffer",
      `one token of ${shape.hidden} inputs and ${shape.intermediate} hidden values needs ` +
        `${perToken * burstBytes} bytes of the unit's buffer, which has ${unit.bufferBytes}.`,
    );
  }
  return Math.ceil(tokens / Math.ceil(tokens / most));
}

function vectorPlace(base: number, bursts: number, length: number, streams: number): VectorPlace {
  return { base, stride: Math.ceil(bursts / streams), length, bursts };
}

function alignUp(burst: number): number {
  return Math.ceil(burst / regionAlignment) * regionAlignment;
}
