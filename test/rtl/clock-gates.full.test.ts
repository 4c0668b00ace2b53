// SPDX-License-Identifier: Apache-2.0
// The SparF engine with clock gates that close and with gates that never close: the same outcomes, in the same
// cycles, with the same strobes. That each gate closes in these runs, and that its unit is needed after that, is
// shown by a fault: a gate that does not open again changes a run.

import { readFileSync } from "node:fs";

import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import { calm, type EngineJob, type Traffic } from "../../src/tools/bench/sparf-case.ts";
import { moduleFile } from "../../src/tools/synth/rtl-files.ts";
import { type ClockGate, comparedGates, nameOf } from "../helpers/clock-gates.ts";
import { runEngine, smallEngine } from "../helpers/sparf-bench.ts";
import { headJobs, onFlash, traffic } from "../helpers/sparf-jobs.ts";
import { buildFaultyEngine, type Inject, withFault } from "../helpers/sparf-injected.ts";
import { runs } from "../helpers/tier.ts";

/** The name of a gate's fault; no such name is a prefix of another. */
const faultOf = (gate: ClockGate): string => `${gate.module}_${gate.instance}_`;

/** Each gate has a fault: once closed, it stays closed. */
function stuckGates(inject: Inject): void {
  const standard = moduleFile("clock_gate");
  inject(standard, "  output logic clk_o\n);", "  output logic clk_o\n);\n  logic shut_q;");
  inject(
    standard,
    "  always_ff @(negedge clk_i) open_q",
    "  always_ff @(posedge clk_i) shut_q <= rst_ni && (shut_q || !open_q);\n" +
      "  always_ff @(negedge clk_i) open_q",
  );
  inject(standard, "  assign clk_o = clk_i;", "  assign clk_o = clk_i;\n  assign shut_q = 1'b0;");
  for (const gate of comparedGates()) {
    const { module, instance } = gate;
    const text = readFileSync(moduleFile(module), "utf8");
    const port = new RegExp(`${instance} \\([\\s\\S]*?\\.run_i\\(([\\s\\S]*?)\\),\\s*\\.clk_o`);
    const [whole = "", run = ""] = port.exec(text) ?? [];
    const stuck = `(${run}) && !($test$plusargs("${faultOf(gate)}") && ${instance}.shut_q)`;
    inject(
      moduleFile(module),
      whole,
      whole.replace(run, () => stuck),
    );
  }
}

interface Batch {
  readonly jobs: readonly EngineJob[];
  readonly flow: Traffic;
}

const longest = 30_000;
const heads = fc.array(headJobs(smallEngine, 40), { minLength: 1, maxLength: 6 });
const mixed = fc.record({ jobs: heads, flow: traffic.map((flow) => ({ ...flow, longest })) });
/** More heads than the engine has slots for, so that the append unit rests before its first append. */
const earlier = smallEngine.Kernels * smallEngine.Slots + 1;
/** Those heads, tokens that are appended to a cache, and twice a head of that cache that rests between its requests. */
const grown = headJobs(smallEngine, 40).map((head): Batch => {
  const { cache, m, pageBytes } = head;
  const from = Math.max(0, cache.length - 3);
  const [block, rows] = [pageBytes / (2 * m), pageBytes / (2 * smallEngine.Width)];
  const job = { ...head, ...onFlash("dram_tail", from, block, rows, 0) };
  const appends = Array.from({ length: cache.length - from }, (_, i): EngineJob => {
    return { op: "append", head: earlier + cache.length - from, token: from + i };
  });
  const flow = { ...calm, latency: [300, 301] as const, dramLatency: 200, longest };
  const first = Array.from({ length: earlier }, () => head);
  return { jobs: [...first, ...appends, job, job], flow };
});
const batches: readonly Batch[] = [
  ...fc.sample(grown, { seed: 1, numRuns: 4 }),
  ...fc.sample(mixed, { seed: 2, numRuns: runs(20, 100) }),
];

let closing = "";
let open = "";
beforeAll(async () => {
  closing = await buildFaultyEngine(smallEngine, stuckGates);
  open = await buildFaultyEngine(smallEngine, stuckGates, true);
}, 1_800_000);

const outcomeOf = async (bench: string, { jobs, flow }: Batch, fault: string | null) =>
  withFault(fault, async () => runEngine(bench, jobs, flow));

describe("the SparF engine", () => {
  it("does the same in every cycle with clock gates that close and with open ones", async () => {
    for (const batch of batches) {
      expect(await outcomeOf(closing, batch, null)).toEqual(await outcomeOf(open, batch, null));
    }
  }, 1_800_000);

  it.each(comparedGates().map((gate) => [nameOf(gate), faultOf(gate)]))(
    "needs its clock again behind %s",
    async (_, fault) => {
      for (const batch of batches) {
        const right = await outcomeOf(open, batch, null);
        const stuck = await outcomeOf(closing, batch, fault).catch(() => null);
        if (stuck === null || JSON.stringify(stuck) !== JSON.stringify(right)) return;
      }
      expect.fail("a gate that stays closed changes no run: it never closes, or its unit is idle");
    },
    600_000,
  );
});
