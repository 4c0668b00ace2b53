// SPDX-License-Identifier: Apache-2.0
// Options that the commands of `neardata lm` share.

import { shareOf } from "../config/quantity.ts";
import { inputError } from "../errors.ts";
import { shown } from "../shown.ts";
import { wholeNumber } from "./options.ts";

/** Of a text that anybody has; a window is 768 bytes. */
const mostWindows = 1_000_000;

/** Commander's parser of a share. */
export function parseRatio(text: string): number {
  const ratio = shareOf(text);
  if (ratio !== null) return ratio;
  throw inputError(
    "--ratio",
    `${shown(text)} is no share above 0 and at most 1, such as 1/8 or 0.125.`,
  );
}

/** Commander's parser of windows, none twice. */
export function parseWindows(text: string): readonly number[] {
  const windows = text.split(",").map(wholeNumber("--windows", 0, mostWindows));
  const twice = windows.find((window, i) => windows.indexOf(window) !== i);
  if (twice !== undefined) throw inputError("--windows", `window ${twice} stands there twice.`);
  return windows;
}
