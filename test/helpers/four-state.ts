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

/** Writes `top` with these parameters as Verilog into `directory`; the file's name. */
export async function asVerilog(
  top: string,
  parameters: Readonly<Record<string, number>>,
  directory: string,
): Promise<string> {
  mkdirSync(directory, { recursive: true });
  cpSync(inRepository("rtl", "include"), directory, { recursive: true });
  const read = closureOf(top, []).map(({ path }) => {
    const name = basename(path);
    const text = name === `${top}.sv` ? withDefaults(path, parameters) : readFileSync(path, "utf8");
    writeFileSync(join(directory, name), text);
    return `read_verilog -defer -sv -I. -DSYNTHESIS ${name}`;
  });
  const script = [
    ...read,
    `hierarchy -top ${top}`,
    "proc",
    "flatten",
    "opt_clean",
    "write_verilog -noattr unit.v",
    "",
  ];
  await (await findYosys()).run(script.join("\n"), directory);
  return join(directory, "unit.v");
}

/** Compiles a bench of this text with the unit, runs it, and gives back what it prints. */
export async function simulate(verilog: string, bench: string, directory: string): Promise<string> {
  const [text, program] = [join(directory, "bench.sv"), join(directory, "bench.vvp")];
  writeFileSync(text, bench);
  await runTool("iverilog", ["-g2012", "-s", "bench", "-o", program, text, verilog]);
  return runTool("vvp", ["-n", program]);
}
