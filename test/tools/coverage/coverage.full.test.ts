// SPDX-License-Identifier: Apache-2.0
// Coverage: points of a place are one point, lines are judged with waivers, a waiver that waives
// nothing is noticed; and a counting model of a real unit leaves counts that add up over runs.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { addPoints, merged, type CoveragePoint } from "../../../src/tools/coverage/points.ts";
import { summarise } from "../../../src/tools/coverage/summary.ts";
import { parseWaivers } from "../../../src/tools/coverage/waivers.ts";
import { cli, inTemporary } from "../../helpers/cli.ts";
import { rejection } from "../../helpers/rejection.ts";

function row(fields: Readonly<Record<string, string>>, count: number): string {
  const text = Object.entries(fields).map(([name, value]) => `\u0001${name}\u0002${value}`);
  return `C '${text.join("")}' ${String(count)}`;
}

const file = "/repo/rtl/a/unit.sv";
const branch = { f: file, l: "7", n: "3", page: "v_branch/unit", o: "if", S: "7,9-10" };
const cover = { f: file, l: "20", n: "3", page: "v_user/unit", o: "cover", h: "TOP.unit.Full_C" };

function pointsOf(...files: readonly (readonly string[])[]): readonly CoveragePoint[] {
  const points = new Map<string, CoveragePoint>();
  files.forEach((rows, i) => {
    addPoints(points, `${String(i)}.dat`, ["# head", ...rows, ""].join("\n"), "/repo");
  });
  return [...points.values()];
}

const source = (_file: string, line: number): string => `  line ${String(line)};`;

describe("points", () => {
  it("of two instances and two builds add up", () => {
    const points = pointsOf(
      [row({ ...branch, h: "TOP.u_a" }, 2), row({ ...branch, h: "TOP.u_b" }, 3)],
      [row({ ...branch, h: "TOP.u_a" }, 4)],
    );
    expect(points).toEqual([
      {
        kind: "branch",
        file: "rtl/a/unit.sv",
        line: 7,
        column: 3,
        what: "if",
        lines: [7, 9, 10],
        count: 5,
        variant: "unit of 0",
      },
      expect.objectContaining({ count: 4, variant: "unit of 1" }),
    ]);
    expect(merged(points)).toEqual([expect.objectContaining({ line: 7, count: 9 })]);
  });

  it("of two sets of parameters are one place, and each set has figures of its own", () => {
    const of = (module: string): string => `v_branch/${module}`;
    const points = pointsOf([
      row({ ...branch, page: of("unit__L4") }, 0),
      row({ ...branch, page: of("unit__L8") }, 3),
    ]);
    const { total, variants } = summarise(points, [], source);
    expect(total.branch).toEqual({ seen: 1, all: 1 });
    expect(variants.map((v) => [v.variant, v.shares.branch.seen, v.shares.line.seen])).toEqual([
      ["unit__L4 of 0", 0, 0],
      ["unit__L8 of 0", 1, 3],
    ]);
  });

  it("that are none are refused with their line", () => {
    expect(() => pointsOf([row({ f: file, page: "v_other/x" }, 1)])).toThrow(
      rejection("bad-input", "0.dat, line 2"),
    );
  });
});

describe("a summary", () => {
  const points = pointsOf([
    row(branch, 0),
    row({ ...branch, l: "8", S: "8,10" }, 5),
    row(cover, 0),
  ]);

  it("judges a line by the point that ran it most, and lists what never ran", () => {
    const { total, misses } = summarise(points, [], source);
    expect(total.line).toEqual({ seen: 2, all: 4 });
    expect(misses.map((m) => [m.point.line, m.source, m.reason])).toEqual([
      [7, "line 7;", null],
      [9, "line 9;", null],
      [20, "line 20;", null],
    ]);
  });

  it("takes a reason from a waiver, and knows the waivers that outlived theirs", () => {
    const waivers = parseWaivers(
      "w.txt",
      "# head\nrtl/*/unit.sv | line 9 | Why.\nrtl/b/* | * | Gone.\nrtl/a/* | Full_C | Rare.\n",
    );
    const { misses, stale } = summarise(points, waivers, source);
    expect(misses.map((m) => m.reason)).toEqual([null, "Why.", "Rare."]);
    expect(stale.map((w) => w.at)).toEqual(["w.txt, line 3"]);
  });

  it("lists bits that never toggled by signal, with a reason where one is given", () => {
    const toggle = { f: file, n: "3", page: "v_toggle/unit", h: "TOP.u_a" };
    const bit = (l: string, o: string, count: number): string => row({ ...toggle, l, o }, count);
    const bits = [
      ...[0, 1, 2, 5, 7].map((i) => bit("3", `addr_q[${String(i)}]`, 0)),
      ...[3, 4, 6].map((i) => bit("3", `addr_q[${String(i)}]`, 9)),
      bit("4", "word_q.tag[1]", 0),
      bit("5", "last_q", 0),
    ];
    const waivers = parseWaivers(
      "w.txt",
      "rtl/a/* | bits addr_* | Small.\nrtl/a/* | bits none_q | Gone.\nrtl/a/* | last_q | A line.\n",
    );
    const { misses, quiet, stale } = summarise(pointsOf(bits), waivers, source);
    expect(quiet.map((q) => [q.line, q.signal, q.bits, q.count, q.reason])).toEqual([
      [3, "addr_q", "7 5 2:0", 5, "Small."],
      [4, "word_q.tag", "1", 1, null],
      [5, "last_q", "", 1, null],
    ]);
    expect(misses).toEqual([]);
    expect(stale.map((w) => w.at)).toEqual(["w.txt, line 2", "w.txt, line 3"]);
  });

  it("refuses lines that are no waivers, all at once", () => {
    expect(() => parseWaivers("w.txt", "a | b\nrtl | * | fine\nx|||\n")).toThrow(
      rejection("bad-input", "w.txt, line 1", "w.txt, line 3"),
    );
  });
});

describe("neardata coverage", () => {
  it("counts what a model does, over runs, and fails while a line is open", () =>
    inTemporary(async (directory) => {
      const { verilate } = await import("../../../src/native/unit/verilate.ts");
      const { runTool } = await import("../../../src/native/compile/process.ts");
      const { inRepository } = await import("../../../src/base/paths.ts");
      const counts = join(directory, "counts");
      mkdirSync(counts);
      process.env["NEARDATA_COVERAGE"] = counts;
      try {
        const bench = await verilate({
          top: "sparf_nfc_filter",
          parameters: {},
          sources: [inRepository("rtl", "sparf", "flash", "sparf_nfc_filter.sv")],
          harness: [inRepository("testbench", "nfc_filter_main.cc")],
          kind: "executable",
          trace: false,
        });
        const pages = join(directory, "pages");
        // A page of two rows of two beats of zeros.
        const words = Uint32Array.of(0b01, 2, 2, 2, ...Array.from({ length: 8 }, () => 0));
        writeFileSync(pages, new Uint8Array(words.buffer));
        const lines = async (): Promise<readonly number[]> => {
          await runTool(bench, [pages]);
          const { stdout } = await cli("coverage", counts, "--json");
          const found = JSON.parse(stdout) as { total: { line: { seen: number; all: number } } };
          return [found.total.line.seen, found.total.line.all];
        };
        const once = await lines();
        expect(once[0]).toBeGreaterThan(10);
        expect(await lines()).toEqual(once);
        const waivers = join(directory, "waivers.txt");
        writeFileSync(
          waivers,
          "rtl/none.sv | * | Nothing is there.\n? rtl/no.sv | * | Nor there.\n",
        );
        const out = ["--out", join(directory, "page.html")];
        const failed = await cli("coverage", counts, "--waivers", waivers, ...out);
        expect(failed.code).toBe(1);
        expect(failed.stdout).toMatch(/line 1: .*waives nothing/);
        expect(failed.stdout).not.toMatch(/line 2: /);
      } finally {
        delete process.env["NEARDATA_COVERAGE"];
      }
    }));

  // If a counter is incremented before the assignment that determines the state, it counts the old
  // state.
  it("counts what blocking state decides where it decides it", () =>
    inTemporary(async (directory) => {
      const { verilate } = await import("../../../src/native/unit/verilate.ts");
      const { runTool } = await import("../../../src/native/compile/process.ts");
      const [bank, main] = [join(directory, "bank.sv"), join(directory, "main.cc")];
      writeFileSync(bank, bankSource);
      writeFileSync(main, mainSource);
      process.env["NEARDATA_COVERAGE"] = directory;
      try {
        const built = await verilate({
          top: "bank",
          parameters: {},
          sources: [bank],
          harness: [main],
          kind: "executable",
          trace: false,
        });
        await runTool(built, []);
      } finally {
        delete process.env["NEARDATA_COVERAGE"];
      }
      const [name = ""] = readdirSync(directory).filter((file) => file.endsWith(".dat"));
      const points = pointsOf(readFileSync(join(directory, name), "utf8").split("\n"));
      const finish = points.filter((p) => p.kind === "line" && p.lines.includes(finishLine));
      expect(finish.map((p) => p.count)).toEqual([20]);
    }));
});

/** Two streams that are busy and finish in the same cycle. */
const bankSource = `module bank (input logic clk_i, output logic [1:0] busy_o);
  logic busy[2];
  task automatic finish(input int unsigned s);
    busy[s] = 1'b0;
  endtask
  task automatic step(input int unsigned s);
    busy[s] = 1'b1;
    if (busy[s] & ~busy_o[s]) finish(s);
    busy_o[s] <= busy[s];
  endtask
  always_ff @(posedge clk_i) for (int unsigned s = 0; s < 2; s++) step(s);
endmodule
`;
const finishLine = 4;
const mainSource = `#include "Vbank.h"
int main() {
  VerilatedContext context;
  Vbank bank(&context);
  for (int cycle = 0; cycle < 10; ++cycle) {
    bank.clk_i = 0;
    bank.eval();
    bank.clk_i = 1;
    bank.eval();
  }
  bank.final();
}
`;
