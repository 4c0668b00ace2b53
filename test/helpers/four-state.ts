// SPDX-License-Identifier: Apache-2.0
// A unit in a simulator of four states, where a register that nothing has reset is x. Icarus Verilog 11
// does not parse the units' SystemVerilog, so Yosys reads it as synthesis does and writes Verilog: processes
// become registers and multiplexers, an x stays an x.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { runTool } from "../../src/native/compile/process.ts";
import { closureOf, withDefaults } from "../../src/tools/synth/rtl-files.ts";
import { findYosys } from "../../src/tools/synth/yosys.ts";
import { inRepository } from "../../src/base/paths.ts";

/** A unit to simulate. `replaced`: files that are read in place of the repository's, by module. */
export interface FourStateUnit {
  readonly top: string;
  readonly parameters: Readonly<Record<string, number>>;
  readonly replaced?: Readonly<Record<string, string>>;
}

/** Verilog of a unit, and the modules that Yosys elaborated for it. */
export interface UnitVerilog {
  readonly file: string;
  readonly modules: readonly string[];
}

/** Writes the unit as Verilog into `directory`. */
export async function asVerilog(
  { top, parameters, replaced }: FourStateUnit,
  directory: string,
): Promise<UnitVerilog> {
  mkdirSync(directory, { recursive: true });
  cpSync(inRepository("rtl", "include"), directory, { recursive: true });
  const read = closureOf(top, [], replaced).map(({ path }) => {
    const name = basename(path);
    const text = name === `${top}.sv` ? withDefaults(path, parameters) : readFileSync(path, "utf8");
    writeFileSync(join(directory, name), text);
    return `read_verilog -defer -sv -I. -DSYNTHESIS ${name}`;
  });
  const script = [
    ...read,
    `hierarchy -top ${top}`,
    "tee -q -o modules.txt ls",
    "proc",
    "flatten",
    "opt_clean",
    "write_verilog -noattr unit.v",
    "",
  ];
  await (await findYosys()).run(script.join("\n"), directory);
  return {
    file: join(directory, "unit.v"),
    modules: elaborated(readFileSync(join(directory, "modules.txt"), "utf8")),
  };
}

/** Modules that `ls` of Yosys lists: `NAME`, `$paramod\NAME\VALUES` or `$paramod$HASH\NAME`, each indented. */
function elaborated(list: string): readonly string[] {
  const names = [...list.matchAll(/^ +(?:\$paramod(?:\$[0-9a-f]+)?\\)?(\w+)/gm)];
  return [...new Set(names.map(([, name = ""]) => name))].sort();
}

/** Compiles a bench of this text with the unit, runs it, and returns its output. */
export async function simulate(
  verilog: string,
  bench: string,
  defines: Readonly<Record<string, number>>,
  directory: string,
): Promise<string> {
  const [text, program] = [join(directory, "bench.sv"), join(directory, "bench.vvp")];
  writeFileSync(text, bench);
  const options = Object.entries(defines).map(([name, value]) => `-D${name}=${String(value)}`);
  await runTool("iverilog", ["-g2012", "-s", "bench", ...options, "-o", program, text, verilog]);
  return runTool("vvp", ["-n", program]);
}
