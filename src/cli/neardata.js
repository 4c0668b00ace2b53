#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The command `neardata`: starts the compiled program, or says how to compile it (exit code 3).

import { existsSync, readFileSync, writeSync } from "node:fs";

const compiled = new URL("../../build/js/", import.meta.url);
const main = new URL("cli/main.js", compiled);
const [option, ...more] = process.argv.slice(2);
if (!existsSync(main)) {
  process.stderr.write("neardata: the program is not built yet; run `make build` first.\n");
  process.exitCode = 3;
} else if ((option === "--version" || option === "-V") && more.length === 0) {
  await printVersion();
} else {
  const { runMain } = await import(main.href);
  await runMain(process.argv);
}

/** Scripts ask for the version often: no module of the program is loaded, and no stream is opened. */
async function printVersion() {
  const { version } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  try {
    writeSync(1, `${version}\n`);
  } catch {
    // The program's own output reports a full disk, and waits for a pipe that does not block.
    const { guardOutput, printText } = await import(
      new URL("cli/terminal/output.js", compiled).href
    );
    guardOutput();
    printText(version);
  }
}
