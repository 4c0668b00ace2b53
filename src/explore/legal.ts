// SPDX-License-Identifier: Apache-2.0
// Designs of an exploration that break no rule.

import { NeardataError } from "../base/errors.ts";
import type { Settings } from "./spec.ts";

/**
 * Leaves out designs for which `check` throws `bad-input`.
 * @throws NeardataError `bad-input` where none is left, with the problems of the first
 */
export function legalOf(
  designs: readonly Settings[],
  check: (settings: Settings) => unknown,
): { readonly designs: readonly Settings[]; readonly refused: number } {
  const why: NeardataError[] = [];
  const legal = designs.filter((settings) => {
    try {
      check(settings);
      return true;
    } catch (error) {
      if (!(error instanceof NeardataError) || error.code !== "bad-input") throw error;
      why.push(error);
      return false;
    }
  });
  const [first] = why;
  if (legal.length === 0 && first !== undefined) throw first;
  return { designs: legal, refused: designs.length - legal.length };
}
