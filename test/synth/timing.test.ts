// SPDX-License-Identifier: Apache-2.0
// A block RAM that is read straight into a register is told from one with logic behind it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { findFlow, synthesizeSlice } from "../../src/synth/slice.ts";
import type { Slice } from "../../src/synth/types.ts";
import { hasYosys } from "../helpers/netlist.ts";

const minutes = 60_000;
const scratch = mkdtempSync(join(tmpdir(), "neardata-timing-"));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

/** Clock to output of a block RAM in Yosys' model, ps. */
const blockRam = 2454;

/** A memory of 1024 words that is read into `word_q`, and `next` of it into the output. */
async function reader(word: string, next: string): Promise<Slice> {
  const path = join(scratch, "memory_reader.sv");
  writeFileSync(
    path,
    `module memory_reader (
  input  logic        clk_i,
  input  logic        wr_valid_i,
  input  logic [9:0]  addr_i,
  input  logic [31:0] data_i,
  output logic [31:0] data_o
);
  logic [31:0] read, word_q;
  sram_1r1w #(
    .Words(1024),
    .DataBits(32)
  ) u_words (
    .clk_i(clk_i),
    .wr_valid_i(wr_valid_i),
    .wr_addr_i(addr_i),
    .wr_data_i(data_i),
    .rd_valid_i(!wr_valid_i),
    .rd_addr_i(addr_i),
    .rd_data_o(read)
  );
  always_ff @(posedge clk_i) begin
    word_q <= ${word};
    data_o <= ${next};
  end
endmodule
`,
  );
  const flow = await findFlow(null, { memory_reader: path });
  return synthesizeSlice(flow, { module: "memory_reader", parameters: {} }, []);
}

describe.skipIf(!hasYosys)("the slowest path of a slice of an FPGA (Yosys)", () => {
  test(
    "leaves out a block RAM that is read straight into a register, and shows it apart",
    async () => {
      const { memoryRead, path } = await reader("read", "word_q + data_i");
      expect(memoryRead).toBe(blockRam);
      expect(path?.depth).toBeGreaterThan(1);
      const alone = await reader("data_i", "word_q + data_i");
      expect(alone.memoryRead).toBeNull();
      expect(path).toEqual(alone.path);
    },
    5 * minutes,
  );

  test(
    "begins at the block RAM where logic stands behind it",
    async () => {
      const { memoryRead, path } = await reader("read + data_i", "word_q");
      expect(memoryRead).toBeNull();
      expect(path?.period).toBeGreaterThan(blockRam);
      expect(path?.start).toContain("u_words");
    },
    5 * minutes,
  );

  test(
    "begins there, too, where a register takes the word and logic takes it as well",
    async () => {
      const { memoryRead, path } = await reader("read", "word_q ^ (read + data_i)");
      expect(memoryRead).toBeNull();
      expect(path?.start).toContain("u_words");
    },
    5 * minutes,
  );
});
