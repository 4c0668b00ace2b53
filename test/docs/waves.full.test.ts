// SPDX-License-Identifier: Apache-2.0
// The timing diagrams of docs/reference/ports.md are those of the RTL. `make ports` draws them.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { timingDiagrams } from "../../tools/ports/transactions.ts";

it("timing diagrams are those of runs of the RTL", { timeout: 1_800_000 }, async () => {
  for (const [name, svg] of await timingDiagrams()) {
    expect([name, readFileSync(inRepository("docs", "reference", name), "utf8")]).toEqual([
      name,
      svg,
    ]);
  }
});
