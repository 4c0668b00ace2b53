// SPDX-License-Identifier: Apache-2.0
// One device of a pool, with the rates that the design space leaves open. Where a value has no
// comment of its own it is that of LLMCompass' A100 (Zhang et al., ISCA 2024, public model).

import type { Pool } from "./space.ts";
import {
  bytes,
  bytesPerSecond,
  hertz,
  scale,
  seconds,
  type Bytes,
  type BytesPerSecond,
  type Hertz,
  type Seconds,
} from "../../../base/units.ts";

export interface Device {
  readonly clock: Hertz;
  readonly cores: number;
  readonly lanes: number;
  /** Rows and columns of a lane's systolic array; one multiply-accumulate a cell and cycle. */
  readonly array: number;
  /** Floating-point operations per cycle of a lane's vector unit. */
  readonly vectorFlops: number;
  readonly memory: Bytes;
  readonly memoryRate: BytesPerSecond;
  readonly globalBuffer: Bytes;
  /** Bytes per cycle between the global buffer and all cores. */
  readonly bufferBytesPerCycle: number;
  readonly localBuffer: Bytes;
  /** Whether an array fills while it drains, so that its chunks are back to back; default false. */
  readonly filledOnce?: boolean;
  /** Rate to all other devices of the server together, one direction. */
  readonly linkRate: BytesPerSecond;
}

/** Devices of one server, joined all to all. */
export interface Server {
  readonly device: Device;
  readonly devices: number;
  /** Rate to servers of the other pool. */
  readonly networkRate: BytesPerSecond;
  /** Latency of one message between two devices. */
  readonly linkLatency: Seconds;
  /** Time of the launches of all kernels of a layer. */
  readonly launches: Seconds;
  /**
   * Whether all links work concurrently and reductions are hidden by the products; by default, one
   * link after the other.
   */
  readonly overlapped?: boolean;
}

/** Assumptions on which much depends and which neither the design space nor the paper states. */
export interface ServingAssumptions {
  /** Launches of a layer's kernels. */
  readonly launches: Seconds;
  readonly linkLatency: Seconds;
  /** Main memory's rate by its capacity. */
  readonly memoryRate: (memory: Bytes) => BytesPerSecond;
  /** Whether servers help the other pool out. */
  readonly helpers: boolean;
  /** `filledOnce` of a device and `overlapped` of a server. */
  readonly filledOnce?: boolean;
  readonly overlapped?: boolean;
}

const clock = hertz(1.41e9);
/** Operations per cycle for each position of a vector unit. */
const flopsPerVectorPosition = 4;
const bufferBytesPerCycle = 5120;
/** One direction of an NVLink 3. */
const linkRate = bytesPerSecond(25e9);
/**
 * The design space has no memory rate. Here it is proportional to the capacity, as stacks provide
 * both: 3.35 TB/s for the 80 GB of an H100 (NVIDIA, H100 data sheet).
 */
const memoryRatePerByte = 3.35e12 / 80e9;
/**
 * Launches: LLMCompass, measured on A100: 8 products, softmax, two normalisations, GELU. Helpers:
 * Splitwise. Latency of a link: NVLink 3, LLMCompass.
 */
export const defaultAssumptions: ServingAssumptions = {
  launches: seconds(8 * 21e-6 + 12e-6 + 2 * 45e-6 + 45e-6),
  linkLatency: seconds(8.92e-6),
  memoryRate: (memory) => bytesPerSecond(memory * memoryRatePerByte),
  helpers: true,
};

/** A network port of 400 Gb/s a device (NVIDIA, DGX H100 data sheet). */
const networkRate = bytesPerSecond(50e9);

export function serverOf(
  pool: Pool,
  assumptions: Omit<ServingAssumptions, "helpers"> = defaultAssumptions,
): Server {
  const memory = bytes(pool.mm * 1e9);
  const { filledOnce = false, overlapped = false } = assumptions;
  return {
    ...(overlapped ? { overlapped } : {}),
    devices: pool.dc,
    networkRate: scale(networkRate, pool.dc),
    linkLatency: assumptions.linkLatency,
    launches: assumptions.launches,
    device: {
      clock,
      cores: pool.cc,
      lanes: pool.lanes,
      array: pool.ah,
      vectorFlops: flopsPerVectorPosition * pool.vw,
      memory,
      memoryRate: assumptions.memoryRate(memory),
      globalBuffer: bytes(pool.gb * 2 ** 20),
      bufferBytesPerCycle,
      localBuffer: bytes(pool.lb * 2 ** 10),
      ...(filledOnce ? { filledOnce } : {}),
      linkRate: scale(linkRate, pool.links),
    },
  };
}
