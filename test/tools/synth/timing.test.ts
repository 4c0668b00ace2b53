// SPDX-License-Identifier: Apache-2.0
// A block RAM whose output is a register is distinguished from one with logic at its output; a memory
// made of look-up tables has delays.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { fpgaTiming } from "../../../src/tools/synth/fpga-timing.ts";
import { findFlow, synthesizeSlice } from "../../../src/tools/synth/slice.ts";
import type { Slice } from "../../../src/machine/slices.ts";
import { rejection } from "../../helpers/rejection.ts";
import { needs } from "../../helpers/needs.ts";

const minutes = 60_000;
const scratch = mkdtempSync(join(tmpdir(), "neardata-timing-"));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

/** Clock to output of a block RAM in Yosys' model, ps. */
const blockRam = 2454;

async function sliceOf(module: string, text: string): Promise<Slice> {
  const path = join(scratch, `${module}.sv`);
  writeFileSync(path, text);
  const flow = await findFlow(null, { [module]: path });
  return synthesizeSlice(flow, { module, parameters: {} }, []);
}

/** A memory of 1024 words that is read into `word_q`, and `next` of it into the output. */
function reader(word: string, next: string): Promise<Slice> {
  return sliceOf(
    "memory_reader",
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
}

/** 32 words; the output is `next`, one cycle after the address. */
function table(next: string): Promise<Slice> {
  return sliceOf(
    "table_reader",
    `module table_reader (
  input  logic        clk_i,
  input  logic        wr_valid_i,
  input  logic [4:0]  addr_i,
  input  logic [31:0] data_i,
  output logic [31:0] data_o
);
  logic [31:0] words[32];
  logic [31:0] data_q;
  logic [4:0] addr_q;
  always_ff @(posedge clk_i) begin
    addr_q <= addr_i;
    data_q <= data_i;
    if (wr_valid_i) words[addr_i] <= data_i;
    data_o <= ${next};
  end
endmodule
`,
  );
}

test("a cell that the analyser passes by is refused by its name", async () => {
  const place = mkdtempSync(join(scratch, "untimed-"));
  writeFileSync(join(place, "yosys.log"), "Warning: Module 'RAM512X1S' has no timing arcs!\n");
  const idle = { version: "", run: () => Promise.resolve() };
  await expect(fpgaTiming(idle, place)).rejects.toThrow(rejection("build-failed", /RAM512X1S/));
});

describe(
  "the slowest path of a slice of an FPGA (Yosys)",
  needs("make test-full", "yosys (apt or npm)"),
  () => {
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

    test(
      "has a memory of look-up tables in it",
      async () => {
        const read = await table("words[addr_q] + data_i");
        expect(read.cells["RAM32M"]).toBeGreaterThan(0);
        expect(read.path?.start).toContain("words");
        // The delay from the clock to a written word, compared with a flip-flop's own delay.
        const alone = await table("data_q + data_i");
        const later = (read.path?.period ?? 0) - (alone.path?.period ?? 0);
        expect(later).toBeGreaterThan(1190 - 303 - 300);
        expect(later).toBeLessThan(1190 - 303 + 300);
      },
      5 * minutes,
    );
  },
);
