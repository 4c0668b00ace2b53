// SPDX-License-Identifier: Apache-2.0
// File lists (rtl/NAME.f) and FuseSoC cores (rtl/NAME.core) of the units, from the sources that synthesis
// takes. A file that uses another follows it.

import { readFileSync } from "node:fs";
import { relative } from "node:path";

import { inRepository } from "../src/base/paths.ts";
import { sourceClosure } from "../src/native/compile/source-hash.ts";
import { closureOf } from "../src/tools/synth/rtl-files.ts";

const tops: Readonly<Record<string, string>> = {
  dimm_ndp: "DIMM-NDP unit: bit-serial GEMV array and activation unit beside two DDR5 sub-channels",
  reset_drain: "Extends the reset of a unit until no read of it is outstanding",
  relayout_unit: "Relayout unit: moves an expert's bursts to the DIMMs of its new layout",
  sparf_engine: "SparF attention engine: argtopk, attention kernels and filters of flash channels",
  transposition_buffer: "Transposition buffer: rows of K in, embedding-order pages out",
};

function listOf(top: string, files: readonly string[]): string {
  return [
    `// All sources of ${top}; a file that uses another follows it. Paths are relative to this file:`,
    `//   verilator --lint-only -F rtl/${top}.f --top-module ${top}`,
    "// Made by `make lists`.",
    "+incdir+include",
    ...files,
    "",
  ].join("\n");
}

/** The files that these include, from `rtl`. */
function includesOf(files: readonly string[]): readonly string[] {
  const paths = files.map((file) => inRepository("rtl", file));
  return sourceClosure(paths, [inRepository("rtl", "include")])
    .filter((path) => path.endsWith(".svh"))
    .map((path) => relative(inRepository("rtl"), path))
    .sort();
}

function coreOf(top: string, description: string, files: readonly string[]): string {
  const { version } = JSON.parse(readFileSync(inRepository("package.json"), "utf8")) as {
    readonly version: string;
  };
  return [
    "CAPI=2:",
    "# Made by `make lists`.",
    `name: neardata:ip:${top}:${version}`,
    `description: "${description}"`,
    "filesets:",
    "  rtl:",
    "    files:",
    ...includesOf(files).map(
      (file) => `      - ${file}: {is_include_file: true, include_path: include}`,
    ),
    ...files.map((file) => `      - ${file}`),
    "    file_type: systemVerilogSource",
    "targets:",
    "  default: &default",
    "    filesets: [rtl]",
    `    toplevel: ${top}`,
    "  lint:",
    "    <<: *default",
    "    flow: lint",
    "    flow_options:",
    "      tool: verilator",
    "",
  ].join("\n");
}

/** Texts by the names of files in `rtl`. */
export function fileLists(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(tops).flatMap(([top, description]) => {
      // Macros of memories are for synthesis alone.
      const files = closureOf(top, [])
        .map(({ path }) => relative(inRepository("rtl"), path))
        .filter((path) => !path.startsWith(".."));
      return [
        [`${top}.f`, listOf(top, files)],
        [`${top}.core`, coreOf(top, description, files)],
      ] as const;
    }),
  );
}
