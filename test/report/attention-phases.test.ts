// SPDX-License-Identifier: Apache-2.0
// The table of phases has the utilisation of every resource. It names the same busiest resource as the summary.

import { expect, test } from "vitest";

import { seconds } from "../../src/base/units.ts";
import { flashPresets } from "../../src/machine/flash/presets.ts";
import { csdMachine, sparfUnit } from "../../src/machine/resolve/csd.ts";
import { attentionLatencySections } from "../../src/report/attention/attention-latency.ts";
import { attentionHeadlines } from "../../src/report/summary.ts";
import type { Metric } from "../../src/results/metric.ts";
import { spreadOf } from "../../src/results/percentiles.ts";
import type { AttentionCase } from "../../src/results/types.ts";

const flash = flashPresets.znand4k;
const percent = (id: Metric["id"], value: number): Metric => {
  return { id, title: `${id}, title`, value, unit: "%", source: "measured" };
};

/** Flash channels of 90 %, and metrics. Only fields that the sections and the headline use. */
function caseWith(title: string, metrics: readonly Metric[]): AttentionCase {
  const channels = [{ beats: 100, beatsKept: 60 }];
  return {
    title,
    method: "sparf",
    flash: "znand4k",
    devices: 2,
    inFlight: 1,
    width: 128,
    machine: csdMachine({ engine: "cycle", devices: 2, unit: sparfUnit(128, 8, 16), flash }),
    time: seconds(1e-3),
    steps: [{ length: 64, jobs: [], run: { jobs: [], devices: [{ channels }] } }],
    latency: {
      phases: [
        { id: "flash", counts: "", resource: "flash channels", perHead: seconds(1), busy: 0.9 },
      ],
      intervals: [],
      whole: spreadOf([seconds(1)]),
      diesBusy: 0.2,
    },
    metrics: [{ ...percent("time", 1000), unit: "us" }, ...metrics],
  } as unknown as AttentionCase;
}

test("the busiest resource of the table is that of the summary: a shared link, too", () => {
  const cases = [
    caseWith("alone", []),
    caseWith("shared", [percent("sharedLinkBusy", 95), percent("translationBusy", 40)]),
  ];
  const blocks = attentionLatencySections(cases, ({ title }) => title).flatMap(
    (section) => section.blocks,
  );
  const tables = blocks.flatMap((block) => (block.kind === "table" ? [block] : []));
  const rowsOf = (id: string): readonly object[] =>
    tables.find((table) => table.id === id)?.rows ?? [];
  const rows = rowsOf("attention-phase-table");
  expect(rows).toContainEqual(
    expect.objectContaining({ name: "busiest", run0: "flash channels", run1: "shared link" }),
  );
  expect(rows).toContainEqual({
    name: "shared link utilisation",
    unit: "% of run",
    source: "measured",
    run0: null,
    run1: 95,
  });
  expect(rows).toContainEqual(
    expect.objectContaining({ name: "address translation utilisation", run0: null, run1: 40 }),
  );
  expect(rowsOf("attention-phase-table-terms")).toContainEqual({
    name: "shared link utilisation",
    note: "sharedLinkBusy, title",
  });
  expect(cases.map((one) => attentionHeadlines([one])[0]?.sentence)).toEqual([
    expect.stringContaining("Busiest resource: flash channels, 90 %"),
    expect.stringContaining("Busiest resource: shared link, 95 %"),
  ]);
});
