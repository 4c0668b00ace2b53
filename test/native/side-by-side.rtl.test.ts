// SPDX-License-Identifier: Apache-2.0
// Sessions of every kind at once, some of them cancelled: each gives what it gives alone.

import { expect, test } from "vitest";

import { buildEcho } from "./echo.ts";
import { oneByOne, sideBySide } from "./side-by-side.ts";

test("parallel sessions have the results of single sessions, even if others are cancelled", async () => {
  const plugin = await buildEcho();
  const alone = await oneByOne(plugin);
  const { results, ends } = await sideBySide(plugin);
  expect(results).toEqual([...alone, ...alone]);
  expect(ends).toEqual(["cancelled", ["cancelled"], "cancelled", "cancelled", "cancelled"]);
});
