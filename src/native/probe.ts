// SPDX-License-Identifier: Apache-2.0
// Runs the RTL of a machine's unit for a few cycles, off the JS thread, before a session opens it on the JS
// thread: RTL that blocks its thread can be stopped here.

import { stopSignal } from "../base/stop-signal.ts";
import { loadAddon } from "./addon.ts";
import { controlledRun } from "./controlled-run.ts";

/** Cycles of the probe when the addon opens a session (sim/rtl/unit_probe.h). */
const cycles = 64;

/**
 * Returns the plug-in after a probe run of its RTL. The signal, by default that of the running
 * command, ends it.
 * @throws NeardataError `cancelled`, `bad-input` if the file is not a plug-in
 */
export async function probed(
  plugin: string,
  signal: AbortSignal | undefined = stopSignal(),
): Promise<string> {
  const addon = loadAddon();
  const handle = addon.probeOpen({ plugin });
  try {
    await controlledRun(
      async (progress) => addon.probeRun(handle, { cycles }, progress),
      {
        cancel: () => {
          addon.probeCancel(handle);
        },
        abandon: () => {
          addon.probeAbandon(handle);
        },
      },
      () => undefined,
      signal,
    );
    return plugin;
  } finally {
    addon.probeClose(handle);
  }
}
