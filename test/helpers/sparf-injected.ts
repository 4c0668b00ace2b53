// SPDX-License-Identifier: Apache-2.0
// A SparF engine with injected faults in its RTL. One build has all of them; a fault is active in a run whose
// environment names it. RTL asks for a fault by `$test$plusargs("NAME")`.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";

import { inRepository } from "../../src/base/paths.ts";
import { buildEngine, type EngineParameters } from "./sparf-bench.ts";

const active = "PLANTED";

/** Replaces `right`, which occurs once in the text of `path`. */
export type Inject = (path: string, right: string, wrong: string) => void;

/** The bench of `parameters` with the faults that `inject` injects. With `open` no clock gate closes. */
export async function buildFaultyEngine(
  parameters: EngineParameters,
  faults: (inject: Inject) => void,
  open = false,
): Promise<string> {
  const texts = new Map<string, string>();
  const inject: Inject = (path, right, wrong) => {
    const text = texts.get(path) ?? readFileSync(path, "utf8");
    const places = text.split(right).length - 1;
    if (places !== 1) throw new Error(`${path}: ${String(places)} places of ${right}`);
    texts.set(
      path,
      text.replace(right, () => wrong),
    );
  };
  faults(inject);
  const quiet = "context_.fatalOnError(false);";
  const args = `const char* args[] = {"sparf", std::getenv("${active}")};`;
  const main = inRepository("testbench", "sparf_main.cc");
  inject(main, quiet, `${quiet} ${args} context_.commandArgs(2, args);`);
  inject(main, "#include <cstdio>", "#include <cstdio>\n#include <cstdlib>");
  mkdirSync(inRepository("build"), { recursive: true });
  const directory = mkdtempSync(inRepository("build", "planted-"));
  try {
    const copies = [...texts].map(([path, text]) => {
      const copy = join(directory, basename(path));
      writeFileSync(copy, text);
      return [path, copy] as const;
    });
    return await buildEngine(parameters, new Map(copies), open);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Does the work with a fault active, or with none. */
export async function withFault<T>(name: string | null, work: () => Promise<T>): Promise<T> {
  process.env[active] = `+${name ?? "none"}`;
  try {
    return await work();
  } finally {
    Reflect.deleteProperty(process.env, active);
  }
}
