// SPDX-License-Identifier: Apache-2.0
// Collects the problems of several checks, so that a user gets all of them at once.

import { NeardataError, type Issue } from "./errors.ts";

/** The value, or null with the problems added to `issues`. */
export function collect<T>(issues: Issue[], make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof NeardataError)) throw error;
    issues.push(...error.issues);
    return null;
  }
}
