// SPDX-License-Identifier: Apache-2.0
// What `-march=native` means here: code for one processor may hold instructions that another lacks.

import process from "node:process";

import { askCompiler } from "./compiler.ts";

let known: { readonly path: string | undefined; readonly text: Promise<string> } | undefined;

/**
 * The processor that the compiler finds, with all that it lets the compiler use; empty for flags that are the
 * same on every processor.
 * @throws NeardataError `tool-missing`, `build-failed`
 */
export async function processorOf(flags: string): Promise<string> {
  if (!/-m(arch|tune|cpu)=native/.test(flags)) return "";
  const path = process.env["PATH"];
  if (known?.path !== path) {
    known = { path, text: askCompiler(["-march=native", "-Q", "--help=target"]) };
  }
  return (await known?.text) ?? "";
}
