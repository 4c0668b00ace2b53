#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The command `neardata`: starts the compiled program, or says how to compile it (exit code 3).

import { existsSync } from "node:fs";
import process from "node:process";

const main = new URL("../../build/js/cli/main.js", import.meta.url);
if (existsSync(main)) {
  const { runMain } = await import(main.href);
  await runMain(process.argv);
} else {
  process.stderr.write("neardata: the program is not built yet; run `make build` first.\n");
  process.exitCode = 3;
}
