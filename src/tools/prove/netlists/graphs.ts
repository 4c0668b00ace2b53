// SPDX-License-Identifier: Apache-2.0
// A slice's RTL and its mapped netlist as two and-inverter graphs, with the names of their ports and registers.
// Undefined values of the RTL (x, undriven bits) are unnamed inputs of its graph.

import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { inRepository } from "../../../base/paths.ts";
import { present } from "../../../base/present.ts";
import { sourceClosure } from "../../../native/compile/source-hash.ts";
import { builtInLibrary } from "../../synth/cells/liberty.ts";
import { closureOf, withDefaults } from "../../synth/rtl-files.ts";
import type { Instance } from "../../../machine/slices.ts";
import { parseAiger, type Graph } from "../aiger.ts";
import type { Workplace } from "../workers.ts";

/** A graph with the names of its bits: `name[bit]`, and `name` for a scalar. */
export interface Named {
  readonly graph: Graph;
  /** By name, the place among the inputs. */
  readonly inputs: ReadonlyMap<string, number>;
  /** Inputs that represent undefined values. */
  readonly undefinedInputs: readonly number[];
  /** By name, the literal. */
  readonly outputs: ReadonlyMap<string, number>;
  /** Every name of each register. */
  readonly registers: readonly (readonly string[])[];
  /** The same with bits counted from 0, independent of the range of their vector. */
  readonly fromZero: readonly (readonly string[])[];
}

/** The states of a state machine as synthesis encodes them. */
export interface Encoding {
  readonly register: string;
  /** The state of the RTL at the place of the netlist's bit that is 1 in it. */
  readonly codes: readonly number[];
}

/** The RTL files in order, the netlist and the library of cells. */
export interface Sides {
  readonly rtl: readonly { readonly name: string; readonly text: string }[];
  readonly read: readonly string[];
  readonly netlist: string;
  readonly encodings: readonly Encoding[];
  readonly library: string;
}

export function sidesOf(
  { module, parameters }: Instance,
  { netlist, encodings }: Pick<Sides, "netlist" | "encodings">,
): Sides {
  const paths = closureOf(module, [])
    .map(({ path }) => path)
    .filter((path) => !path.endsWith("_macro.sv"));
  const moduleFile = `${module}.sv`;
  const rtl = sourceClosure(paths, [inRepository("rtl", "include")]).map((path) => ({
    name: basename(path),
    text:
      basename(path) === moduleFile ? withDefaults(path, parameters) : readFileSync(path, "utf8"),
  }));
  const library = readFileSync(builtInLibrary(), "utf8");
  return { rtl, read: paths.map((path) => basename(path)), netlist, encodings, library };
}

export const sideFiles = { library: "cells.lib", netlist: "netlist.v" } as const;

export function writeSides({ rtl, netlist, library }: Sides, directory: string): void {
  for (const { name, text } of rtl) writeFileSync(join(directory, name), text);
  writeFileSync(join(directory, sideFiles.netlist), netlist);
  writeFileSync(join(directory, sideFiles.library), library);
}

/** Reads the RTL without simplifications that could affect the result. */
export function readRtl(top: string, { read }: Pick<Sides, "read">): readonly string[] {
  return [
    ...read.map((name) => `read_verilog -defer -sv -I. ${name}`),
    `hierarchy -check -top ${top}`,
    "proc",
    "flatten",
    "opt_clean",
    "memory_map",
    "opt_clean",
    "dffunmap",
    "opt_clean",
  ];
}

/** The netlist, each cell by its function in the library. */
function readNetlist(top: string): readonly string[] {
  return [
    `read_liberty ${sideFiles.library}`,
    `read_verilog ${sideFiles.netlist}`,
    `hierarchy -check -top ${top}`,
    "proc",
    "flatten",
    "opt_clean",
  ];
}

/** Leaves files in `directory`, where `writeSides` has been. */
export async function graphsOf(
  top: string,
  sides: Sides,
  place: Workplace,
): Promise<{ readonly rtl: Named; readonly mapped: Named }> {
  const rtl = await graphOf(top, "rtl", readRtl(top, sides), place);
  return { rtl, mapped: await graphOf(top, "mapped", readNetlist(top), place) };
}

/** The graph that Yosys produces from `script`, in files called `name`. */
export async function graphOf(
  top: string,
  name: string,
  script: readonly string[],
  { directory, run }: Workplace,
): Promise<Named> {
  const lines = [
    ...script,
    "setundef -undriven -anyseq",
    "techmap",
    "dffunmap",
    "opt_clean",
    "abc -g AND -fast",
    "opt_clean",
    `write_json ${name}.json`,
    `write_aiger -map ${name}.aim ${name}.aig`,
    "",
  ];
  writeFileSync(join(directory, `${name}.ys`), lines.join("\n"));
  await run(["yosys", "-q", "-l", `${name}.log`, `${name}.ys`]);
  return named(
    parseAiger(readFileSync(join(directory, `${name}.aig`))),
    readFileSync(join(directory, `${name}.aim`), "utf8"),
    moduleOf(readFileSync(join(directory, `${name}.json`), "utf8"), top),
  );
}

/** The necessary part of Yosys' JSON of a module. */
interface Module {
  readonly ports: Readonly<Record<string, { readonly bits: readonly unknown[] }>>;
  readonly netnames: Readonly<Record<string, { readonly offset?: number }>>;
}

function moduleOf(json: string, top: string): Module {
  const { modules } = JSON.parse(json) as { readonly modules: Readonly<Record<string, Module>> };
  return modules[top] ?? { ports: {}, netnames: {} };
}

/** Bits of ports that are constants, which the map of a graph leaves out, as literals. */
function constantsOf({ ports }: Module): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(ports).flatMap(([name, { bits }]) =>
      bits.flatMap((bit, i) =>
        bit === "0" || bit === "1" ? [[`${name}[${String(i)}]`, Number(bit)] as const] : [],
      ),
    ),
  );
}

/** Bits of ports are counted from 0, independent of the range of a vector in the RTL. */
function named(graph: Graph, map: string, module: Module): Named {
  const constants = constantsOf(module);
  const rows = [...map.matchAll(/^(input|output|latch) (\d+) (\d+) (.+)$/gm)].map((row) => ({
    kind: row[1],
    place: Number(row[2]),
    wire: row[4] ?? "",
    number: Number(row[3]),
    bit: Number(row[3]) - (module.netnames[row[4] ?? ""]?.offset ?? 0),
  }));
  const of = (kind: string): Map<string, number> =>
    new Map(
      rows.filter((r) => r.kind === kind).map((r) => [`${r.wire}[${String(r.bit)}]`, r.place]),
    );
  const inputs = of("input");
  const known = new Set(inputs.values());
  const registers: string[][] = graph.latches.map(() => []);
  const fromZero: string[][] = graph.latches.map(() => []);
  for (const { kind, place, wire, number, bit } of rows) {
    if (kind !== "latch") continue;
    registers[place]?.push(`${wire}[${number}]`);
    fromZero[place]?.push(`${wire}[${bit}]`);
  }
  return {
    graph,
    inputs,
    undefinedInputs: range(graph.inputs).filter((i) => !known.has(i)),
    outputs: new Map([
      ...constants,
      ...[...of("output")].map(([name, place]) => [name, present(graph.outputs[place])] as const),
    ]),
    registers,
    fromZero,
  };
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
