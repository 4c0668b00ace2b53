// SPDX-License-Identifier: Apache-2.0
// Runs of a MoE machine: a machine is made for each.

import { NeardataError } from "../../base/errors.ts";
import { loadAddon } from "../addon.ts";
import { controlledRun } from "../controlled-run.ts";
import type { Native } from "../layout.ts";
import { probed } from "../probe.ts";

/** A machine and its work. */
export type NativeMoeSpec = Native<"MoeConfig"> & Native<"MoeWork">;
export type NativeMoeResult = Native<"MoeResult">;
export type NativeNetwork = Native<"Network">;
export type NativeMove = Native<"Move">;
export type NativeDeviceTask = Native<"DeviceTask">;

/**
 * Runs a machine off the JS thread; a fault of the machine is an error.
 * @throws NeardataError `not-built`, `cancelled`, `bad-input` for an impossible machine, and
 * `check-failed` if a static bound is violated, bytes are lost or the machine deadlocks.
 */
export async function runMoe(spec: NativeMoeSpec, signal?: AbortSignal): Promise<NativeMoeResult> {
  const addon = loadAddon();
  if (spec.dimm.plugin !== undefined) await probed(spec.dimm.plugin, signal);
  const handle = addon.moeOpen(spec);
  try {
    const result = await controlledRun(
      async (progress) => addon.moeRun(handle, spec, progress),
      {
        cancel: () => {
          addon.moeCancel(handle);
        },
        abandon: () => {
          addon.moeAbandon(handle);
        },
      },
      () => undefined,
      signal,
    );
    if (result.fault === "none") return result;
    const code = { cancelled: "cancelled", "bad-config": "bad-input" } as const;
    throw new NeardataError(
      result.fault === "cancelled" || result.fault === "bad-config"
        ? code[result.fault]
        : "check-failed",
      [{ where: result.place, message: result.message }],
    );
  } finally {
    addon.moeClose(handle);
  }
}
