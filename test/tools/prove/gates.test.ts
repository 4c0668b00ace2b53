// SPDX-License-Identifier: Apache-2.0
// `neardata prove gates`: every clock gate of the RTL is in the list or is known not to be, and a proof
// counts only what it should.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { gateText, plain } from "../../../src/tools/prove/clocks/gate-text.ts";
import { breachesOf } from "../../../src/tools/prove/clocks/question.ts";
import { claimsOf, type Facts } from "../../../src/tools/prove/clocks/stages.ts";
import { sourcesOf } from "../../../src/tools/prove/model.ts";
import { emptyGates } from "../../../src/tools/prove/netlists/gates.ts";
import type { Named } from "../../../src/tools/prove/netlists/graphs.ts";
import { gateProofs } from "../../../src/tools/prove/properties/gates.ts";
import type { Row } from "../../../src/tools/prove/table.ts";
import { cli } from "../../helpers/cli.ts";
import { clockGates, comparedGates, nameOf } from "../../helpers/clock-gates.ts";
import { needs } from "../../helpers/needs.ts";

describe("the list of clock gates", () => {
  it("has every gate of the RTL, or a test compares its unit with the gate open and closed", () => {
    const proven = new Set(gateProofs.map(({ gate }) => nameOf(gate)));
    const compared = new Set(comparedGates().map(nameOf));
    const all = clockGates().map(nameOf);
    expect(all.length).toBeGreaterThan(0);
    expect(all.filter((gate) => !proven.has(gate) && !compared.has(gate))).toEqual([]);
    expect([...proven].filter((gate) => !all.includes(gate))).toEqual([]);
  });

  it("says of each what it looks at, as the RTL does", () => {
    for (const { gate } of gateProofs) expect(gateText(gate).run).toBe(plain(gate.run));
  });

  it("has faults whose text occurs once", () => {
    for (const { top, parameters, smaller, gate, properties } of gateProofs) {
      for (const { fault } of properties) {
        const changed =
          fault.module === gate.module
            ? gateText(gate, [fault]).hold !== gateText(gate).hold
            : sourcesOf(top, parameters, [...smaller, fault]).read.length > 0;
        expect(changed).toBe(true);
      }
    }
  });

  it("refuses a gate that is not there", () => {
    expect(() => gateText({ module: "sparf_engine", instance: "u_no_clock" })).toThrow(
      /sparf_engine: no clock_gate u_no_clock/,
    );
  });
});

/**
 * A unit with one register, whose next state is `next`, and with a gate that reads the only input.
 */
function unitOf(next: number): Named {
  // Inputs: run (variable 1). Register: variable 2.
  return {
    graph: { inputs: 1, latches: [next], outputs: [2, 1, 1, 4], gates: [] },
    inputs: new Map([["run_i[0]", 0]]),
    undefinedInputs: [],
    outputs: new Map([
      ["run_o[0]", 2],
      ["assumed_o[0]", 1],
      ["case_o[0]", 1],
      ["seen_o[0]", 4],
    ]),
    registers: [["u_dut.q[0]"]],
    fromZero: [["u_dut.q[0]"]],
  };
}

/** Labels of the properties that some values of the inputs violate. */
function broken(named: Named, loaded: readonly string[], hold = 0): readonly string[] {
  const cases = [{ name: "still", loaded, zero: [] }];
  const found = new Set<string>();
  for (let values = 0; values < 2 ** 8; values += 1) {
    let at = 0;
    const input = (): number => (values >> (at++ % 8)) & 1;
    for (const { label, literal } of breachesOf(
      named,
      { cases, enough: 3, top: "gated_test" },
      hold,
      emptyGates(0),
      input,
    ))
      if (literal === 1) found.add(label);
  }
  return [...found].sort();
}

describe("what is asked of a gated unit", () => {
  it("holds for a register that stays", () => {
    expect(broken(unitOf(4), [])).toEqual([]);
  });
  it("is broken by one that moves, or that is seen while it takes an input", () => {
    expect(broken(unitOf(5), [])).toEqual(["Rests"]);
    expect(broken(unitOf(2), ["u_dut.q"])).toEqual(["Wakes"]);
  });
  it("takes no list with names that are no registers", () => {
    expect(() => broken(unitOf(4), ["u_dut.none"])).toThrow(/u_dut\.none/);
  });
});

describe("the facts of a unit that is proven cycle by cycle", () => {
  /** Registers 0 and 1 form a pipeline behind an input; outputs show the register `seen`. */
  const pipeline = (run: number, seen: number): Named => ({
    // Inputs: run, data (variables 1 and 2). Registers: variables 3 and 4.
    graph: { inputs: 2, latches: [4, 6], outputs: [run, 1, 1, seen], gates: [] },
    inputs: new Map([
      ["run_i[0]", 0],
      ["data_i[0]", 1],
    ]),
    undefinedInputs: [],
    outputs: new Map([
      ["run_o[0]", run],
      ["assumed_o[0]", 1],
      ["case_o[0]", 1],
      ["seen_o[0]", seen],
    ]),
    registers: [["u_dut.first_q[0]"], ["u_dut.second_q[0]"]],
    fromZero: [["u_dut.first_q[0]"], ["u_dut.second_q[0]"]],
  });
  const violated = (named: Named, facts: Facts): boolean => {
    let state = 1;
    const randomBit = (): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state >>> 31;
    };
    return claimsOf(named, facts).some(({ gates, wrong }) =>
      Array.from({ length: 500 }).some(() => {
        const bits = [0, ...Array.from({ length: gates.inputs }, randomBit)];
        const of = (literal: number): number => (bits[literal >> 1] ?? 0) ^ (literal & 1);
        for (const [left, right] of gates.gates) bits.push(of(left) & of(right));
        return wrong.some((literal) => of(literal) === 1);
      }),
    );
  };
  const none = new Map<number, number>();
  const moves: Facts["stages"] = [{ constants: none, still: new Set() }];

  it("hold for registers that differ one cycle less with each cycle", () => {
    const run = [new Set([0, 1]), new Set([1]), new Set<number>()].map((different) => ({
      constants: none,
      different,
    }));
    expect(violated(pipeline(2, 0), { stages: moves, run, reset: [] })).toBe(false);
  });
  it("do not hold if a register is missing, is said to be stable, or is visible", () => {
    const short = [new Set([0, 1]), new Set<number>()].map((different) => ({
      constants: none,
      different,
    }));
    expect(violated(pipeline(2, 0), { stages: moves, run: short, reset: [] })).toBe(true);
    const still = [{ constants: none, still: new Set([0]) }];
    expect(violated(pipeline(2, 0), { stages: still, run: [], reset: [] })).toBe(true);
    const first = [{ constants: none, different: new Set([0, 1]) }];
    expect(violated(pipeline(2, 8), { stages: moves, run: first, reset: [] })).toBe(true);
  });
});

describe("with Yosys, z3 and cvc5", needs("make test-full", "yosys", "z3", "cvc5"), () => {
  const cache = process.env["NEARDATA_CACHE"];
  const scratch = mkdtempSync(join(tmpdir(), "neardata-gates-"));
  beforeAll(() => {
    process.env["NEARDATA_CACHE"] = scratch;
  });
  afterAll(() => {
    if (cache === undefined) delete process.env["NEARDATA_CACHE"];
    else process.env["NEARDATA_CACHE"] = cache;
    rmSync(scratch, { recursive: true });
  });
  const rowsOf = (text: string): readonly Row[] =>
    (JSON.parse(text) as { readonly rows: readonly Row[] }).rows;

  it("proves a gate, and refutes its faults with a waveform of both copies", async () => {
    const proven = await cli("prove", "gate_ring_allocator_1", "--json");
    expect(proven.code).toBe(0);
    expect(rowsOf(proven.stdout).map(({ label, outcome }) => `${label} ${outcome}`)).toEqual([
      "Rests proven",
      "Wakes proven",
    ]);
    const planted = await cli("prove", "gate_ring_allocator_1", "--inject", "--json");
    expect(planted.code).toBe(0);
    for (const { outcome, waveform } of rowsOf(planted.stdout)) {
      expect(outcome).toBe("fault refuted");
      expect(readFileSync(waveform ?? "", "utf8")).toMatch(/scope module open[\s\S]*module gated/);
    }
  });
});
