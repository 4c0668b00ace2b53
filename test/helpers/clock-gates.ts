// SPDX-License-Identifier: Apache-2.0
// The clock gates of the RTL, as its sources instantiate them.

import { readFileSync } from "node:fs";
import { basename } from "node:path";

import { closureOf } from "../../src/tools/synth/rtl-files.ts";
import { rtlFilesBelow } from "../../src/native/compile/rtl-sources.ts";

export interface ClockGate {
  readonly module: string;
  readonly instance: string;
}

/** `sparf_engine.u_append_clock`. */
export const nameOf = ({ module, instance }: ClockGate): string => `${module}.${instance}`;

const gatesIn = (paths: readonly string[]): readonly ClockGate[] =>
  paths.flatMap((path) => {
    const text = readFileSync(path, "utf8");
    const found = text.matchAll(/\bclock_gate\s+(?:#\([^;]*?\)\s*)?(u_\w+)\s*\(/g);
    return [...found].map(([, instance = ""]) => ({ module: basename(path, ".sv"), instance }));
  });

/** All gates of the RTL. */
export const clockGates = (): readonly ClockGate[] => gatesIn(rtlFilesBelow("."));

/** Gates that test/rtl/clock-gates.full.test.ts opens and closes: those of the SparF engine. */
export const comparedGates = (): readonly ClockGate[] =>
  gatesIn(closureOf("sparf_engine", []).map(({ path }) => path));
