// SPDX-License-Identifier: Apache-2.0
// The instance of a clock gate in the RTL: its Hold cycles and its run condition.

import { readFileSync } from "node:fs";

import { inputError } from "../../../base/errors.ts";
import { moduleFile } from "../../synth/rtl-files.ts";
import { injectFault } from "../model.ts";
import type { Fault } from "../types.ts";
import type { Gate } from "./types.ts";

/** The parameters of a gate in its text. */
export interface GateText {
  /** Cycles that the clock runs after the last one with run_i. */
  readonly hold: number;
  /** Without needless blanks. */
  readonly run: string;
}

/** @throws NeardataError `bad-input` if the module does not instantiate the gate in the usual form. */
export function gateText(
  { module, instance }: Pick<Gate, "module" | "instance">,
  changes: readonly Fault[] = [],
): GateText {
  const matchingChanges = changes.filter((change) => change.module === module);
  const text = matchingChanges.reduce(injectFault, readFileSync(moduleFile(module), "utf8"));
  const form = String.raw`clock_gate\s+(?:#\(\s*\.Hold\((\w+)\)\s*\)\s*)?${instance}\s*\(([\s\S]*?)\n\s*\);`;
  const [, given, ports = ""] = new RegExp(form).exec(text) ?? [];
  const run = /\.run_i\(([\s\S]*)\),\s*\.clk_o/.exec(ports)?.[1];
  const standard = readFileSync(moduleFile("clock_gate"), "utf8");
  const named = given === undefined || /^\d/.test(given) ? undefined : given;
  const hold =
    given === undefined
      ? /parameter int unsigned Hold = (\d+)/.exec(standard)?.[1]
      : named === undefined
        ? given
        : new RegExp(`localparam int unsigned ${named} = (\\d+);`).exec(text)?.[1];
  if (run === undefined || hold === undefined) {
    throw inputError(module, `no clock_gate ${instance} has a number as its Hold, and a run_i.`);
  }
  return { hold: Number(hold), run: plain(run) };
}

/** The same text on one line. */
export function plain(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}
