// SPDX-License-Identifier: Apache-2.0
// The figures of the README are those of its scenario, at fidelity cycle: other tests hold its cycles to the RTL's.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { cli, inTemporary } from "../helpers/cli.ts";

interface Results {
  readonly metrics: readonly {
    readonly case: string;
    readonly id: string;
    readonly value: number;
  }[];
}

/** Case and metric of each row in the README's table of results that has a figure. */
const rows: Readonly<Record<string, readonly [run: string, metric: string]>> = {
  "one expert of DeepSeek-V2, one token: simulated time": ["interleaved-1", "time"],
  "bandwidth achieved": ["interleaved-1", "bandwidth"],
  "bandwidth achieved over the bandwidth that refresh leaves": ["interleaved-1", "bandwidthShare"],
  "the same expert, eight tokens: share of peak compute": ["interleaved-8", "computeShare"],
  "dense attention: 40 heads of OPT-13B, 2,048 tokens each, 16 heads in flight": [
    "dense-znand4k-1-16",
    "time",
  ],
  "SparF attention of the same heads, 16 heads in flight": ["sparf-znand4k-1-16", "time"],
  "speed-up of SparF over dense attention": ["sparf-znand4k-1-16", "speedup"],
  "error of SparF against dense attention": ["sparf-znand4k-1-16", "denseError"],
  "one decode step of a small mixture of experts": ["token", "tokenTime"],
};

it("README.md has the results of scenarios/main.yaml", () =>
  inTemporary(async (directory) => {
    const out = join(directory, "run");
    const run = await cli("run", "scenarios/main.yaml", "--fidelity", "cycle", "--out", out);
    expect(run.code).toBe(0);
    const { metrics } = JSON.parse(readFileSync(join(out, "results.json"), "utf8")) as Results;
    const lines = readFileSync(inRepository("README.md"), "utf8").split("\n");
    const begin = lines.indexOf("| result | value | meaning |") + 2;
    const table = lines.slice(begin, lines.indexOf("", begin));
    const printed = table.map((line) => line.split("|").slice(1, 3));
    const figures = printed.flatMap(([row = "", value = ""]) => {
      const [digits] = /^[\d.,]+/.exec(value.trim()) ?? [];
      return digits === undefined ? [] : [[row.trim(), Number(digits.replaceAll(",", ""))]];
    });
    const simulated = Object.entries(rows).map(([row, [name, id]]) => {
      const metric = metrics.find((own) => own.case === name && own.id === id);
      return [row, Number(metric?.value.toPrecision(4))];
    });
    expect(figures).toEqual(simulated);
  }));
