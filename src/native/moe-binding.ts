// SPDX-License-Identifier: Apache-2.0
// The MoE machine of the addon as it is; native/moe_run.h says what a run takes and returns.

import type { MachineGraph } from "../driver/machine-graph.ts";
import { NeardataError } from "../errors.ts";
import { withOurRejection } from "./addon-errors.ts";
import { loadAddon } from "./addon.ts";
import type { NativeWires } from "./csd-binding.ts";
import type { NativeFault, NativeNdpConfig } from "./ndp-binding.ts";

/** DIMM-Link; rates in bits a second of a lane, latency in cycles of its byte clock. */
export interface NativeNetwork {
  readonly lanes: number;
  readonly laneRate: number;
  readonly latency: number;
  readonly credits: number;
  readonly bitErrorRate: number;
  readonly seed: number;
  readonly topology: "chain" | "ring" | "full";
  /** DIMMs that are linked with each other. */
  readonly group: number;
  /** Links side by side between two neighbours. */
  readonly parallel: number;
  readonly ideal: boolean;
  /** What guards hold against the model: `flight` in femtoseconds, sooner than which nothing arrives. */
  readonly wires: NativeWires & { readonly flight: number };
}

/** A move: seven words a run (from DIMM, stream, burst; to DIMM, stream, burst; bursts). */
export interface NativeMove {
  /** Flows of it that may cross links at a time. */
  readonly links: number;
  /** Not before, femtoseconds. */
  readonly start: number;
  readonly runs: Uint32Array;
}

/** An expert of the CPU or GPU: femtoseconds of compute; five words a part of a chunk. */
export interface NativeDeviceTask {
  readonly compute: number;
  /** Chunk, sub-channel, rank of the sub-channel, burst, bursts; none where nothing is read. */
  readonly chunks: Uint32Array;
}

/** A device of the host. */
interface NativeDevice {
  readonly name: string;
  /** Bytes a second of PCIe; 0 without. */
  readonly transferRate: number;
  /** Of PCIe, likewise. */
  readonly wires?: NativeWires;
  /** Chunks that it reads or keeps at a time. */
  readonly buffers: number;
  readonly tasks: readonly NativeDeviceTask[];
  /** Whose weights come in while the device computes `tasks`; it computes one thing at a time. */
  readonly fetched?: readonly NativeDeviceTask[];
}

export interface NativeMoeSpec {
  readonly dimm: NativeNdpConfig;
  readonly dimms: number;
  readonly network: NativeNetwork;
  /** Descriptors by DIMM, 20 words each. */
  readonly jobs: readonly Uint32Array[];
  readonly moves: readonly NativeMove[];
  /** Of the bytes that move. */
  readonly seed: number;
  readonly devices: readonly NativeDevice[];
  /** Bytes that are in a stream before the run. */
  readonly contents: readonly {
    readonly dimm: number;
    readonly stream: number;
    readonly burst: number;
    readonly data: Uint8Array;
  }[];
  /** Jobs whose outputs are wanted: bursts of every stream. */
  readonly outputs: readonly {
    readonly dimm: number;
    readonly job: number;
    readonly burst: number;
    readonly bursts: number;
  }[];
  /** DIMMs whose units are the plug-in; the others have the model. */
  readonly rtlDimms?: Uint32Array;
  /** That evaluate units at most; no result depends on it. */
  readonly threads?: number;
  /** Commands of the memories that the result has, the first in time; none by default. */
  readonly keepCommands?: number;
}

export interface NativeMoeResult {
  readonly fault: NativeFault;
  readonly place: string;
  readonly message: string;
  readonly end: number;
  readonly jobs: readonly Float64Array[];
  readonly ports: readonly Float64Array[];
  readonly moves: Float64Array;
  readonly flows: Float64Array;
  readonly links: Float64Array;
  readonly devices: readonly Float64Array[];
  readonly transferring: Float64Array;
  readonly host: readonly Float64Array[];
  /** By DIMM the moments of its jobs at the host; see `hostMoments`. */
  readonly hostJobs: readonly Float64Array[];
  readonly commands: Float64Array;
  readonly outputs: readonly Uint8Array[];
  readonly machine: MachineGraph;
  readonly wall: number;
}

interface MoeBinding {
  readonly moeRun: (
    spec: NativeMoeSpec,
    progress: (time: number) => void,
  ) => { readonly done: Promise<NativeMoeResult>; readonly cancel: () => void };
}

/**
 * Runs a machine off the JS thread; a fault of the machine is an error.
 * @throws NeardataError `not-built`, `cancelled`, `bad-input` where no such machine can be, and
 * `check-failed` when a guard fires, bytes are lost or the machine stands still.
 */
export async function runMoe(spec: NativeMoeSpec, signal?: AbortSignal): Promise<NativeMoeResult> {
  const { done, cancel } = (loadAddon() as MoeBinding).moeRun(spec, () => undefined);
  signal?.addEventListener("abort", cancel);
  if (signal?.aborted === true) cancel();
  try {
    const result = await withOurRejection(done);
    if (result.fault === "none") return result;
    const code = { cancelled: "cancelled", "bad-config": "bad-input" } as const;
    throw new NeardataError(
      result.fault === "cancelled" || result.fault === "bad-config"
        ? code[result.fault]
        : "check-failed",
      [{ where: result.place, message: result.message }],
    );
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}
