// SPDX-License-Identifier: Apache-2.0
// The computational storage device of InstInfer: its attention engine, the controller's DRAM and
// the link to the GPU, for heads of any width.

import { defined } from "../../base/defined.ts";
import { powerOfTwoFrom } from "../../base/power-of-two.ts";
import type {
  ChosenController,
  CsdMachine,
  HostLink,
  NandFeatures,
  SparfUnitParameters,
} from "../csd/csd-machine.ts";
import type { Issue } from "../../base/errors.ts";
import type { FlashDevice } from "../flash/device.ts";
import { defaultReadPolicy, type ReadPolicy } from "../flash/read-policy.ts";
import { bytesPerSecond, hertz, seconds, type BytesPerSecond } from "../../base/units.ts";
import { chosenController, controllerFor } from "./controller.ts";
import { defaultHostLink } from "./host-link.ts";
import { defaultNand } from "./nand.ts";

const bytesPerValue = 2;
const lineBytes = 64;

/**
 * Two kernels of 16 multipliers per unit, which exceeds the rate of eight channels of 1.4 GB/s;
 * eight heads in flight in each. Section V: 285 MHz.
 */
const engine = {
  kernels: 2,
  lanes: 16,
  maxKeys: 32768,
  maxGroup: 8,
  slots: 8,
  tags: 256,
  querySets: 1,
} as const;

/** Parameters of the engine that a design may choose. */
export interface EngineSize {
  readonly kernels: number;
  /** Multipliers of each of a kernel's two GeMV units. */
  readonly lanes: number;
  /** Heads in flight in a kernel. */
  readonly slots: number;
  /** Lines of each of a kernel's two rings; if absent, derived from the number of channels. */
  readonly ringLines?: number;
  /** Queries of a group that a kernel serves at once, each with its multipliers; absent: one. */
  readonly querySets?: number;
  /** Logits of a head that fit: tokens times queries, in whole sets; absent: the device's. */
  readonly maxKeys?: number;
}

const engineClock = hertz(285e6);
/** Eight channels, which share a bank of the rings (rtl/sparf/sparf_pkg.sv), fill so many lines. */
const ring = { channels: 8, lines: 2048, pageRows: 64 };

/** The size of the device's engine, with the given parameters replaced. */
export function engineSize(
  given: { readonly [Key in keyof EngineSize]?: number | undefined } = {},
): EngineSize {
  return {
    kernels: given.kernels ?? engine.kernels,
    lanes: given.lanes ?? engine.lanes,
    slots: given.slots ?? engine.slots,
    ...defined({ ringLines: given.ringLines, querySets: given.querySets, maxKeys: given.maxKeys }),
  };
}

/** Legal values of the sizes of an engine. */
export const engineSizes: Readonly<Record<keyof EngineSize, readonly number[]>> = {
  kernels: [1, 2, 4],
  lanes: [4, 8, 16],
  slots: [2, 4, 8, 16],
  ringLines: [256, 512, 1024, 2048, 4096, 8192, 16384],
  querySets: [1, 2, 4, 8],
  maxKeys: Array.from({ length: 14 }, (_, i) => 64 << i),
};
const maxChannels = 16;
/** Two rows of eight tokens. */
const leastSetKeys = 16;

/** Every rule of the RTL that a design breaks (sparf_engine, sparf_gemv_sequencer, sparf_head_front). */
export function engineSizeIssues(size: EngineSize, channels: number | null): readonly Issue[] {
  const keys = ["kernels", "lanes", "slots", "ringLines", "querySets", "maxKeys"] as const;
  const issues: Issue[] = keys.flatMap((key): readonly Issue[] => {
    const value = size[key];
    if (value === undefined || engineSizes[key].includes(value)) return [];
    const message = `${value} is not one of ${engineSizes[key].join(", ")}.`;
    return [{ where: `attention.engine.${key}`, message }];
  });
  const { querySets, maxKeys } = { ...engine, ...size };
  if (maxKeys < leastSetKeys * querySets) {
    const message = `${maxKeys} is less than ${leastSetKeys} for each of ${querySets} queries.`;
    issues.push({ where: "attention.engine.maxKeys", message });
  }
  if (channels !== null && channels > maxChannels) {
    const message = `the engine takes at most ${maxChannels} channels, not ${channels}.`;
    issues.push({ where: "attention.channels", message });
  }
  return issues;
}

/**
 * Limits of the engine, as RTL and as a cycle model (rtl/sparf: front/sparf_head_loader,
 * front/sparf_dim_walker, sparf_pkg).
 */
const limits = {
  width: [8, 128],
  pageBytes: [64, 16384],
  pageRows: 128,
  dimsPerPage: 8,
  /** Largest count in a descriptor. */
  count: 65535,
  /** Tokens in a row of logits. */
  rowTokens: 8,
} as const;

/** The layout of a head on pages. */
export interface HeadLayout {
  readonly width: number;
  readonly length: number;
  readonly pageBytes: number;
  readonly dimsPerPage: number;
  /** Queries that share the head's keys and values; absent: one. */
  readonly group?: number;
  /**
   * Choice of a sparse head: dimensions, tokens, and how many of the tokens are the latest. Absent:
   * the head is dense.
   */
  readonly choice?: { readonly r: number; readonly k: number; readonly l: number };
}

/**
 * The rules of the engine that a head breaks, one sentence per rule. The limit of rows per page
 * applies only to a simulated engine (RTL or cycle model).
 */
export function engineRuleViolations(
  head: HeadLayout,
  simulated: boolean = true,
  size: Pick<EngineSize, "querySets" | "maxKeys"> = {},
): readonly string[] {
  const { width, length, pageBytes, dimsPerPage, group = 1, choice } = head;
  const { querySets, maxKeys } = { ...engine, ...size };
  const longest = Math.min(limits.count, Math.floor(maxKeys / querySets));
  const room = Math.ceil(length / limits.rowTokens) * limits.rowTokens;
  const queries = Math.ceil(group / querySets) * querySets;
  const sets = querySets === 1 ? "" : ` in sets of ${querySets}`;
  const among = (value: number, [least, most]: readonly [number, number]): boolean =>
    value >= least && value <= most && Number.isInteger(Math.log2(value));
  const rows = pageBytes / (bytesPerValue * width);
  const say = (holds: boolean, rule: string, actual: string): readonly string[] =>
    holds ? [] : [`the engine takes ${rule}, not ${actual}.`];
  const page = `pages of ${limits.pageBytes.join(" to ")} bytes, a power of two`;
  return [
    ...say(
      among(width, limits.width),
      `${limits.width.join(" to ")} dimensions, a power of two`,
      `${width}`,
    ),
    ...say(among(pageBytes, limits.pageBytes), page, `of ${pageBytes}`),
    ...say(
      rows >= 1 && (!simulated || rows <= limits.pageRows),
      `pages of 1 to ${limits.pageRows} rows of a head`,
      `${rows} (${pageBytes} bytes, ${width} dimensions)`,
    ),
    ...say(
      among(dimsPerPage, [1, limits.dimsPerPage]),
      `1, 2, 4 or 8 dimensions to an embedding-order page`,
      `${dimsPerPage}`,
    ),
    ...say(length >= 1 && length <= longest, `heads of 1 to ${longest} tokens`, `${length}`),
    ...say(
      group >= 1 && group <= engine.maxGroup && (group === 1 || queries * room <= maxKeys),
      `groups of 1 to ${engine.maxGroup} queries and ${maxKeys} tokens, in whole eights, times queries${sets}`,
      `${group} over ${length} tokens`,
    ),
    ...(choice === undefined ? [] : choiceRefuses(width, choice)),
  ];
}

/**
 * The rules that the choice of a sparse head breaks. A choice of more tokens than the head has
 * selects all of them.
 */
function choiceRefuses(
  width: number,
  { r, k, l }: NonNullable<HeadLayout["choice"]>,
): readonly string[] {
  const among = (what: string, value: number, least: number, most: number): readonly string[] =>
    Number.isInteger(value) && value >= least && value <= most
      ? []
      : [`the engine takes ${what} from ${least} to ${most}, not ${value}.`];
  return [
    ...among("chosen dimensions (r)", r, 1, width),
    ...among("chosen tokens (k)", k, 1, limits.count),
    ...among("tokens of the window (l)", l, 0, limits.count),
  ];
}

/**
 * The engine for heads of `width` whose pages have `pageRows` tokens; its rings have at least
 * `ringLines`.
 */
export function sparfUnit(
  width: number,
  channels: number,
  pageRows: number,
  ringLines: number = 1,
  size: EngineSize = engine,
): SparfUnitParameters {
  const lines = size.ringLines ?? ring.lines * Math.ceil(channels / ring.channels);
  return {
    ...engine,
    ...size,
    channels,
    width,
    lanes: Math.min(size.lanes, width),
    ringLines: Math.max(lines, powerOfTwoFrom(ringLines)),
    maxPageRows: Math.max(ring.pageRows, pageRows),
  };
}

/**
 * Lines of the ring of keys that step 1 needs: the ring must store the chosen dimensions of a block
 * of tokens at once.
 */
export function ringLinesFor(
  pageBytes: number,
  dimsPerPage: number,
  dims: number,
  tokens: number,
): number {
  const block = Math.min(tokens, pageBytes / (bytesPerValue * dimsPerPage));
  return dims * Math.ceil((block * bytesPerValue) / lineBytes);
}

/** Parameters of a machine of the device. */
export interface CsdOptions {
  readonly engine: CsdMachine["engine"];
  readonly devices: number;
  readonly unit: SparfUnitParameters;
  readonly flash: FlashDevice;
  readonly link?: HostLink;
  /** Absent: each has its lanes alone. */
  readonly sharedLink?: BytesPerSecond;
  /** Absent: the default controller of the device. */
  readonly controller?: ChosenController;
  readonly nand?: NandFeatures;
  readonly reads?: ReadPolicy;
  /** Limits of the heads per device and of their tokens; absent: some layers of usual lengths. */
  readonly holds?: { readonly heads: number; readonly tokens: number };
}

/** 2 GB per device with four dies: enough for the layers that a run writes. */
const blocks = { blocksPerPlane: 64, pagesPerBlock: 256 };

/**
 * More blocks if the heads need them: each head has separate blocks in every plane, and an eighth
 * is spare.
 */
function blocksFor(
  { heads, tokens }: NonNullable<CsdOptions["holds"]>,
  width: number,
  flash: FlashDevice,
): typeof blocks {
  const planes = flash.channels * flash.dies_per_channel * flash.planes_per_die;
  // Rows of K and of V, and K again in embedding order.
  const pages = Math.ceil((3 * tokens * width * bytesPerValue) / flash.page_bytes / planes);
  const spare = 8 / 7;
  const needed = spare * heads * Math.ceil(pages / blocks.pagesPerBlock);
  return { ...blocks, blocksPerPlane: Math.max(blocks.blocksPerPlane, powerOfTwoFrom(needed)) };
}

/**
 * The controller's DRAM (assumed: one 64-bit DDR4-2400 module, 100 ns loaded) transfers queries,
 * outputs and rows of incomplete pages.
 */
export function csdMachine({
  engine: fidelity,
  devices,
  unit,
  flash,
  link = defaultHostLink,
  sharedLink,
  controller = chosenController,
  nand = defaultNand,
  reads = defaultReadPolicy,
  holds = { heads: 1, tokens: 1 },
}: CsdOptions): CsdMachine {
  return {
    engine: fidelity,
    devices,
    unit,
    clock: engineClock,
    flash,
    ...blocksFor(holds, unit.width, flash),
    reads,
    nand,
    controller: controllerFor(controller, flash),
    dram: { latency: seconds(100e-9), rate: bytesPerSecond(19.2e9) },
    hotPages: 0,
    link,
    sharedLink: sharedLink === undefined ? null : { rate: sharedLink },
  };
}
