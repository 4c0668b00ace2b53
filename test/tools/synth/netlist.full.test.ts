// SPDX-License-Identifier: Apache-2.0
// The netlist that synthesis writes equals the RTL: one slice of every unit, mapped to the project's
// own cells, at sizes that take seconds. Solvers prove most of them, here those that take little (`make
// prove` and NEARDATA_NETLISTS=all take all); the rest, and all of them with NEARDATA_NETLISTS=all, run
// cycle by cycle beside the RTL on random inputs. Memories are of cells, too, as what is left out cannot
// be compared.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { netlists, sampled } from "../../../src/tools/prove/netlists/list.ts";
import { proveNetlist, refuteNetlist } from "../../../src/tools/prove/netlists/prove.ts";
import { findTools, type Prover } from "../../../src/tools/prove/tools.ts";
import { workers } from "../../../src/tools/prove/workers.ts";
import { builtInLibrary, readLibrary } from "../../../src/tools/synth/cells/liberty.ts";
import { closureOf } from "../../../src/tools/synth/rtl-files.ts";
import { findFlow, type Flow, synthesizeSlice } from "../../../src/tools/synth/slice.ts";
import type { Instance, Parameters, Slice } from "../../../src/machine/slices.ts";
import { compareNetlists } from "../../helpers/netlist.ts";
import { needs } from "../../helpers/needs.ts";

type Candidates = readonly (readonly [module: string, parameters: Parameters])[];

/**
 * Whole units that contain one of the parts above; they need minutes of processor time:
 * NEARDATA_NETLISTS=all.
 */
const large: Candidates = [
  ["sparf_line_packer", {}],
  ["relayout_reader", { Packets: 2 }],
  ["ndp_gemv_array", { Streams: 1, Mults: 4, Lanes: 2, Banks: 2 }],
  [
    "sparf_head_front",
    { Width: 16, MaxKeys: 64, MaxGroup: 2, RingLines: 16, MaxPageRows: 4, Slots: 2, Tags: 4 },
  ],
  ["sparf_query_unit", { Lanes: 2, Width: 8, MaxGroup: 2, Slots: 2 }],
  ["sparf_gemv_lanes", { Lanes: 2, Width: 8 }],
  ["sparf_argtopk", { MaxKeys: 16, KeyBits: 16, KeysPerCycle: 2 }],
  ["sparf_attn_weigh", {}],
  ["sparf_attend_finish", { Lanes: 2, Width: 8, MaxGroup: 2, Slots: 2 }],
  ["sparf_attn_normalise", { SumBits: 53 }],
  ["sparf_attn_multiply", {}],
  ["sparf_attn_exp2", {}],
];
const all = process.env["NEARDATA_NETLISTS"] === "all";
const rows = (slices: readonly Instance[]): Candidates =>
  slices.map(({ module, parameters }) => [module, parameters]);
const slices: Candidates = [...rows(sampled), ...(all ? [...rows(netlists), ...large] : [])];

const scratch = mkdtempSync(join(tmpdir(), "neardata-netlist-"));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

describe("mapped netlists (Yosys)", needs("yosys (apt or npm)"), () => {
  const cycles = 10_000;
  const limit = all ? 7_200_000 : 1_200_000; // ms, of a machine that does other things as well
  let different: ReadonlyMap<string, number>;

  beforeAll(async () => {
    const macros = await findFlow(readLibrary(builtInLibrary()));
    const cells: Flow = { ...macros, memories: "cells" };
    const made = new Map<string, Slice>();
    for (const [module, parameters] of slices) {
      const remembers = closureOf(module, []).some(({ path }) => path.endsWith("_macro.sv"));
      const flow = remembers ? cells : macros;
      made.set(module, await synthesizeSlice(flow, { module, parameters }, []));
    }
    const candidates = [...made].map(([name, slice]) => ({ name, slice }));
    const first = candidates.filter((c) => c.name === "ndp_act_bank");
    const planted = first.map(({ slice }) => ({
      name: "planted",
      slice,
      edit: (netlist: string): string => netlist.replaceAll(/ INV_X\d /g, " BUF_X2 "),
    }));
    different = await compareNetlists([...candidates, ...planted], scratch, cycles);
  }, limit);

  test.each(slices)("equals the RTL: %s", (module) => {
    expect(different.get(module)).toBe(0);
  });

  test("are told from the RTL when inverters are missing", () => {
    expect(different.get("planted")).toBeGreaterThan(0);
  });
});

const prover = (): Prover => ({ tools: findTools(), workers: workers() });

describe("netlists that solvers take", needs("yosys", "z3", "cvc5"), () => {
  const limit = 600_000; // ms, of a machine that does other things as well

  const proven = netlists.filter(({ quick }) => all || quick);
  test.each(proven.map((slice) => [slice.module, slice] as const))(
    "are the RTL from any contents of their registers: %s",
    async (_, slice) => {
      const { outcome } = await proveNetlist(prover(), slice);
      expect(outcome).toMatchObject({ kind: "holds", verdicts: [{}, {}, {}] });
    },
    limit,
  );

  test(
    "are refuted with one cell exchanged, with a waveform",
    async () => {
      const [slice] = netlists.filter(({ module }) => module === "fp_narrow");
      if (slice === undefined) throw new Error("fp_narrow is no slice of the list");
      const { outcome } = await refuteNetlist(prover(), slice);
      expect(outcome.kind).toBe("refuted");
      const waveform = outcome.kind === "refuted" ? outcome.waveform : "";
      expect(readFileSync(waveform, "utf8")).toMatch(/\$scope module netlist \$end\n\$var wire /);
    },
    limit,
  );

  test("are told from those of the list that they do not take, each with its reason", () => {
    const names = [...netlists, ...sampled].map(({ module }) => module);
    expect(new Set(names).size).toBe(names.length);
    expect(sampled.every(({ reason }) => reason.length > 20)).toBe(true);
  });
});
