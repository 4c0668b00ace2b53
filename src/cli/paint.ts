// SPDX-License-Identifier: Apache-2.0
// Colour for what failed, on a terminal that shows it; nothing where NO_COLOR is set (no-color.org).

import process from "node:process";
import { styleText } from "node:util";

/** The text in red. */
export function failed(text: string, stream: NodeJS.WriteStream = process.stdout): string {
  const wanted = stream.isTTY && (process.env["NO_COLOR"] ?? "") === "";
  return wanted ? styleText("red", text) : text;
}
