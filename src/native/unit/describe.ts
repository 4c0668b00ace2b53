// SPDX-License-Identifier: Apache-2.0
// Asks Verilator for the ports of a top: the older releases answer in XML, the newer ones in JSON.

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { inputError } from "../../errors.ts";
import { runTool } from "../compile/process.ts";
import type { UnitDescription } from "./ports.ts";
import { readJson } from "./verilator-json.ts";
import { readXml } from "./verilator-xml.ts";

/** The first release that describes a design as JSON; 5.046 is the first that has no XML. */
const firstWithJson = 5.022;

/** The number of a release as `verilator --version` prints it. */
export function releaseOf(version: string): number {
  return Number(/^Verilator (\d+\.\d+)/.exec(version)?.[1] ?? 0);
}

/**
 * The ports of `top`. `args` are what the tool gets to elaborate it: parameters, include directories and
 * sources. Writes into the directory `work`.
 * @throws NeardataError `tool-missing`, `build-failed`, `bad-input` without such a module
 */
export async function describeUnit(
  top: string,
  args: readonly string[],
  work: string,
): Promise<UnitDescription> {
  const json = releaseOf(await runTool("verilator", ["--version"])) >= firstWithJson;
  const file = join(work, `ports.${json ? "json" : "xml"}`);
  const form = json
    ? ["--json-only", "--json-only-output", file, "--json-only-meta-output", `${file}.meta`]
    : ["--xml-only", "--xml-output", file];
  await runTool("verilator", [...form, "--Mdir", work, "-Wno-fatal", "--top-module", top, ...args]);
  const text = await readFile(file, "utf8");
  const unit = json ? readJson(text, top) : readXml(text, top);
  if (unit === undefined) throw inputError(top, "there is no module of this name.");
  return unit;
}
