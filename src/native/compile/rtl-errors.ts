// SPDX-License-Identifier: Apache-2.0
// Verilator's messages about RTL, as an error of the user's RTL: `bad-input` where a source is not one
// of neardata's own.

import { readFileSync } from "node:fs";
import { basename } from "node:path";

import { NeardataError, type Issue } from "../../base/errors.ts";
import { inRepository } from "../../base/paths.ts";

/** The first line of an error: `%Error-KIND: FILE:LINE:COLUMN: text`. */
const located = /^%Error(?:-\w+)?: (.+?):(\d+):(?:\d+:)? (.+)$/gm;

/**
 * The error of a run of Verilator on these sources, which names the first place and carries all that was printed;
 * any other error as it is.
 */
export function rtlError(error: unknown, sources: readonly string[], top: string): unknown {
  if (!(error instanceof NeardataError) || error.code !== "build-failed") return error;
  if (!sources.some((path) => !path.startsWith(inRepository("rtl")))) return error;
  const { text } = error.details;
  if (typeof text !== "string") return error;
  const issues = known(text, top);
  if (issues.length > 0) return new NeardataError("bad-input", issues, { cause: error });
  const [first] = text.matchAll(located);
  const [, file = top, line = "", sentence = "Verilator refuses the RTL:"] = first ?? [];
  const where = line === "" ? file : `${file}:${line}`;
  return new NeardataError("bad-input", [{ where, message: `${sentence}\n${text}` }], {
    cause: error,
    details: error.details,
  });
}

/** Messages of neardata for constructs that a top must not have. */
function known(text: string, top: string): readonly Issue[] {
  return [
    ...interfacePorts(text, top),
    ...[...text.matchAll(/Parameters from the command line were not found in the design: (.+)/g)]
      .flatMap(([, names = ""]) => names.split(/,\s*/))
      .map((name) => ({
        where: `${top}: parameters.${name.trim()}`,
        message: "there is no such parameter.",
      })),
  ];
}

/** Ports of a top that are interfaces, which Verilator does not have. */
function interfacePorts(text: string, top: string): readonly Issue[] {
  const places = /^%Error-UNSUPPORTED: (.+?):(\d+):(\d+): Unsupported: Interfaced port on top/gm;
  return [...text.matchAll(places)].map(([, file = "", line = "", column = ""]) => {
    const declared = lineOf(file, Number(line));
    const port = /^[\w$\\]+/.exec(declared.slice(Number(column) - 1))?.[0] ?? "port";
    const before = declared.slice(0, Number(column) - 1).trim();
    const type = /([\w$]+)(?:\s*\.\s*[\w$]+)?$/.exec(before)?.[1] ?? "the_interface";
    return {
      where: `${top}.${port}`,
      message:
        `a port of a top is no interface (${basename(file)}:${line}). Open a module round it that has plain ports: ` +
        `module ${top}_ports (input logic clk_i, input logic rst_ni, input logic ${port}_valid_i, ...); ` +
        `${type} ${port} (); assign ${port}.valid = ${port}_valid_i; ... ` +
        `${top} u_${top} (.clk_i, .rst_ni, .${port}(${port}), ...); endmodule`,
    };
  });
}

function lineOf(file: string, line: number): string {
  try {
    return (
      readFileSync(file, "utf8")
        .split("\n")
        .at(line - 1) ?? ""
    );
  } catch {
    return "";
  }
}
