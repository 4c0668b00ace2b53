// SPDX-License-Identifier: Apache-2.0
// Which modules of the compiled program a command loads: its start takes as long as their number.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { inRepository } from "../../src/base/paths.ts";

const program = inRepository("src", "cli", "neardata.js");

const hook = `import { writeSync } from "node:fs";
export async function load(url, context, next) {
  writeSync(3, url + "\\n");
  return next(url, context);
}`;
const dataUrl = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;
const register = `import { register } from "node:module"; register(${JSON.stringify(dataUrl(hook))});`;

/** Paths of the modules of the program and of packages that a command loads, and its exit code. */
function loadedBy(...args: readonly string[]): {
  readonly code: number | null;
  readonly modules: readonly string[];
} {
  const { output, status } = spawnSync(
    process.execPath,
    ["--import", dataUrl(register), program, ...args],
    { encoding: "utf8", stdio: ["ignore", "pipe", "pipe", "pipe"] },
  );
  const root = new URL(`file://${inRepository()}/`).href;
  const urls = (output[3] ?? "").split("\n").filter((url) => url.startsWith(root));
  return { code: status, modules: urls.map((url) => url.slice(root.length)) };
}

describe.runIf(existsSync(inRepository("build", "js", "cli", "main.js")))("a command", () => {
  it("that prints the version loads the entry point alone", () => {
    for (const option of ["--version", "-V"]) {
      expect(loadedBy(option)).toEqual({ code: 0, modules: ["src/cli/neardata.js"] });
    }
  });

  it("that reproduces one figure loads no other paper's figures and nothing that draws", () => {
    const { code, modules } = loadedBy("reproduce", "--only", "trimoe/figure-5", "--json");
    expect(code).toBe(0);
    expect(modules).toContain("build/js/papers/trimoe/figures/motivation.js");
    const unused =
      /papers\/(lia|instinfer|flexgen|llmshare)\/(index|figures)|papers\/yardstick|observablehq|linkedom|cli\/explore\/device-unit/;
    expect(modules.filter((path) => unused.test(path))).toEqual([]);
  });
});
