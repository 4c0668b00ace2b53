// SPDX-License-Identifier: Apache-2.0
// Sessions of storage devices as commands open them.

import type { OpenCsdSession } from "../machine/csd/csd-types.ts";
import { openCsdSession } from "../native/csd/csd-session.ts";

/** Sessions whose runs use at most `threads` threads; by default one per core. */
export function csdsOn(threads?: number): OpenCsdSession {
  return async (machine) => openCsdSession(machine, threads);
}
