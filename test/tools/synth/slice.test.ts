// SPDX-License-Identifier: Apache-2.0
// An instance that is a slice of its own leaves its ports in the slice around it, under each of the names
// that Yosys gives to a module: its own, one with its parameters, and one with a hash of them.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import {
  builtInLibrary,
  type Library,
  readLibrary,
} from "../../../src/tools/synth/cells/liberty.ts";
import { parseMapped } from "../../../src/tools/synth/gates/gate-netlist.ts";
import { findFlow, synthesizeSlice } from "../../../src/tools/synth/slice.ts";
import { needs } from "../../helpers/needs.ts";

const scratch = mkdtempSync(join(tmpdir(), "neardata-slice-"));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

/** A register of `Bits` bits, with as many other parameters as are named. */
const lane = (name: string, others: readonly string[]): string => `module ${name} #(
  parameter int unsigned Bits = 1${others.map((other) => `,\n  parameter int unsigned ${other} = 1`).join("")}
) (
  input  logic            clk_i,
  input  logic [Bits-1:0] data_i,
  output logic [Bits-1:0] data_o
);
  always_ff @(posedge clk_i) data_o <= data_i;
endmodule\n`;

const lanes = `module lanes (
  input  logic       clk_i,
  input  logic       data_i,
  output logic [3:0] data_o
);
  logic own;
  logic [1:0] one;
  logic [2:0] many;
  lane_plain u_plain (.clk_i(clk_i), .data_i(data_i), .data_o(own));
  lane_wide #(.Bits(2)) u_one (.clk_i(clk_i), .data_i({own, !own}), .data_o(one));
  lane_many #(.Bits(3), .Depth(4), .Banks(5)) u_many (
    .clk_i(clk_i), .data_i({one, own}), .data_o(many));
  always_ff @(posedge clk_i) data_o <= {own, many};
endmodule\n`;

const replaced = (): Readonly<Record<string, string>> => {
  const texts = {
    lanes,
    lane_plain: lane("lane_plain", []),
    lane_wide: lane("lane_wide", []),
    lane_many: lane("lane_many", ["Depth", "Banks"]),
  };
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const path = join(scratch, `${name}.sv`);
      writeFileSync(path, text);
      return [name, path];
    }),
  );
};

describe("a slice", needs("yosys (apt or npm)"), () => {
  test.each<[string, Library | null]>([
    ["of a chip", readLibrary(builtInLibrary())],
    ["of an FPGA", null],
  ])(
    "%s has the ports of each instance that is a slice of its own, and no cell for it",
    async (_, library) => {
      const apart = ["lane_plain", "lane_wide", "lane_many"];
      const flow = await findFlow(library, replaced(), apart);
      const slice = await synthesizeSlice(flow, { module: "lanes", parameters: {} }, apart);
      const { inputs, outputs, cells } = parseMapped(readFileSync(slice.netlist, "utf8"), "lanes");
      const width = (ports: typeof inputs): Record<string, number> =>
        Object.fromEntries([...ports].map(([port, nets]) => [port, nets.length]));
      expect(width(inputs)).toEqual({
        clk_i: 1,
        data_i: 1,
        "u_plain.data_o": 1,
        "u_one.data_o": 2,
        "u_many.data_o": 3,
      });
      expect(width(outputs)).toMatchObject({
        data_o: 4,
        "u_plain.data_i": 1,
        "u_one.data_i": 2,
        "u_many.data_i": 3,
      });
      expect(cells.filter(({ name }) => /^u_(?:plain|one|many)$/.test(name))).toEqual([]);
      expect(slice.boxes.map(({ module, count }) => [module, count])).toEqual(
        expect.arrayContaining(apart.map((module) => [module, 1])),
      );
    },
    120_000,
  );
});
