// SPDX-License-Identifier: Apache-2.0
// The figures of the README and of the headline numbers are those of scenarios/main.yaml, at fidelity cycle: other tests
// hold its cycles to the RTL's.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { cli, inTemporary } from "../helpers/cli.ts";
import { sectionRows } from "../helpers/pages.ts";

interface Results {
  readonly metrics: readonly {
    readonly case: string;
    readonly id: string;
    readonly value: number;
  }[];
}

/** Case and metric of each line in the README's results that has a figure. */
const rows: Readonly<Record<string, readonly [run: string, metric: string]>> = {
  "expert of DeepSeek-V2, one token": ["interleaved-1", "time"],
  "its bandwidth": ["interleaved-1", "bandwidth"],
  "share of bandwidth after refresh": ["interleaved-1", "bandwidthShare"],
  "peak compute with eight tokens": ["interleaved-8", "computeShare"],
  "dense attention, 40 OPT-13B heads": ["dense-znand4k-1-16", "time"],
  "SparF attention of the same heads": ["sparf-znand4k-1-16", "time"],
  "speed-up of SparF": ["sparf-znand4k-1-16", "speedup"],
  "error of SparF": ["sparf-znand4k-1-16", "denseError"],
  "decode step, mixture of experts": ["token", "tokenTime"],
};

/** Numbers of a text in its order, with their decimal digits. */
const numbersIn = (text: string): readonly { readonly value: number; readonly digits: number }[] =>
  [...text.matchAll(/\d[\d,]*(?:\.(\d+))?/g)].map(([number, decimals = ""]) => ({
    value: Number(number.replaceAll(",", "")),
    digits: decimals.length,
  }));

describe("scenarios/main.yaml", () => {
  let metrics: Results["metrics"] = [];
  const valueOf = (name: string, id: string): number =>
    metrics.find((own) => own.case === name && own.id === id)?.value ?? Number.NaN;

  beforeAll(() =>
    inTemporary(async (directory) => {
      const out = join(directory, "run");
      const run = await cli("run", "scenarios/main.yaml", "--fidelity", "cycle", "--out", out);
      expect(run.code).toBe(0);
      ({ metrics } = JSON.parse(readFileSync(join(out, "results.json"), "utf8")) as Results);
    }),
  );

  it("has the results of README.md", () => {
    const lines = readFileSync(inRepository("README.md"), "utf8").split("\n");
    const begin = lines.findIndex((line) => line.startsWith("    expert of DeepSeek-V2"));
    const printed = lines.slice(begin, lines.indexOf("", begin));
    const figures = printed.flatMap((line) => {
      const [row = "", value = ""] = line.trim().split(/ {2,}/);
      const [digits] = /^[\d.,]+/.exec(value) ?? [];
      return digits === undefined ? [] : [[row, Number(digits.replaceAll(",", ""))]];
    });
    const simulated = Object.entries(rows).map(([row, [name, id]]) => [
      row,
      Number(valueOf(name, id).toPrecision(4)),
    ]);
    expect(figures).toEqual(simulated);
  });

  it("has the results of docs/results/headline.md", () => {
    const page = readFileSync(inRepository("docs", "results", "headline.md"), "utf8");
    const table = sectionRows(page, "## Simulated machines");
    expect(table.length).toBeGreaterThan(8);
    for (const [what = "", value = "", name = "", ids = ""] of table) {
      const shown = numbersIn(value);
      const simulated = ids
        .split(", ")
        .map((id, i) => valueOf(name.slice(1, -1), id.slice(1, -1)).toFixed(shown[i]?.digits));
      expect([what, shown.map(({ value: own, digits }) => own.toFixed(digits))]).toEqual([
        what,
        simulated,
      ]);
    }
    expect(page).toContain(`transfers: ${valueOf("interleaved-1", "hostTime").toFixed(1)} us`);
  });
});
