#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The command `neardata`: starts the compiled program, or says how to compile it (exit code 3).

import { existsSync } from "node:fs";
import process from "node:process";

const compiled = new URL("../../build/js/", import.meta.url);
const main = new URL("cli/main.js", compiled);
const [option, ...more] = process.argv.slice(2);
if (!existsSync(main)) {
  process.stderr.write("neardata: the program is not built yet; run `make build` first.\n");
  process.exitCode = 3;
} else if ((option === "--version" || option === "-V") && more.length === 0) {
  // Scripts ask for the version often; the program would load for as long as Node.js starts.
  const { guardOutput } = await import(new URL("cli/terminal/output.js", compiled).href);
  const { version } = await import(new URL("base/version.js", compiled).href);
  guardOutput();
  process.stdout.write(`${version}\n`);
} else {
  const { runMain } = await import(main.href);
  await runMain(process.argv);
}
