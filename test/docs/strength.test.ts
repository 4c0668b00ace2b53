// SPDX-License-Identifier: Apache-2.0
// docs/results/tests.md: the samples of injected faults add up, their intervals follow from them, equivalent faults have
// their reasons, and cover points are those of the testbenches. No record has the samples: each needs hours.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { sectionRows, tableRows } from "../helpers/pages.ts";
import { reasons } from "../mutants/reasons.ts";

const page = readFileSync(inRepository("docs", "results", "tests.md"), "utf8");
const count = (cell = ""): number => Number(cell.replaceAll(",", ""));

/** Wilson's score interval of 95 % for a proportion, in percent. */
function scoreInterval(found: number, all: number): string {
  const z = 1.96;
  const share = found / all;
  const scale = 1 + z ** 2 / all;
  const middle = (share + z ** 2 / (2 * all)) / scale;
  const half = (z / scale) * Math.sqrt((share * (1 - share)) / all + z ** 2 / (4 * all ** 2));
  const end = (value: number): string => (100 * value).toFixed(1).replace(/^100\.0$/, "100");
  return `${end(middle - half)} to ${end(middle + half)}`;
}

describe("docs/results/tests.md", () => {
  it.each(sectionRows(page, "## Injected faults").map((row) => ({ row })))(
    "has a sample that adds up: $row.0, seed $row.2",
    ({ row: [, , , sampled, equivalent, found, missed, interval] }) => {
      const judged = count(sampled) - count(equivalent);
      expect(count(found) + count(missed)).toBe(judged);
      expect(interval).toBe(scoreInterval(count(found), judged));
    },
  );

  const modules = tableRows(page)
    .filter(([name = ""]) => /^`\w+_descriptor_check`$/.test(name))
    .map((row) => ({ row }));
  it.each(modules)("has a reason for each equivalent fault: $row", ({ row }) => {
    const [name = "", all, equivalent, found, missed] = row;
    const file = `/${name.replaceAll("`", "")}.sv: `;
    const stated = [...reasons.keys()].filter((key) => key.includes(file));
    expect(count(equivalent)).toBe(stated.length);
    expect(count(all)).toBe(count(equivalent) + count(found) + count(missed));
  });

  it("has both modules whose faults were all injected", () => {
    expect(modules).toHaveLength(2);
  });

  it.each([
    ["rtl/ndp", "dimm_ndp_cov.sv"],
    ["rtl/sparf", "sparf_engine_cov.sv"],
  ])("has the cover points of %s", (directory, file) => {
    const text = readFileSync(inRepository("testbench", file), "utf8");
    const points = text.split("\n").filter((line) => line.includes("COVER")).length;
    const row = sectionRows(page, "## Coverage").find(([name]) => name === `\`${directory}\``);
    expect(count(row?.[7])).toBe(points);
  });
});
