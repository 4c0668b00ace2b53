// SPDX-License-Identifier: Apache-2.0
// The files that a module needs. A file contains one module or package of the same name, so a module
// that a file names is read before it. A module that is synthesized separately, and a memory macro,
// contributes its ports.

import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

import { inputError } from "../../base/errors.ts";
import { inRepository } from "../../base/paths.ts";
import { rtlFilesBelow } from "../../native/compile/rtl-sources.ts";
import { cut, formatValue } from "../../base/format-value.ts";
import type { Parameters } from "../../machine/slices.ts";

/** A file that a synthesis reads; of a stub only the ports. */
export interface RtlFile {
  readonly path: string;
  readonly stub: boolean;
}

/** Files of the repository's RTL and of the memory macros, by the name that they define. */
function repositoryRtl(): ReadonlyMap<string, string> {
  const macros = readdirSync(inRepository("synth"))
    .filter((name) => name.endsWith(".sv"))
    .map((name) => inRepository("synth", name));
  return new Map([...rtlFilesBelow("."), ...macros].map((path) => [basename(path, ".sv"), path]));
}

/**
 * All modules that `top` uses, directly or indirectly, each after the modules that it uses.
 * `replaced` has files that replace those of the repository, by module.
 * @throws NeardataError `bad-input` if no file defines `top`.
 */
export function closureOf(
  top: string,
  separately: readonly string[],
  replaced: Readonly<Record<string, string>> = {},
): readonly RtlFile[] {
  const known = new Map([...repositoryRtl(), ...Object.entries(replaced)]);
  if (!known.has(top)) throw noModule(top);
  const files: RtlFile[] = [];
  const seen = new Set<string>();
  const visit = (name: string, path: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    const stub = name !== top && (separately.includes(name) || name.endsWith("_macro"));
    const text = stub ? portsOf(path) : readFileSync(path, "utf8");
    for (const word of new Set(withoutComments(text).match(/\b[a-z]\w*\b/g))) {
      const used = known.get(word);
      if (used !== undefined) visit(word, used);
    }
    files.push({ path, stub });
  };
  visit(top, known.get(top) ?? "");
  return files;
}

/** The file of a module. @throws NeardataError `bad-input` if it does not exist. */
export function moduleFile(name: string, replaced: Readonly<Record<string, string>> = {}): string {
  const path = replaced[name] ?? repositoryRtl().get(name);
  if (path === undefined) throw noModule(name);
  return path;
}

function noModule(name: string): Error {
  return inputError("unit", `no file under rtl/ defines the module ${formatValue(name)}.`);
}

/** The module without its body: parameters and ports, up to the line that ends them. */
export function portsOf(path: string): string {
  const text = readFileSync(path, "utf8");
  const end = text.indexOf("\n);\n");
  const begin = text.search(/^module /m);
  if (end < 0 || begin < 0) throw inputError(path, "this holds no module with a list of ports.");
  return `(* keep_hierarchy *)\n${text.slice(begin, end)}\n);\nendmodule\n`;
}

/**
 * The file with these values as the defaults of its parameters.
 * @throws NeardataError `bad-input` for a parameter that it does not have.
 */
export function withDefaults(path: string, parameters: Parameters): string {
  return Object.entries(parameters).reduce(
    (text, [name, value]) => {
      // A number, a bit, or the name of another parameter, perhaps of a package.
      const kinds = "(?:int\\s+unsigned|bit)";
      const pattern = new RegExp(`(parameter\\s+${kinds}\\s+${name}\\s*=\\s*)[\\w':]+`);
      if (!pattern.test(text)) {
        throw inputError(cut(name), `${basename(path)} has no such parameter.`);
      }
      return text.replace(pattern, (_, before: string) => before + String(value));
    },
    readFileSync(path, "utf8"),
  );
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\/.*/g, "").replaceAll(/\/\*[\s\S]*?\*\//g, "");
}
