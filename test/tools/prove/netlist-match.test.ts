// SPDX-License-Identifier: Apache-2.0
// Registers of the RTL that synthesis removed, and that a simulation of the RTL takes for a constant.

import { describe, expect, it } from "vitest";

import { present } from "../../../src/base/present.ts";
import type { Graph } from "../../../src/tools/prove/aiger.ts";
import type { Named } from "../../../src/tools/prove/netlists/graphs.ts";
import { match, type Matched } from "../../../src/tools/prove/netlists/match.ts";

const width = 60;
const inputs = new Map(Array.from({ length: width }, (_, i) => [`data_i[${String(i)}]`, i]));

/** The conjunction of all inputs: literals of gates, of which the last is the result. */
function conjunction(latches: number): {
  readonly gates: readonly (readonly [number, number])[];
  readonly literal: number;
} {
  const gates: [number, number][] = [];
  let literal = 2;
  for (let i = 1; i < width; i += 1) {
    gates.push([2 * (1 + i), literal]);
    literal = 2 * (width + latches + gates.length);
  }
  return { gates, literal };
}

function named(graph: Graph, outputs: Named["outputs"], registers: Named["registers"]): Named {
  return { graph, inputs, undefinedInputs: [], outputs, registers, fromZero: registers };
}

/** The register is 1 after all inputs were 1, which no random run of 512 cycles contains. */
function rtl(observed: boolean): Named {
  const { gates, literal } = conjunction(1);
  const register = 2 * (1 + width);
  const graph: Graph = { inputs: width, latches: [literal], outputs: [], gates };
  return named(graph, new Map([["all_o", observed ? register : 2]]), [["seldom_q"]]);
}

/** Without the register. */
function netlist(output: number): Named {
  const graph: Graph = { inputs: width, latches: [], outputs: [], gates: [] };
  return named(graph, new Map([["all_o", output]]), []);
}

const matched = (...sides: Parameters<typeof match>): Matched => {
  const result = match(...sides);
  if ("unmatched" in result) throw new Error(result.unmatched);
  return result;
};

describe("a register that a simulation takes for a constant", () => {
  it("differs from the constant under its own name, and not once the guess is refuted", () => {
    const { differences } = matched(rtl(false), netlist(2), []);
    expect(differences.map(({ name, guess }) => ({ name, guess }))).toEqual([
      { name: "seldom_q", guess: 0 },
    ]);
    const refuted = new Set(differences.map(({ guess }) => present(guess ?? undefined)));
    expect(matched(rtl(false), netlist(2), [], refuted)).toMatchObject({
      differences: [],
      leftOut: 1,
    });
  });

  it("is a difference of the netlist where an output shows it, also after the guess is refuted", () => {
    expect(matched(rtl(true), netlist(0), [], new Set([0])).differences).toMatchObject([
      { name: "all_o", guess: null },
    ]);
  });
});
