// SPDX-License-Identifier: Apache-2.0
// Static timing of whole units against other tools: slice by slice it is that of Yosys' `sta`, and of
// OpenSTA where it is installed; a path that crosses slices shows only where they are linked.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { builtInLibrary, readLibrary } from "../../../src/tools/synth/cells/liberty.ts";
import { findFlow, synthesizeSlice } from "../../../src/tools/synth/slice.ts";
import { timeUnit } from "../../../src/tools/synth/sta/whole.ts";
import type { Instance } from "../../../src/machine/slices.ts";
import { needs } from "../../helpers/needs.ts";

const minutes = 60_000;
const scratch = mkdtempSync(join(tmpdir(), "neardata-unit-timing-"));
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

const library = readLibrary(builtInLibrary());

/** Two adders, one behind the register of the first slice and one before that of the second. */
const crossing: Readonly<Record<string, string>> = {
  crossing_sender: `module crossing_sender (
  input  logic        clk_i,
  input  logic [31:0] data_i,
  output logic [31:0] sum_o
);
  logic [31:0] data_q;
  always_ff @(posedge clk_i) data_q <= data_i;
  assign sum_o = data_q + {data_q[0], data_q[31:1]};
endmodule
`,
  crossing_receiver: `module crossing_receiver (
  input  logic        clk_i,
  input  logic [31:0] sum_i,
  output logic [31:0] data_o
);
  always_ff @(posedge clk_i) data_o <= sum_i + {sum_i[0], sum_i[31:1]};
endmodule
`,
  crossing_unit: `module crossing_unit (
  input  logic        clk_i,
  input  logic [31:0] data_i,
  output logic [31:0] data_o
);
  logic [31:0] sum;
  crossing_sender u_sender (
    .clk_i(clk_i),
    .data_i(data_i),
    .sum_o(sum)
  );
  crossing_receiver u_receiver (
    .clk_i(clk_i),
    .sum_i(sum),
    .data_o(data_o)
  );
endmodule
`,
};

describe(
  "the timing of a whole unit (Yosys)",
  needs("make test-full", "yosys (apt or npm)"),
  () => {
    test.each([
      ["xc7", null],
      ["asic", library],
    ])(
      "has a path that crosses slices, which each of them alone calls short: %s",
      async (_, library) => {
        const modules = Object.entries(crossing).map(([name, text]): [string, string] => {
          const path = join(scratch, `${name}.sv`);
          writeFileSync(path, text);
          return [name, path];
        });
        const halves = ["crossing_sender", "crossing_receiver"];
        const flow = await findFlow(library, Object.fromEntries(modules), halves);
        const instance = (module: string): Instance => ({ module, parameters: {} });
        const alone = await Promise.all(
          halves.map((module) => synthesizeSlice(flow, instance(module), flow.separately)),
        );
        const longest = Math.max(...alone.map(({ path }) => path?.period ?? 0));
        const { worst } = await timeUnit(flow, instance("crossing_unit"), null);
        expect(worst[0]?.period).toBeGreaterThan(1.2 * longest);
        expect(worst[0]).toMatchObject({
          start: { module: "crossing_sender", instance: "u_sender", name: "data_q" },
          end: { module: "crossing_receiver", instance: "u_receiver", name: "data_o" },
          through: halves,
        });
      },
      10 * minutes,
    );

    test.each([
      ["sparf_attn_scalar", {}],
      ["sparf_dim_walker", { Width: 128 }],
      ["sparf_attn_weigh", { TagBits: 3 }],
      ["sparf_attend_lanes", { Lanes: 1, Words: 512 }],
      ["transposition_buffer", {}],
    ])(
      "of one slice is that of Yosys' sta: %s",
      async (module, parameters) => {
        const flow = await findFlow(null);
        const { path, memoryRead } = await synthesizeSlice(
          flow,
          { module, parameters },
          flow.separately,
        );
        const unit = await timeUnit(flow, { module, parameters }, null);
        expect(unit.instances).toBe(1);
        expect(unit.worst[0]?.period).toBe(path?.period);
        expect(unit.memoryRead).toBe(memoryRead);
      },
      10 * minutes,
    );

    test.each([
      ["fp_narrow", {}],
      ["ndp_act_bank", { Lanes: 1, Group: 1 }],
    ])("of one slice is that of OpenSTA: %s", needs("opensta"), async (module, parameters) => {
      const flow = await findFlow(library);
      const { path } = await synthesizeSlice(flow, { module, parameters }, flow.separately);
      expect(path?.tool).toBe("OpenSTA");
      const { worst } = await timeUnit(flow, { module, parameters }, null);
      // Here a buffer drives the inputs, and outputs drive 4 fF; in the other analysis both add no
      // delay.
      expect((worst[0]?.period ?? 0) / (path?.period ?? 1)).toBeGreaterThan(0.98);
      expect((worst[0]?.period ?? 0) / (path?.period ?? 1)).toBeLessThan(1.05);
    });
  },
);
