// SPDX-License-Identifier: Apache-2.0
// Asks Verilator for the ports of a top: the older releases answer in XML, the newer ones in JSON.

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { inputError, NeardataError } from "../../base/errors.ts";
import { runTool } from "../compile/process.ts";
import { rtlError } from "../compile/rtl-errors.ts";
import { verilatorVersion } from "../compile/verilator-version.ts";
import { rejectConstraints } from "./constraints.ts";
import type { UnitDescription } from "./ports.ts";
import { readJson } from "./verilator-json.ts";
import { readXml } from "./verilator-xml.ts";

/** The first release that describes a design as JSON; 5.046 is the first that has no XML. */
const firstWithJson = 5.022;

/** The number of a release as `verilator --version` prints it. */
export function releaseOf(version: string): number {
  return Number(/^Verilator (\d+\.\d+)/.exec(version)?.[1] ?? 0);
}

/** The file with the description in XML, which other readers use as well. */
export function descriptionIn(work: string): string {
  return join(work, "ports.xml");
}

/**
 * The ports of `top`. `args` are the arguments with which the tool elaborates it: parameters,
 * include directories and sources. Writes into the directory `work`.
 * @throws NeardataError `tool-missing`; `bad-input` if the module is missing or the user's RTL is
 * invalid; `build-failed` if neardata's RTL is invalid
 */
export async function describeUnit(
  top: string,
  args: readonly string[],
  work: string,
): Promise<UnitDescription> {
  const release = releaseOf(await verilatorVersion());
  const json = release >= firstWithJson;
  const file = json ? join(work, "ports.json") : descriptionIn(work);
  const form = json
    ? ["--json-only", "--json-only-output", file, "--json-only-meta-output", `${file}.meta`]
    : ["--xml-only", "--xml-output", file];
  const common = ["--Mdir", work, "-Wno-fatal", "--top-module", top, ...args];
  const sources = args.filter((arg) => !arg.startsWith("-"));
  rejectConstraints(sources, release);
  const timing = await runTool("verilator", [...form, ...common]).then(
    () => false,
    async (error: unknown) => {
      if (!asksForTiming(error)) throw rtlError(error, sources, top);
      await runTool("verilator", [...form, "--timing", ...common]).catch((cause: unknown) => {
        throw rtlError(cause, sources, top);
      });
      return true;
    },
  );
  const text = await readFile(file, "utf8");
  const unit = json ? readJson(text, top) : readXml(text, top);
  if (unit === undefined) throw inputError(top, "there is no module of this name.");
  return timing ? { ...unit, timing } : unit;
}

/** Whether the RTL has delays, or waits for events. */
function asksForTiming(error: unknown): boolean {
  return error instanceof NeardataError && error.message.includes("%Error-NEEDTIMINGOPT");
}
