// SPDX-License-Identifier: Apache-2.0
// Static timing of linked slices, on netlists written by hand: a path that crosses slices counts from
// register to register, lanes and memories are linked, and what does not fit is refused.

import { describe, expect, it } from "vitest";

import { claims, unitLines } from "../../../src/tools/area/unit-timing.ts";
import type { AreaReport } from "../../../src/results/area-report.ts";
import { builtInLibrary, readLibrary } from "../../../src/tools/synth/cells/liberty.ts";
import { parseMapped } from "../../../src/tools/synth/gates/gate-netlist.ts";
import type { Standing } from "../../../src/tools/synth/slice.ts";
import { Table } from "../../../src/tools/synth/sta/cell-timing.ts";
import { claimedPeriod } from "../../../src/tools/synth/sta/claims.ts";
import { linkDesign } from "../../../src/tools/synth/sta/design.ts";
import { chipModels, timeDesign } from "../../../src/tools/synth/sta/whole.ts";
import { type UnitTiming } from "../../../src/results/area-report.ts";
import { rejection } from "../../helpers/rejection.ts";

const library = readLibrary(builtInLibrary());
const models = chipModels(library);

/** Netlists by module, and the instances in them. */
interface Slices {
  readonly netlists: Readonly<Record<string, string>>;
  readonly inside?: Readonly<Record<string, readonly Standing[]>>;
}

async function timed(
  { netlists, inside = {} }: Slices,
  module: string,
  limit: number | null = null,
): Promise<UnitTiming> {
  const source = {
    netlistOf: (slice: { module: string }) =>
      Promise.resolve(parseMapped(netlists[slice.module] ?? "")),
    instancesIn: (slice: { module: string }) => Promise.resolve(inside[slice.module] ?? []),
  };
  return timeDesign(await linkDesign(source, { module, parameters: {} }), models, limit);
}

const alone = (name: string, module: string): Standing => ({ name, module, parameters: {} });

/** A register, and `inverters` behind it or before it. */
const flop = (name: string, d: string, q: string): string =>
  `DFF_X1 \\${name}_reg  ( .CLK(clk_i), .D(${d}), .Q(${q}) );\n`;
const chain = (inverters: number, from: string, to: string): string => {
  const nets = Array.from({ length: inverters - 1 }, (_, i) => `n${i}`);
  const all = [from, ...nets, to];
  const cells = all.slice(1).map((net, i) => `INV_X1 c${i} ( .A(${all[i] ?? ""}), .Y(${net}) );\n`);
  return nets.map((net) => `wire ${net};\n`).join("") + cells.join("");
};
const sender = `module sender(clk_i, data_o);
input clk_i; output data_o; wire q;
${flop("sent_q", "data_o", "q")}${chain(20, "q", "data_o")}endmodule\n`;
const receiver = `module receiver(clk_i, data_i);
input clk_i; input data_i; wire d; wire q;
${flop("taken_q", "d", "q")}${chain(20, "data_i", "d")}endmodule\n`;
const pair: Slices = {
  netlists: {
    sender,
    receiver,
    pair: `module pair(clk_i, \\u_s.clk_i , \\u_s.data_o , \\u_r.clk_i , \\u_r.data_i );
input clk_i; output \\u_s.clk_i ; input \\u_s.data_o ; output \\u_r.clk_i ; output \\u_r.data_i ;
assign \\u_s.clk_i  = clk_i; assign \\u_r.clk_i  = clk_i;
assign \\u_r.data_i  = \\u_s.data_o ;
endmodule\n`,
  },
  inside: { pair: [alone("u_s", "sender"), alone("u_r", "receiver")] },
};

describe("the timing of linked slices", () => {
  it("counts a path from one slice into the next one from register to register", async () => {
    const limit = 350;
    for (const slice of ["sender", "receiver"]) {
      const { worst, over } = await timed(pair, slice, limit);
      expect(worst[0]?.period).toBeLessThan(limit);
      expect(over).toBe(0);
    }
    const { worst, over } = await timed(pair, "pair", limit);
    expect(over).toBe(1);
    expect(worst[0]).toMatchObject({
      start: { module: "sender", instance: "u_s", name: "sent_q" },
      end: { module: "receiver", instance: "u_r", name: "taken_q" },
      through: ["sender", "receiver"],
      depth: 40,
    });
    expect(worst[0]?.period).toBeGreaterThan(limit);
  });

  it("is that of the same cells in one slice", async () => {
    const whole = `module whole(clk_i);
input clk_i; wire q; wire d; wire r;
${flop("sent_q", "q", "q")}${flop("taken_q", "d", "r")}${chain(40, "q", "d")}endmodule\n`;
    const flat = await timed({ netlists: { whole } }, "whole");
    const linked = await timed(pair, "pair");
    // In both, the sender's register drives the net between the two.
    const more = (linked.worst[0]?.period ?? 0) - (flat.worst[0]?.period ?? 0);
    expect(Math.abs(more)).toBeLessThan(10);
  });

  it("has lanes side by side, each with its part of a bus, and what they share once", async () => {
    const lanes = (count: number): Slices => ({
      netlists: {
        unit: `module unit(clk_i, \\u_b.clk_i , \\u_b.control_i , \\u_b.gate_o );
input clk_i; output \\u_b.clk_i ; output \\u_b.control_i ; input [${count - 1}:0] \\u_b.gate_o ;
wire q; assign \\u_b.clk_i  = clk_i; assign \\u_b.control_i  = q;
${flop("control_q", `\\u_b.gate_o [${count - 1}]`, "q")}endmodule\n`,
        ndp_act_bank: `module ndp_act_bank(clk_i, control_i, gate_o);
input clk_i; input control_i; output gate_o;
${flop("gate_q", "control_i", "gate_o")}endmodule\n`,
      },
      inside: { unit: [{ name: "u_b", module: "ndp_act_bank", parameters: { Lanes: count } }] },
    });
    const few = await timed(lanes(2), "unit");
    const many = await timed(lanes(256), "unit");
    expect(few.instances).toBe(3);
    expect(many.instances).toBe(257);
    expect(few.buffers.count).toBe(0);
    // 256 pins: a tree of buffers, slower than two pins and faster than one register alone.
    expect(many.buffers.count).toBeGreaterThan(20);
    const period = ({ worst }: UnitTiming): number => worst[0]?.period ?? 0;
    expect(period(many)).toBeGreaterThan(period(few) + 20);
    expect(period(many)).toBeLessThan(period(few) + 200);
    expect(many.worst[1]?.start).toMatchObject({ module: "ndp_act_bank", instance: "u_b[255]" });
  });

  it("begins and ends at memories", async () => {
    const unit = `module unit(clk_i, \\u_m.clk_i , \\u_m.rd_addr_i , \\u_m.rd_data_o );
input clk_i; output \\u_m.clk_i ; output \\u_m.rd_addr_i ; input \\u_m.rd_data_o ;
wire d; wire q; assign \\u_m.clk_i  = clk_i;
${flop("data_q", "d", "q")}INV_X1 a ( .A(\\u_m.rd_data_o ), .Y(d) );
INV_X1 b ( .A(q), .Y(\\u_m.rd_addr_i ) );\nendmodule\n`;
    const inside = { unit: [alone("u_m", "sram_1r1w_macro")] };
    const { worst } = await timed({ netlists: { unit }, inside }, "unit");
    expect(worst.map(({ start, end }) => [start.module, end.module])).toEqual([
      ["sram_1r1w_macro", "unit"],
      ["unit", "sram_1r1w_macro"],
    ]);
    // Clock to output of a memory: 200 ps.
    expect(worst[0]?.period).toBeGreaterThan(200);
  });

  it("refuses a loop with the slices that it goes through, and ports that do not fit", async () => {
    const through = (name: string): string =>
      `module ${name}(a_i, b_o);\ninput a_i; output b_o;\nINV_X1 i ( .A(a_i), .Y(b_o) );\nendmodule\n`;
    const unit = `module unit(\\u_a.a_i , \\u_a.b_o , \\u_b.a_i , \\u_b.b_o );
output \\u_a.a_i ; input \\u_a.b_o ; output \\u_b.a_i ; input \\u_b.b_o ;
assign \\u_a.a_i  = \\u_b.b_o ; assign \\u_b.a_i  = \\u_a.b_o ;\nendmodule\n`;
    const inside = { unit: [alone("u_a", "one"), alone("u_b", "other")] };
    const looped = timed(
      { netlists: { unit, one: through("one"), other: through("other") }, inside },
      "unit",
    );
    await expect(looped).rejects.toThrow(
      rejection("check-failed", /loop.*(one, other|other, one)/),
    );
    const wide = unit.replace("output \\u_a.a_i ;", "output [2:0] \\u_a.a_i ;");
    const one = through("one").replace("input a_i", "input [1:0] a_i");
    const unfit = timed({ netlists: { unit: wide, one, other: through("other") }, inside }, "unit");
    await expect(unfit).rejects.toThrow(rejection("check-failed", /3 bits outside and 2 inside/));
  });
});

describe("the clock that a unit claims", () => {
  const report = (timing: UnitTiming): AreaReport =>
    ({ unit: "ndp", target: "asic", parameters: {}, timing }) as unknown as AreaReport;

  it("holds or not, with the slowest path", async () => {
    expect(claimedPeriod("ndp", library)).toBe(1000);
    expect(claimedPeriod("dimm_ndp", library)).toBe(1000);
    expect(claimedPeriod("sparf", null)).toBeCloseTo(2105.3, 1);
    expect(claimedPeriod("sparf", library)).toBeNull();
    expect(claimedPeriod("ndp", { ...library, path: "other.lib" })).toBeNull();
    const late = report(await timed(pair, "pair", 350));
    const [claim] = claims(late);
    expect(claim).toMatchObject({ pass: false });
    expect(claim?.detail).toMatch(/from sender u_s\.sent_q to receiver u_r\.taken_q; 1 of 2 ends/);
    expect(unitLines(late).join("\n")).toContain("through sender, receiver");
    expect(claims(report(await timed(pair, "pair", 3500)))[0]).toMatchObject({ pass: true });
    expect(claims(report(await timed(pair, "pair")))).toEqual([]);
  });
});

describe("a table of delays", () => {
  it("is linear between its points and beyond them", () => {
    const table = new Table([0, 10], [1, 2, 4], [0, 1, 3, 10, 11, 13]);
    expect(table.at(0, 1)).toBe(0);
    expect(table.at(5, 3)).toBe(7);
    expect(table.at(20, 5)).toBe(24);
    expect(table.at(0, 0)).toBe(-1);
    expect(new Table([0], [1, 2], [5, 6]).at(7, 4)).toBe(8);
    expect(new Table([1, 2], [0], [5, 6]).at(4, 9)).toBe(8);
  });
});
