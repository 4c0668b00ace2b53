// SPDX-License-Identifier: Apache-2.0
// A bench that drives modules and their mapped netlists with the same random inputs and counts the
// cycles in which an output differs. Reset is low at first and then again now and then.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { builtInLibrary } from "../../src/tools/synth/cells/liberty.ts";
import { closureOf } from "../../src/tools/synth/rtl-files.ts";
import type { Slice } from "../../src/machine/slices.ts";
import { findYosys } from "../../src/tools/synth/yosys.ts";
import { runTool } from "../../src/native/compile/process.ts";
import { verilate } from "../../src/native/unit/verilate.ts";

interface Port {
  readonly name: string;
  readonly input: boolean;
  readonly bits: number;
}

/** A netlist to compare with its RTL; `edit` injects a fault first. */
export interface Candidate {
  readonly name: string;
  readonly slice: Slice;
  readonly edit?: (netlist: string) => string;
}

/** Cycles in which an output differed, by candidate; of at most 63. */
export async function compareNetlists(
  candidates: readonly Candidate[],
  directory: string,
  cycles: number,
): Promise<ReadonlyMap<string, number>> {
  const place = (name: string): string => join(directory, name);
  const pairs = candidates.map(({ slice, edit = (netlist: string): string => netlist }, i) => {
    const text = readFileSync(slice.netlist, "utf8");
    const mapped = `mapped_${String(i)}`;
    const netlist = edit(text).replace(`module ${slice.module}(`, `module ${mapped}(`);
    return { netlist, bench: benchOf(`bench_${String(i)}`, mapped, slice, portsOf(text)) };
  });
  writeFileSync(place("mapped.v"), pairs.map((p) => p.netlist).join("\n"));
  const top = topOf(candidates.length);
  writeFileSync(place("netlist_bench.sv"), [...pairs.map((p) => p.bench), top].join("\n"));
  writeFileSync(place("netlist_main.cc"), mainSource);
  writeFileSync(place("clock_gate.sv"), openGate);
  const rtl = candidates
    .flatMap(({ slice }) => closureOf(slice.module, []))
    .filter(({ path }) => !path.endsWith("_macro.sv") && !path.endsWith("/clock_gate.sv"));
  const program = await verilate({
    top: "netlist_bench",
    parameters: {},
    sources: [
      ...new Set(rtl.map((file) => file.path)),
      place("clock_gate.sv"),
      await cellModels(directory),
      place("mapped.v"),
      place("netlist_bench.sv"),
    ],
    harness: [place("netlist_main.cc")],
    kind: "executable",
    trace: false,
    assertions: false,
    optimise: "-O0",
    outputSplit: 100_000,
  });
  const counts = (await runTool(program, [String(cycles)])).trim().split(" ").map(Number);
  return new Map(candidates.map(({ name }, i) => [name, counts[i] ?? cycles]));
}

/** Verilog of the library's cells, from their functions in Liberty. */
async function cellModels(directory: string): Promise<string> {
  writeFileSync(join(directory, "cells.lib"), readFileSync(builtInLibrary()));
  const { run } = await findYosys();
  await run("read_liberty cells.lib\nproc\nwrite_verilog -noattr cells.v\n", directory);
  return join(directory, "cells.v");
}

function portsOf(netlist: string): readonly Port[] {
  return [...netlist.matchAll(/^ {2}(input|output) (?:\[(\d+):(\d+)\] )?(\w+);/gm)].map((m) => ({
    name: m[4] ?? "",
    input: m[1] === "input",
    bits: m[2] === undefined ? 1 : Number(m[2]) - Number(m[3]) + 1,
  }));
}

function benchOf(name: string, mapped: string, slice: Slice, ports: readonly Port[]): string {
  const { module, parameters } = slice;
  const data = ports.filter((p) => !["clk_i", "rst_ni"].includes(p.name));
  const inputs = data.filter((p) => p.input);
  const outputs = data.filter((p) => !p.input);
  const reset = ports.some((p) => p.name === "rst_ni");
  const names = (suffix: string): string =>
    [
      ".clk_i(clk_i)",
      ...(reset ? [".rst_ni(rst_n)"] : []),
      ...inputs.map((p) => `.${p.name}(${p.name})`),
      ...outputs.map((p) => `.${p.name}(${p.name}_${suffix})`),
    ].join(", ");
  const values = Object.entries(parameters).map(([name, value]) => `.${name}(${String(value)})`);
  const words = (bits: number): string =>
    Array(Math.ceil(bits / 32))
      .fill("$urandom")
      .join(", ");
  return `module ${name}(input logic clk_i, input logic rst_n, output logic different_o);
${inputs.map((p) => `  logic [${String(p.bits - 1)}:0] ${p.name};`).join("\n")}
${outputs.map((p) => `  logic [${String(p.bits - 1)}:0] ${p.name}_a, ${p.name}_b;`).join("\n")}
  ${module} #(${values.join(", ")}) u_rtl(${names("a")});
  ${mapped} u_mapped(${names("b")});
  always_ff @(posedge clk_i) begin
${inputs.map((p) => `    ${p.name} <= ${String(p.bits)}'({${words(p.bits)}});`).join("\n")}
  end
  assign different_o = ${outputs.map((p) => `(${p.name}_a != ${p.name}_b)`).join(" || ")};
endmodule
`;
}

function topOf(count: number): string {
  const benches = Array.from({ length: count }, (_, i) => {
    const n = String(i);
    return `  bench_${n} u_${n}(.clk_i(clk_i), .rst_n(rst_n), .different_o(different_o[${n}]));`;
  });
  return `module netlist_bench(input logic clk_i, input logic rst_n,
    output logic [63:0] different_o);
${benches.join("\n")}
  assign different_o[63:${String(count)}] = '0;
endmodule
`;
}

/** Clocks as synthesis leaves them: outputs that are not valid are compared, too. */
const openGate = `module clock_gate #(parameter int unsigned Hold = 8) (
    input logic clk_i, input logic rst_ni, input logic run_i, output logic clk_o);
  assign clk_o = clk_i;
endmodule
`;

const mainSource = `// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include "Vnetlist_bench.h"
// Registers without a reset are random until they are written.
constexpr long kSettled = 64;
int main(int, char** argv) {
  const long cycles = std::atol(argv[1]);
  Vnetlist_bench bench;
  long different[64] = {};
  for (long cycle = 0; cycle < cycles; ++cycle) {
    bench.rst_n = cycle >= 4 && cycle % 4096 != 0;
    bench.clk_i = 0;
    bench.eval();
    if (cycle >= kSettled) {
      for (int i = 0; i < 64; ++i) different[i] += bench.different_o >> i & 1;
    }
    bench.clk_i = 1;
    bench.eval();
  }
  for (const long count : different) std::printf("%ld ", count);
}
`;
