// SPDX-License-Identifier: Apache-2.0
// Verilator's version is read once, and again if another launcher is the first on PATH.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, expect, test, vi } from "vitest";
import { verilatorVersion } from "../../src/native/compile/verilator-version.ts";
import { inTemporary } from "../helpers/cli.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A launcher that prints `version` and writes a line for each time that it runs. */
function launcher(directory: string, version: string): void {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, "verilator");
  writeFileSync(path, `#!/bin/sh\necho run >>"${directory}/log"\necho "Verilator ${version}"\n`);
  chmodSync(path, 0o755);
}

test("a launcher that stays is asked once, another one or a newer one again", () =>
  inTemporary(async (directory) => {
    const [first, second] = [join(directory, "first"), join(directory, "second")];
    const asked = (place: string): number =>
      readFileSync(join(place, "log"), "utf8").trim().split("\n").length;
    launcher(second, "5.100");
    vi.stubEnv("PATH", [first, second, process.env["PATH"]].join(":"));
    expect(await verilatorVersion()).toBe("Verilator 5.100\n");
    expect(await verilatorVersion()).toBe("Verilator 5.100\n");
    expect(asked(second)).toBe(1);

    launcher(first, "5.200 of another place");
    expect(await verilatorVersion()).toBe("Verilator 5.200 of another place\n");
    launcher(first, "5.3");
    expect(await verilatorVersion()).toBe("Verilator 5.3\n");
    expect(asked(first)).toBe(2);
  }));
