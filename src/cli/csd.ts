// SPDX-License-Identifier: Apache-2.0
// Sessions of storage devices as commands open them.

import type { OpenCsdSession } from "../driver/csd-types.ts";
import { NeardataError } from "../errors.ts";

/** @throws NeardataError `not-built` until the engine's RTL is there. */
export const openCsd: OpenCsdSession = ({ engine }) =>
  Promise.reject(
    new NeardataError("not-built", [
      {
        where: `engine ${engine}`,
        message: "this build has no attention engine in hardware yet; use golden",
      },
    ]),
  );
