// SPDX-License-Identifier: Apache-2.0
// Yosys scripts. Each flattens one slice, turns the ports of separated modules into ports of the
// slice (so that paths end and begin there), and names flip-flops after their signals.

import type { Library } from "./cells/liberty.ts";
import type { LutMapper } from "../../machine/slices.ts";

/** Names of files in the directory of a run. */
export const files = {
  boxes: "boxes.json",
  counts: "counts.json",
  netlist: "netlist.v",
  bits: "bits.v",
  library: "library.lib",
  constraints: "drive.constr",
  mapping: "map.abc",
  delays: "xc7_lutram.v",
  mapped: "mapped.il",
  feeding: "feeding.txt",
  log: "yosys.log",
} as const;

/** A source by the name that it has in the directory. */
export interface ScriptSource {
  readonly name: string;
  readonly stub: boolean;
}

/** Memories as macros, which are left out and listed, or of cells. */
export type Memories = "macros" | "cells";

function elaborate(
  top: string,
  sources: readonly ScriptSource[],
  memories: Memories,
): readonly string[] {
  const macros = memories === "macros" ? "-DNEARDATA_SRAM_MACROS " : "";
  return [
    ...sources.map(({ name }) => `read_verilog -defer -sv -I. ${macros}${name}`),
    `hierarchy -top ${top}`,
  ];
}

/** Selects cells of a module by their type, which is $paramod... for cells with parameters. */
function typesOf(module: string): readonly string[] {
  // A pattern cannot escape a backslash, so "?" matches it.
  return [`t:${module}`, `t:$paramod?${module}?*`, `t:$paramod$*?${module}`];
}

function read(
  top: string,
  sources: readonly ScriptSource[],
  memories: Memories,
): readonly string[] {
  const boxes = sources.filter((s) => s.stub).flatMap((s) => typesOf(s.name.replace(".sv", "")));
  return [
    ...elaborate(top, sources, memories),
    "proc",
    "flatten",
    `write_json ${files.boxes}`,
    `expose -evert t:none ${boxes.join(" ")}`,
  ];
}

/** Only elaborates: writes the instances of a slice that are separate slices or memories. */
export function instancesScript(
  top: string,
  sources: readonly ScriptSource[],
  memories: Memories,
): string {
  return [
    ...elaborate(top, sources, memories),
    "flatten",
    // JSON cannot represent processes, and only instances are needed of the cells.
    "delete p:*",
    "delete t:$* t:$paramod* %d",
    `write_json ${files.boxes}`,
    "",
  ].join("\n");
}

/** After it: no constants, no buses in the netlist that a timing analyser reads. */
function write(library: Library | null): string[] {
  const ties =
    library === null
      ? []
      : [`hilomap -hicell ${library.high.join(" ")} -locell ${library.low.join(" ")}`];
  return [
    "setundef -zero",
    ...ties,
    "opt_clean -purge",
    `tee -q -o ${files.counts} stat -json`,
    `write_verilog -noattr ${files.netlist}`,
  ];
}

/**
 * Standard cells. The mapping preserves prefix adders, which ABC's usual script would convert to
 * ripple adders.
 */
export function asicScript(
  top: string,
  sources: readonly ScriptSource[],
  library: Library,
  memories: Memories,
): string {
  return [
    ...read(top, sources, memories),
    `synth -flatten -noabc -top ${top}`,
    "splitnets",
    "rename -wire -suffix _reg t:$_*DFF*_",
    `dfflibmap -liberty ${files.library}`,
    `abc -liberty ${files.library} -D ${String(targetPeriod)} -constr ${files.constraints} ` +
      `-script ${files.mapping}`,
    ...write(library),
    "splitnets -ports",
    "opt_clean -purge",
    `write_verilog -noattr -noexpr -nohex -nodec ${files.bits}`,
    "",
  ].join("\n");
}

/** Period in ps that the mapping works towards: 1 GHz. */
export const targetPeriod = 1000;

/** ABC's script; sizes are chosen for the period. `stime` prints ABC's own estimate. */
export const mappingScript: string = [
  "strash",
  "dch -f",
  `map -B 0.9 -D ${String(targetPeriod)}`,
  "topo",
  "buffer -c",
  `upsize -D ${String(targetPeriod)}`,
  `dnsize -D ${String(targetPeriod)}`,
  "stime -p",
  "",
].join("\n");

/**
 * Lists the block RAMs with logic after a read. A read value that leaves the slice unchanged
 * (records of pages, lines of a ring) is stored in a register of the receiving slice.
 */
const whatMemoriesFeed = [
  "splitnets",
  "select -set read t:RAMB* %co1:+[DOADO,DOBDO,DOPADOP,DOPBDOP] w:* %i",
  "select -set used t:* t:FD* %d %ci1 t:FD* %ci1:-[D] %u w:* %i",
  "select -set feeding @read @used %i %ci1:+[DOADO,DOBDO,DOPADOP,DOPBDOP] t:RAMB* %i",
  `select -write ${files.feeding} @feeding`,
  // Arrivals that `sta` has left would hide every later path that is not slower.
  "setattr -unset sta_arrival w:*",
  `write_rtlil ${files.mapped}`,
];

/**
 * Deletes the modules that mapping derived from models without delays; they would hide the models
 * with delays.
 */
const timing = [
  "delete =$paramod*",
  "read_verilog -lib -specify -overwrite +/xilinx/cells_sim.v",
  `read_verilog -lib -specify -overwrite ${files.delays}`,
  "sta",
];

/** Times the output of `xc7Script`, unchanged or changed. */
export const xc7TimingScript: string = [`read_rtlil ${files.mapped}`, ...timing, ""].join("\n");

/**
 * Xilinx' 7 series, logic delays without routing. Before the mapping of look-up tables, `hierarchy`
 * reduces the connections of block RAM ports to their widths: Yosys 0.23 connects more bits, on
 * which ABC9 aborts.
 */
export function xc7Script(
  top: string,
  sources: readonly ScriptSource[],
  mapper: LutMapper,
): string {
  const abc9 = mapper === "ABC9" ? "-abc9 " : "";
  const synth = `synth_xilinx ${abc9}-family xc7 -flatten -noiopad -noclkbuf -top ${top}`;
  return [
    ...read(top, sources, "cells"),
    `${synth} -run begin:map_luts`,
    `hierarchy -top ${top}`,
    `${synth} -run map_luts:`,
    "rename -wire -suffix _reg t:FD*",
    ...write(null),
    ...timing,
    ...whatMemoriesFeed,
    "",
  ].join("\n");
}
