// SPDX-License-Identifier: Apache-2.0
// Names of registers: every variable that a clocked process assigns ends in _q, in the units and in examples.

import { readdirSync, readFileSync } from "node:fs";
import { relative } from "node:path";

import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { rtlFilesBelow } from "../../src/native/compile/rtl-sources.ts";
import { clockedVariables, misnamedRegisters } from "../helpers/register-names.ts";

describe("names of registers", () => {
  it("has no register without _q in the units and examples", () => {
    const root = inRepository();
    const examples = readdirSync(inRepository("examples"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".sv"))
      .map((name) => inRepository("examples", name));
    const files = [...rtlFilesBelow("."), ...examples];
    const misnamed = files.flatMap((path) =>
      misnamedRegisters(readFileSync(path, "utf8")).map(
        (name) => `${relative(root, path)} ${name}`,
      ),
    );
    expect(misnamed).toEqual([]);
  });

  it("finds a register in each form of an assignment", () => {
    const text = `
      module a;
        function automatic logic f(input logic x);
          f = x;
        endfunction
        task automatic step(input int unsigned s, output logic y);
          logic [3:0] local_value, other;
          local_value = 4'b0;
          moved[s] = local_value[0]; // comment_q <= 1;
          y = 1'b0;
          deeper();
        endtask
        task automatic deeper();
          late <= 1'b1;
        endtask
        task automatic unused();
          never <= 1'b1;
        endtask
        assign x = a <= b;
        always_comb comb = a <= b;
        always_ff @(posedge clk_i) begin : named
          if (!rst_ni) one <= '0;
          else if (a <= b) begin
            {high, low[3:0], head.field} <= c ? d : e <= f;
            for (int unsigned i = 0; i <= 3; i++) list[i][2:0] <= i;
          end else begin
            unique case (state_q)
              StateIdle, pkg::Other: state_q <= StateNext;
              default: begin
                record.member <= 1'b0;
              end
            endcase
          end
          step(2);
          stage_q12 <= 1'b0;
          sum_d = a + b;
          kept_d <= sum_d;
        end
        always_ff @(posedge clk_i) if (a) lone <= b; else lone <= c;
      endmodule`;
    expect(misnamedRegisters(text)).toEqual([
      "one",
      "high",
      "low",
      "head",
      "list",
      "record",
      "kept_d",
      "moved",
      "late",
      "lone",
    ]);
    expect(clockedVariables(text)).toContainEqual({ name: "sum_d", nonBlocking: false });
    expect(clockedVariables(text)).toContainEqual({ name: "stage_q12", nonBlocking: true });
  });
});
