// SPDX-License-Identifier: Apache-2.0
// Colour for what failed, on a terminal that shows it; nothing where NO_COLOR is set (no-color.org).

import process from "node:process";
import { styleText } from "node:util";

/** The text in red. */
export function failed(
  text: string,
  stream: { readonly isTTY?: boolean } = process.stdout,
): string {
  const wanted = stream.isTTY && (process.env["NO_COLOR"] ?? "") === "";
  // The stream was looked at; left to itself, `styleText` looks at standard output.
  return wanted ? styleText("red", text, { validateStream: false }) : text;
}
