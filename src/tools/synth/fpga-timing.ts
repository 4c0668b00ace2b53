// SPDX-License-Identifier: Apache-2.0
// The slowest path of a slice of an FPGA. A block RAM that is read directly into registers has no
// logic on that path, and the block may contain the register. Such reads are reported separately,
// so that they do not hide the slowest logic.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { NeardataError } from "../../base/errors.ts";
import { files, xc7TimingScript } from "./scripts.ts";
import { yosysPath } from "./timing.ts";
import type { Slice } from "../../machine/slices.ts";
import type { Yosys } from "./yosys.ts";

/**
 * Reads the timing that Yosys wrote to the directory, and times the slice again without reads
 * straight into registers.
 */
export async function fpgaTiming(
  yosys: Yosys,
  directory: string,
): Promise<Pick<Slice, "path" | "memoryRead">> {
  checkArcs(directory);
  const all = yosysPath(directory);
  const mapped = readFileSync(join(directory, files.mapped), "utf8");
  const feeding = readFileSync(join(directory, files.feeding), "utf8").split("\n");
  const names = new Set(feeding.map((line) => line.slice(line.indexOf("/") + 1)));
  const unread = withoutReads(mapped, names);
  if (unread === mapped) return { path: all, memoryRead: null };
  writeFileSync(join(directory, files.mapped), unread);
  await yosys.run(xc7TimingScript, directory);
  const path = yosysPath(directory);
  const slower = all !== null && all.period > (path?.period ?? 0);
  return { path, memoryRead: slower ? all.period : null };
}

/** Refuses a netlist with cells that the analyser passes by: paths through them would be left out. */
function checkArcs(directory: string): void {
  const log = readFileSync(join(directory, files.log), "utf8");
  const untimed = [...log.matchAll(/Module '(\w+)' has no timing arcs/g)].map(([, name]) => name);
  if (untimed.length === 0) return;
  const names = [...new Set(untimed)].join(", ");
  throw new NeardataError(
    "build-failed",
    `${names}: no delays; state them in synth/${files.delays}`,
  );
}

/**
 * The netlist with the outputs of its block RAMs disconnected, except for those that feed logic.
 */
function withoutReads(rtlil: string, feeding: ReadonlySet<string>): string {
  return rtlil.replaceAll(
    /^ {2}cell \\RAMB(?:18|36)E1 (\S+)\n[\s\S]*?^ {2}end\n/gm,
    (cell, name: string) =>
      feeding.has(name.replace(/^\\/, "")) ? cell : cell.replaceAll(/^ +connect \\DO.*\n/gm, ""),
  );
}
