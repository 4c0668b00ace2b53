// SPDX-License-Identifier: Apache-2.0
// The gate-level simulator: values of netlists small enough to know, a mapped FP32 adder against
// JavaScript's, and transitions counted by hand.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cellKinds } from "../../../src/tools/synth/gates/gate-cells.ts";
import { parseNetlist } from "../../../src/tools/synth/gates/gate-netlist.ts";
import { gateSimulator } from "../../../src/tools/synth/gates/gate-sim.ts";
import { builtInLibrary, readLibrary } from "../../../src/tools/synth/cells/liberty.ts";
import { findFlow, synthesizeSlice } from "../../../src/tools/synth/slice.ts";
import { randomBits } from "../../../src/tools/synth/gates/stimuli.ts";
import { randomWords } from "../../../src/base/random.ts";
import { needs } from "../../helpers/needs.ts";

const library = readLibrary(builtInLibrary());
const kinds = cellKinds(library);

describe("the cells of gates7", () => {
  it("compute what their names say, for all inputs at once", () => {
    const words = [0b10101010, 0b11001100, 0b11110000, 0b1111111100000000];
    const of = (name: string, pin = "Y"): number | undefined => {
      const kind = kinds.get(name);
      return kind?.outputs.find((o) => o.pin === pin)?.evaluate(words.slice(0, kind.inputs.length));
    };
    const [a = 0, b = 0, c = 0, d = 0] = words;
    expect(of("NAND2_X1")).toBe(~(a & b));
    expect(of("NOR3_X1")).toBe(~(a | b | c));
    expect(of("XNOR2_X2")).toBe(~(a ^ b));
    expect(of("MAJ_X2")).toBe((a & b) | (a & c) | (b & c));
    expect(of("TIEHI")).toBe(-1);
    const values = new Set(["AOI21_X1", "OAI21_X1", "AO22_X1", "OA22_X1"].map((name) => of(name)));
    expect(values.size).toBe(4);
    expect(of("AO22_X1")).toBe((a & b) | (c & d));
  });
});

const glitching = `/* a comment */
module m(clk_i, a_i, y_o, q_o);
  input clk_i;
  wire clk_i;
  input [1:0] a_i;
  wire [1:0] a_i;
  output y_o;
  wire \\y.o ;
  output [1:0] q_o;
  wire _0_;
  wire _1_;
  INV_X1 _2_ (
    .A(a_i[0]),
    .Y(_0_)
  );
  AND2_X2 _3_ (
    .A(a_i[0]),
    .B(_0_),
    .Y(\\y.o )
  );
  DFF_X1 \\q_reg[0]  (
    .CLK(clk_i),
    .D(a_i[1]),
    .Q(_1_)
  );
  assign y_o = \\y.o ;
  assign q_o = { 1'h1, _1_ };
endmodule
`;

describe("switching", () => {
  it("counts a glitch, the clock of each cycle, and nothing where nothing changes", () => {
    const simulator = gateSimulator(parseNetlist(glitching), kinds);
    simulator.cycle();
    simulator.take();
    simulator.set("a_i", [-1, 0]);
    simulator.cycle();
    const rise = simulator.take();
    // a, its inverse, and y up and down again; without glitches y has not moved.
    const and = kinds.get("AND2_X2");
    const glitch = and?.delay ?? 0;
    expect(rise.all - rise.settled).toBeCloseTo(glitch, 9);
    expect(glitch).toBeGreaterThan(0);
    expect(simulator.get("y_o")).toEqual([0]);
    simulator.cycle();
    const quiet = simulator.take();
    expect(quiet.all).toBe(quiet.clock);
    expect(quiet.clock).toBe(kinds.get("DFF_X1")?.clocked);
  });

  it("moves data through a flip-flop at the clock, and constants to ports", () => {
    const simulator = gateSimulator(parseNetlist(glitching), kinds);
    simulator.set("a_i", [0, 0b1100]);
    simulator.cycle();
    expect(simulator.get("q_o")).toEqual([0, -1]);
    simulator.cycle();
    expect(simulator.get("q_o")).toEqual([0b1100, -1]);
  });
});

/** A register of `bits` bits with the input a_i. */
const registerOf = (bits: number): string => `
module m(clk_i, a_i, q_o);
  input clk_i;
  input [${String(bits - 1)}:0] a_i;
  output [${String(bits - 1)}:0] q_o;
${Array.from(
  { length: bits },
  (_, i) =>
    `  DFF_X1 \\q_o[${String(i)}]_reg  ( .CLK(clk_i), .D(a_i[${String(i)}]), .Q(q_o[${String(i)}]) );`,
).join("\n")}
endmodule
`;

describe("clock gates", () => {
  const clocked = kinds.get("DFF_X1")?.clocked ?? 0;

  it("let a register have the clock in cycles in which it changes, run by run", () => {
    const simulator = gateSimulator(parseNetlist(registerOf(5)), kinds);
    expect(simulator.registers).toEqual({ flipFlops: 5, gated: 5, gates: 1 });
    simulator.cycle();
    simulator.take();
    // Two runs of 32 change, in one bit and in two; the register moves a cycle after its input.
    simulator.set("a_i", [0b11, 0b10, 0, 0, 0]);
    for (let cycle = 0; cycle < 4; cycle += 1) simulator.cycle();
    const { clock, gatedClock } = simulator.take();
    expect(clock).toBeCloseTo(4 * 5 * clocked, 9);
    expect(gatedClock).toBeCloseTo((2 / 32) * 5 * clocked, 9);
    simulator.cycle();
    expect(simulator.take().gatedClock).toBe(0);
  });

  it("are not worth it for three bits", () => {
    const simulator = gateSimulator(parseNetlist(registerOf(3)), kinds);
    expect(simulator.registers).toEqual({ flipFlops: 3, gated: 0, gates: 0 });
    simulator.set("a_i", [-1, -1, -1]);
    for (let cycle = 0; cycle < 3; cycle += 1) simulator.cycle();
    expect(simulator.take().gatedClock).toBe(0);
  });
});

describe("a mapped netlist (Yosys)", needs("yosys (apt or npm)"), () => {
  it("of the FP32 adder adds as IEEE 754 does", async () => {
    const flow = await findFlow(library);
    const { netlist } = await synthesizeSlice(flow, { module: "fp_add", parameters: {} }, []);
    const adder = gateSimulator(parseNetlist(readFileSync(netlist, "utf8")), kinds);
    const next = randomWords(9);
    const exponents = [120, 126, 127, 128];
    const operand = (): { readonly words: readonly number[]; readonly numbers: Float32Array } => {
      const bits = Uint32Array.from(
        { length: 32 },
        () => ((next() & 0x807fffff) | ((exponents[next() & 3] ?? 0) << 23)) >>> 0,
      );
      const words = Array.from({ length: 32 }, (_, bit) =>
        bits.reduce((word, value, run) => word | (((value >>> bit) & 1) << run), 0),
      );
      return { words, numbers: new Float32Array(bits.buffer) };
    };
    const [a, b] = [operand(), operand()];
    for (const [name, nets] of adder.inputs)
      adder.set(
        name,
        randomBits(() => -1, nets.length),
      );
    adder.set("a_i", a.words);
    adder.set("b_i", b.words);
    for (let cycle = 0; cycle < 12; cycle += 1) adder.cycle();
    const sums = adder.get("sum_o");
    a.numbers.forEach((value, run) => {
      const bits = sums.reduce((n, word, bit) => n + ((word >>> run) & 1) * 2 ** bit, 0);
      const found = new Float32Array(Uint32Array.of(bits).buffer)[0];
      expect(found).toBe(Math.fround(value + (b.numbers[run] ?? 0)));
    });
  }, 300_000);
});
