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

it("README.md has the results of scenarios/main.yaml", () =>
  inTemporary(async (directory) => {
    const out = join(directory, "run");
    const run = await cli("run", "scenarios/main.yaml", "--fidelity", "cycle", "--out", out);
    expect(run.code).toBe(0);
    const { metrics } = JSON.parse(readFileSync(join(out, "results.json"), "utf8")) as Results;
    const lines = readFileSync(inRepository("README.md"), "utf8").split("\n");
    const begin = lines.findIndex((line) => line.startsWith("    expert of DeepSeek-V2"));
    const printed = lines.slice(begin, lines.indexOf("", begin));
    const figures = printed.flatMap((line) => {
      const [row = "", value = ""] = line.trim().split(/ {2,}/);
      const [digits] = /^[\d.,]+/.exec(value) ?? [];
      return digits === undefined ? [] : [[row, Number(digits.replaceAll(",", ""))]];
    });
    const simulated = Object.entries(rows).map(([row, [name, id]]) => {
      const metric = metrics.find((own) => own.case === name && own.id === id);
      return [row, Number(metric?.value.toPrecision(4))];
    });
    expect(figures).toEqual(simulated);
  }));
