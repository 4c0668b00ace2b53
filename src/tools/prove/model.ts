// SPDX-License-Identifier: Apache-2.0
// A harness with all its instances as an and-inverter graph, and a counterexample of the graph as a waveform of the
// harness. Registers without a reset value have any initial value. Undefined values (x) are arbitrary, too.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { inputError, NeardataError } from "../../base/errors.ts";
import { inRepository } from "../../base/paths.ts";
import { sourceClosure } from "../../native/compile/source-hash.ts";
import { closureOf, withDefaults } from "../synth/rtl-files.ts";
import type { Parameters } from "../../machine/slices.ts";
import type { EngineKind, Fault } from "./types.ts";
import type { Workplace } from "./workers.ts";

/** Names of files in the directory of a proof. */
export const files = {
  words: "model.il",
  graph: "model.aig",
  map: "model.aim",
  witness: "witness.aiw",
  waveform: "trace.vcd",
} as const;

/** In place of a label: the harness's assertions and those of the modules in it. */
export const everyAssertion = "*";

/** Limit of the replay of a trace, which is short. */
const simulationSeconds = 600;

/** A source by its name, and its text. */
export interface Source {
  readonly name: string;
  readonly text: string;
}

function harnessFiles(): Readonly<Record<string, string>> {
  const folder = inRepository("testbench", "prove");
  const names = readdirSync(folder).filter((name) => name.endsWith(".sv"));
  return Object.fromEntries(names.map((name) => [basename(name, ".sv"), join(folder, name)]));
}

/**
 * The files that Yosys reads for a harness, included files first, then each module after the
 * modules that it names; with `changes` of their texts.
 * @throws NeardataError `bad-input` for a change whose text does not occur exactly once in its
 * module.
 */
export function sourcesOf(
  top: string,
  parameters: Parameters,
  changes: readonly Fault[],
): { readonly included: readonly Source[]; readonly read: readonly Source[] } {
  const harnesses = harnessFiles();
  const read = closureOf(top, [], harnesses)
    .map(({ path }) => path)
    .filter((path) => !path.endsWith("_macro.sv"));
  const closure = sourceClosure(read, [inRepository("rtl", "include")]);
  const source = (path: string): Source => {
    const module = basename(path, ".sv");
    const text = module === top ? withDefaults(path, parameters) : readFileSync(path, "utf8");
    const here = changes.filter((change) => change.module === module);
    return { name: basename(path), text: here.reduce(injectFault, text) };
  };
  for (const { module } of changes) {
    if (read.some((path) => basename(path, ".sv") === module)) continue;
    throw inputError(top, `it does not use the module ${module}, whose text is to be changed.`);
  }
  return {
    included: closure.filter((path) => !read.includes(path)).map(source),
    read: read.map(source),
  };
}

/** @throws NeardataError `bad-input` if the text to be changed does not occur once. */
export function injectFault(text: string, { module, from, to }: Fault): string {
  const places = text.split(from).length - 1;
  if (places === 1) return text.replace(from, () => to);
  const problem = `the text to be changed occurs ${places} times, not once: ${from}`;
  throw inputError(module, problem);
}

/**
 * Leaves the graph in the directory; with `label` of this assertion alone, else of the harness's.
 * For the engine `induction` the harness begins with its invariant, else with a reset.
 */
export async function makeModel(
  top: string,
  { included, read }: ReturnType<typeof sourcesOf>,
  label: string | null,
  kind: EngineKind | null,
  { directory, run }: Workplace,
): Promise<void> {
  for (const { name, text } of [...included, ...read]) writeFileSync(join(directory, name), text);
  writeFileSync(join(directory, "model.ys"), script(top, read, label, kind));
  await run(["yosys", "-q", "-l", "yosys.log", "model.ys"]);
}

function selectLabel(label: string | null): readonly string[] {
  if (label === everyAssertion) return [];
  // Cells of instances have a dot in their names.
  const harness = "select -set kept t:$assert c:*.* %d";
  return [label === null ? harness : `select -set kept c:${label}`, "delete t:$assert @kept %d"];
}

function script(
  top: string,
  read: readonly Source[],
  label: string | null,
  kind: EngineKind | null,
): string {
  const step = kind === "induction" ? "-D NEARDATA_INDUCTION " : "";
  const optimise = "opt -nodffe -nosdff";
  return [
    ...read.map(({ name }) => `read_verilog -formal -defer -sv ${step}-I. ${name}`),
    `hierarchy -check -top ${top}`,
    "proc",
    "flatten",
    ...selectLabel(label),
    optimise,
    "memory_map",
    optimise,
    "dffunmap",
    "opt_clean",
    `write_rtlil ${files.words}`,
    "setundef -undriven -anyseq",
    "techmap",
    "dffunmap",
    "opt -fast -nodffe -nosdff",
    "abc -g AND -fast",
    "opt_clean",
    `write_aiger -zinit -map ${files.map} ${files.graph}`,
    "",
  ].join("\n");
}

/**
 * Runs a counterexample (lines of ABC's `write_cex -a`) in the simulator of Yosys, which is
 * independent of the graph, and returns the label of the assertion that fails there.
 * @throws NeardataError `build-failed` if none fails, because the graph then differs from the
 * harness
 */
export async function replay(
  top: string,
  cex: string,
  { directory, ask }: Workplace,
): Promise<string> {
  const header = readFileSync(join(directory, files.graph)).toString("latin1", 0, 80);
  const latches = Number(header.split(" ")[3]);
  const [state = "", ...inputs] = cex
    .replace(/# DONE\s*$/, "")
    .trim()
    .split("\n");
  // After the latches of the graph, ABC appends one for the assumptions.
  const witness = ["1", "b0", state.slice(0, latches), ...inputs, ".", ""].join("\n");
  writeFileSync(join(directory, files.witness), witness);
  const simulate =
    `read_rtlil ${files.words}; ` +
    `sim -r ${files.witness} -map ${files.map} -clock clk_i -vcd ${files.waveform} ${top}`;
  const { text } = await ask(["yosys", "-q", "-p", simulate], simulationSeconds);
  const failed = /Assert [\w\\]+\.(\S+) \(.*failed/.exec(text)?.[1];
  if (failed !== undefined) return failed.replaceAll("\\", "");
  throw new NeardataError("build-failed", `${top}: the counterexample does not replay:\n${text}`);
}
