// SPDX-License-Identifier: Apache-2.0
// A system's part of a plan, for every policy: its time if the data fit, and its memory map.

import { inFile } from "../../base/errors.ts";
import type { Bytes, Seconds } from "../../base/units.ts";
import {
  bytesUsed,
  largestText,
  shortagesOf,
  shortageText,
  type MemoryMap,
  type MemoryUse,
  type Shortage,
} from "./memory-map.ts";

/** The models' results for a system; null: not computed. */
export interface Outcome {
  readonly latency: Seconds | null;
  /** Generated tokens per second. */
  readonly throughput: number | null;
  readonly joulesPerToken: number | null;
}

/** A device as plans print it. */
export interface PlacedDevice {
  readonly device: string;
  /** Bytes. */
  readonly capacity: Bytes;
  readonly used: Bytes;
  readonly uses: readonly MemoryUse[];
}

/** One system of a plan. Times and rates are null where a device is too small. */
export interface Placed extends Outcome {
  readonly system: string;
  readonly fits: boolean;
  readonly memory: readonly PlacedDevice[];
  /** Devices that are too small. */
  readonly lacks: readonly Shortage[];
  readonly largestBatch: LargestBatch;
}

/**
 * The largest batch that fits. `any`: the system divides a batch into parts that fit, so that no
 * memory limits it. Null: not even one sequence fits.
 */
export type LargestBatch = number | "any" | null;

const nothing: Outcome = { latency: null, throughput: null, joulesPerToken: null };

/** Returns the outcome only if every device has sufficient memory. */
export function withCapacityCheck(
  system: string,
  memory: MemoryMap,
  largestBatch: LargestBatch,
  outcome: Outcome,
): Placed {
  const lacks = shortagesOf(memory);
  const fits = lacks.length === 0;
  return {
    system,
    fits,
    lacks,
    largestBatch,
    ...(fits ? outcome : nothing),
    memory: memory.map(({ device, capacity, uses }) => ({
      device,
      capacity,
      uses,
      used: bytesUsed({ device, capacity, uses }),
    })),
  };
}

/** The shortages of a system, one sentence per device. */
export function lackTexts({ lacks, largestBatch }: Placed): readonly string[] {
  const largest = largestBatch === "any" ? "" : ` ${largestText(largestBatch)}`;
  return lacks.map((one) => `${shortageText(one)}${largest}`);
}

/**
 * Rejects a plan that fits on no system.
 * @throws NeardataError `bad-input` with every device that is too small
 */
export function requireOneThatFits(file: string, systems: readonly Placed[]): void {
  if (systems.some(({ fits }) => fits)) return;
  throw inFile(
    file,
    systems.flatMap((one) =>
      lackTexts(one).map((text) => ({ where: "batch", message: `${one.system}: ${text}` })),
    ),
  );
}
