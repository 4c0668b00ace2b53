// SPDX-License-Identifier: Apache-2.0
// docs/results/storage.md has the times of scenarios/sweep-storage.yaml and of prompts that are written with each
// transposition buffer. Every row runs in the full set, one row of each table otherwise.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { bytes, femtoseconds } from "../../src/base/units.ts";
import type { Settings } from "../../src/explore/spec.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { flashPresets, type FlashPreset } from "../../src/machine/flash/presets.ts";
import { controllerOf } from "../../src/machine/resolve/controller.ts";
import { csdMachine, sparfUnit } from "../../src/machine/resolve/csd.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { generateHta1 } from "../../src/workload/hta1.ts";
import { sectionRows } from "../helpers/pages.ts";
import { pointMetrics, sweepPoints, valueOf, type PointMetrics } from "../helpers/sweep-points.ts";
import { recordedRun } from "../helpers/recorded.ts";
import { full } from "../helpers/tier.ts";

const page = readFileSync(inRepository("docs", "results", "storage.md"), "utf8");
const points = sweepPoints("sweep-storage");

const metricsOf = async (settings: Settings): Promise<PointMetrics> =>
  pointMetrics("sweep-storage-layer", settings);

/** As the page prints microseconds. */
function us(metrics: PointMetrics, one: string): string {
  return Number(valueOf(metrics, "time", one).toPrecision(4)).toLocaleString("en-US");
}
function speedup(metrics: PointMetrics, flash: string, inFlight = 16): string {
  return valueOf(metrics, "speedup", `sparf-${flash}-1-${String(inFlight)}`).toFixed(3);
}

const flashNames: Readonly<Record<string, string>> = {
  znand4k: "Z-NAND, 4 KB",
  tlc4k: "TLC, 4 KB",
  tlc16k: "TLC, 16 KB, two planes",
};

/** Points of the sweep, one a row of the table below this heading. */
interface Rows {
  readonly heading: string;
  readonly from: number;
  readonly cells: (settings: Settings, metrics: PointMetrics) => readonly string[];
}

const tables: readonly Rows[] = [
  {
    heading: "## Flash features",
    from: 0,
    cells: (settings, metrics) => {
      const [flash = ""] = settings["attention.flash"] as readonly string[];
      const features = Object.entries(settings).flatMap(([key, value]) => {
        const name = /^attention\.nand\.(.*)/.exec(key)?.[1];
        const text = Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
        return name === undefined ? [] : [`\`${name}: ${text}\``];
      });
      return [
        features.length === 0 ? "none" : features.join(", "),
        flashNames[flash] ?? "",
        us(metrics, `dense-${flash}-1-16`),
        us(metrics, `sparf-${flash}-1-16`),
        speedup(metrics, flash),
      ];
    },
  },
  {
    heading: "## Error correction",
    from: 8,
    cells: (settings, metrics) => {
      const [, [key, value] = ["", ""]] = Object.entries(settings);
      const name = key.split(".").at(-1) ?? "";
      return [
        name === "ecc" ? `\`${String(value)}\`` : `\`${name}: ${String(value)}\``,
        us(metrics, "dense-znand4k-1-16"),
        us(metrics, "sparf-znand4k-1-16"),
        speedup(metrics, "znand4k"),
        speedup(metrics, "tlc4k"),
      ];
    },
  },
  {
    heading: "## Address translation",
    from: 13,
    cells: (settings, metrics) => [
      `${String(Number(settings["attention.controller.translation.rate"]) / 1e6)} million`,
      String(settings["attention.controller.translation.latency"]),
      us(metrics, "dense-znand4k-1-16"),
      us(metrics, "sparf-znand4k-1-16"),
      speedup(metrics, "znand4k"),
      speedup(metrics, "znand4k", 1),
    ],
  },
  {
    heading: "## SparF over dense attention on TLC",
    from: 17,
    cells: (settings, metrics) => {
      const [key = "", value] = Object.entries(settings).at(-1) ?? [];
      const name = key.replace("attention.", "");
      const texts: Readonly<Record<string, string>> = {
        flash: "one sequence of 40 heads",
        "engine.ringLines": "`engine: { ringLines: 4096 }`",
      };
      return [
        texts[name] ?? `\`${name}: ${String(value)}\``,
        us(metrics, "dense-tlc4k-1-16"),
        us(metrics, "sparf-tlc4k-1-16"),
        speedup(metrics, "tlc4k"),
        speedup(metrics, "znand4k"),
      ];
    },
  },
];

describe("docs/results/storage.md", () => {
  for (const { heading, from, cells } of tables) {
    const shown = sectionRows(page, heading);
    const rows = shown.map((row, i) => ({ row, settings: points[from + i] ?? {} }));
    // Points of 160 heads are the longest.
    const short = rows.filter((one) => one.settings["attention.heads"] === undefined);
    it.each(full ? rows : short.slice(-1))(`${heading}: $row.0`, async ({ row, settings }) => {
      const expected = cells(settings, await metricsOf(settings));
      // Some labels have an explanation in parentheses.
      const plain = row.map((cell) => cell.replace(/ \(.*\)/, "").replace(/, half of .*/, ""));
      expect(plain).toEqual(expected);
    });
  }

  it("has the utilisation of the channels of TLC", async () => {
    const metrics = await metricsOf({ "attention.flash": ["tlc4k"] });
    const [dense, sparf] = ["dense", "sparf"].map((method) =>
      valueOf(metrics, "channelsBusy", `${method}-tlc4k-1-16`).toFixed(0),
    );
    expect(page).toContain(
      `busy ${dense ?? ""} % of the time with dense attention and ${sparf ?? ""} % with SparF`,
    );
  });

  it.runIf(full)("has the range of speed-ups of other contents", async () => {
    const ranges: string[] = [];
    for (const from of [21, 24]) {
      const values: number[] = [];
      for (const settings of points.slice(from, from + 3)) {
        values.push(Number(speedup(await metricsOf(settings), "tlc4k")));
      }
      ranges.push(`${Math.min(...values).toFixed(3)} to ${Math.max(...values).toFixed(3)}`);
    }
    expect(page).toContain(
      `${ranges[0] ?? ""} with 160 heads and ${ranges[1] ?? ""} with 40 heads`,
    );
  });

  it.runIf(full)("has the error of the analytic model", async () => {
    const [analytic, cycle] = [
      await metricsOf(points[27] ?? {}),
      await metricsOf(points[28] ?? {}),
    ];
    const error = (one: string): string => {
      const percent = 100 * (valueOf(analytic, "time", one) / valueOf(cycle, "time", one) - 1);
      const text = percent.toPrecision(Math.abs(percent) < 1 ? 1 : 2);
      return percent < 0 ? text : `+${text}`;
    };
    const expected = ["znand4k", "tlc4k"].flatMap((flash) =>
      ["dense", "sparf"].map((method) => [
        flash === "znand4k" ? "Z-NAND" : "TLC",
        method === "dense" ? "dense" : "SparF",
        ...[1, 4, 16].map((inFlight) => error(`${method}-${flash}-1-${String(inFlight)}`)),
      ]),
    );
    expect(sectionRows(page, "## Analytic model against cycle model")).toEqual(expected);
  });
});

it("the prefill of docs/results/storage.md is the recorded one", () => {
  interface Prefill {
    readonly what: string;
    readonly compute: number;
    readonly overlapped: number;
  }
  const { experiments } = recordedRun("instinfer-prefill").result as {
    readonly experiments: readonly { readonly rows: readonly Prefill[] }[];
  };
  const four = experiments
    .flatMap(({ rows }) => rows)
    .find(({ what }) => what === "Z-NAND, 4 devices");
  const [all, alone] = [four?.overlapped, four?.compute].map((time) => time?.toFixed(1));
  expect(page).toContain(
    `The three layers need ${all ?? ""} ms. Without the writes, the GPU needs ${alone ?? ""} ms.`,
  );
});

describe("the transposition buffer of docs/results/storage.md", () => {
  const [heads, tokens, width] = [40, 1024, 128];
  const contents = Array.from({ length: heads }, (_, head) => {
    const { keys, values } = generateHta1(500 + head, tokens, width);
    return { keys: numbersToHalves(keys), values: numbersToHalves(values) };
  });
  const presets: Readonly<Record<string, FlashPreset>> = { "Z-NAND": "znand4k", TLC: "tlc4k" };
  const rows = sectionRows(page, "## Transposition buffer");

  it.each((full ? rows : rows.slice(0, 1)).map((row) => ({ row })))(
    "$row.0, $row.1 dimensions per page, $row.2",
    async ({ row: [name = "", dimsPerPage = "", buffer = "", time, reads] }) => {
      const flash = flashPresets[presets[name] ?? "znand4k"];
      const machine = csdMachine({
        engine: "cycle",
        devices: 1,
        unit: sparfUnit(width, flash.channels, flash.page_bytes / (2 * width)),
        flash,
        controller: controllerOf({
          transposition: buffer === "none" ? "dram" : bytes(1024 * Number.parseInt(buffer, 10)),
        }),
      });
      const session = await openCsdSession(machine);
      const sequence = session.createSequence({
        device: 0,
        heads,
        dimsPerPage: Number(dimsPerPage),
        tail: "dram-tail",
      });
      const run = await session.writePrompts(
        contents.map((one, head) => ({ sequence, head, ready: femtoseconds(0), ...one })),
      );
      session.close();
      const [device] = run.devices;
      expect(device?.outcome).toEqual({ kind: "completed" });
      expect([
        Number(((device?.time ?? 0) / 1e12).toPrecision(4)),
        Number(((device?.dram.read ?? 0) / 1e6).toFixed(1)),
      ]).toEqual([Number(time), Number(reads)]);
    },
  );
});
