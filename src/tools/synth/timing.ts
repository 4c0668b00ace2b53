// SPDX-License-Identifier: Apache-2.0
// The critical path of a mapped slice: by OpenSTA where it is installed, otherwise what ABC printed
// (without the flip-flops' own times). For an FPGA, Yosys' `sta` with Xilinx' published cell delays,
// routing not included.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { runTool } from "../../native/compile/process.ts";
import type { Library } from "./cells/liberty.ts";
import { files, targetPeriod } from "./scripts.ts";
import type { CriticalPath } from "../../machine/slices.ts";

/** When the inputs of a slice change after the clock edge, in ps: a flip-flop and its wire. */
export const inputArrival = 100;
/** Output delay in ps: a wire and a setup time before the next edge. */
export const outputMargin = 50;
/** The same where the port is a memory's: clock to output and setup of an 8 KB macro (ASAP7). */
export const memoryArrival = 200;
export const memoryMargin = 60;
/** How long a memory's pin stays as it was after the clock, in ps: the most of that macro's pins (ASAP7). */
export const memoryHold = 27;

/** Version of OpenSTA, or null. */
export function findOpenSta(): string | null {
  const outcome = spawnSync("sta", ["-version"], { encoding: "utf8" });
  return outcome.error === undefined && outcome.status === 0 ? outcome.stdout.trim() : null;
}

/** Runs OpenSTA in the directory of a synthesis. */
export async function openStaPath(
  directory: string,
  top: string,
  library: Library,
): Promise<CriticalPath | null> {
  writeFileSync(join(directory, "timing.tcl"), openStaScript(top, library.timeUnit));
  const output = await runTool("sta", ["-no_splash", "-exit", "timing.tcl"], { cwd: directory });
  return parseOpenSta(output, library);
}

function openStaScript(top: string, unit: number): string {
  const time = (ps: number): string => String(ps / unit);
  return `read_liberty ${files.library}
read_verilog ${files.bits}
link_design ${top}
create_clock -name clock -period ${time(targetPeriod)} [get_ports clk_i]
foreach port [all_inputs] {
  set name [get_property $port full_name]
  if {$name == "clk_i"} { continue }
  set arrival [expr {[string match "*rd_data_o*" $name] || [string match "*.rdata_o*" $name] ? ${time(memoryArrival)} : ${time(inputArrival)}}]
  set_input_delay $arrival -clock clock $port
}
foreach port [all_outputs] {
  set margin [expr {[string match "*u_macro.*" [get_property $port full_name]] ? ${time(memoryMargin)} : ${time(outputMargin)}}]
  set_output_delay $margin -clock clock $port
}
report_checks -path_delay max -digits 4
`;
}

function parseOpenSta(output: string, library: Library): CriticalPath | null {
  const start = /^Startpoint: (\S+)/m.exec(output)?.[1];
  const end = /^Endpoint: (\S+)/m.exec(output)?.[1];
  const slack = /(-?[\d.]+)\s+slack/.exec(output)?.[1];
  if (start === undefined || end === undefined || slack === undefined) return null;
  const arrival = output.slice(0, output.indexOf("data arrival time"));
  const drivers = [...arrival.matchAll(/ [v^] (\S+)\/\w+ \((\w+)\)/g)].map((m) => m[2] ?? "");
  const logic = drivers.filter((cell) => library.cells.get(cell)?.flipFlop === false);
  const period = targetPeriod - Number(slack) * library.timeUnit;
  return { start: tidy(start), end: tidy(end), depth: logic.length, period, tool: "OpenSTA" };
}

/** The last result of ABC's `stime` in the log. */
export function abcPath(directory: string): CriticalPath | null {
  const log = readFileSync(join(directory, files.log), "utf8");
  const delay = [...log.matchAll(/ABC:.*Delay =\s*([\d.]+) ps/g)].at(-1)?.[1];
  if (delay === undefined) return null;
  const depth = [...log.matchAll(/ABC: Path\s*(\d+) --/g)].length - 1;
  return { start: "-", end: "-", depth, period: Number(delay), tool: "ABC" };
}

/** The result of Yosys' `sta` in the log. Times there are ps. */
export function yosysPath(directory: string): CriticalPath | null {
  const log = readFileSync(join(directory, files.log), "utf8");
  const report = log.slice(log.lastIndexOf("Latest arrival time"));
  const period = /Latest arrival time in '.*' is (\d+)/.exec(report)?.[1];
  if (period === undefined) return null;
  // From the end back to the clock or to an input: "arrival name (cell.pin)".
  const steps = [...report.matchAll(/^\s+\d+\s+(\S+) \((.*)\)$/gm)]
    .map((m) => ({ name: m[1] ?? "", pins: m[2] ?? "" }))
    .filter(({ name }) => name !== "\\clk_i" && name !== "clk_i");
  return {
    start: tidy(steps.at(-1)?.name ?? "-"),
    end: tidy(steps[0]?.name ?? "-"),
    depth: steps.filter(({ pins }) => !/^FD|primary/.test(pins)).length,
    period: Number(period),
    tool: "Yosys sta",
  };
}

/** A register's name as the RTL has it. */
function tidy(name: string): string {
  return name.replaceAll("\\", "").replace(/_reg(?=$|\[)/, "");
}
