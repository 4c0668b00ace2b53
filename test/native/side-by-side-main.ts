// SPDX-License-Identifier: Apache-2.0
// Sessions of every kind side by side, as a program of its own for .ci/sanitize.

import { strict as assert } from "node:assert";
import process from "node:process";

import { buildEcho } from "./echo.ts";
import { oneByOne, sideBySide } from "./side-by-side.ts";

// Compilers must not inherit the run time of a sanitizer.
delete process.env["LD_PRELOAD"];
const plugin = await buildEcho();
const rounds = Number(process.argv[2] ?? "1");
for (let round = 0; round < rounds; round += 1) {
  const { results, ends } = await sideBySide(plugin);
  assert.deepEqual(ends, ["cancelled", ["cancelled"], "cancelled", "cancelled", "cancelled"]);
  if (round > 0) continue;
  const alone = await oneByOne(plugin);
  assert.deepEqual(results, [...alone, ...alone]);
}
process.stdout.write("sessions side by side: all as alone\n");
