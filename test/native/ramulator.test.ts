// SPDX-License-Identifier: Apache-2.0
// The directory that RAMULATOR2_DIR names: what makes it an installed Ramulator, and the message about each wrong one.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";

import { loadBackend, ramulatorMissing, ramulatorVersion } from "../../src/native/ramulator.ts";
import { experts } from "../../src/run/kernels/experts.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { resolveConfig, type ResolvedConfig } from "../../src/scenario/resolve.ts";
import { rejection } from "../helpers/rejection.ts";
import { ramulatorTree } from "../../src/native/ramulator-tree.ts";
import { inTemporary } from "../helpers/cli.ts";

const header20 = "src/dram_controller/plugin.h";
const header21 = "src/ramulator/controller/controller_base.h";

/** Empty files below a directory. */
function place(directory: string, ...files: readonly string[]): void {
  for (const file of files) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), "");
  }
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the directory of Ramulator", () => {
  it.each([
    ["2.0", header20, "libramulator.so"],
    ["2.0", "include/dram_controller/plugin.h", "lib/libramulator.so"],
    ["2.1", header21, "libramulator.so"],
    ["2.1", "include/ramulator/controller/controller_base.h", "build/libramulator.a"],
  ])("has Ramulator %s with %s and %s", async (version, header, library) => {
    await inTemporary((directory) => {
      place(directory, header, library);
      expect(ramulatorTree(directory)).toEqual({
        directory,
        library: join(directory, library),
        version,
      });
    });
  });

  it("has both parts of Ramulator", async () => {
    await inTemporary((directory) => {
      expect(ramulatorTree(join(directory, "none"))).toMatch(
        /^RAMULATOR2_DIR names .*none, which does not exist$/,
      );
      expect(ramulatorTree(directory)).toMatch(/no Ramulator 2\.0 or 2\.1: .*plugin\.h is missing/);
      place(directory, header20);
      expect(ramulatorTree(directory)).toMatch(/is not built: libramulator\.so is missing/);
    });
  });

  it("is rejected before anything is compiled", async () => {
    await inTemporary((directory) => {
      vi.stubEnv("RAMULATOR2_DIR", directory);
      expect(ramulatorMissing()).toMatch(/has no Ramulator/);
      expect(ramulatorVersion()).toBeUndefined();
      expect(() => loadBackend("ramulator2")).toThrow(/has no Ramulator.*\.$/);
    });
  });

  it("is rejected before the RTL units of a scenario are built", async () => {
    await inTemporary(async (directory) => {
      vi.stubEnv("RAMULATOR2_DIR", directory);
      const text =
        "name: s\nexpert: { hidden: 70, intermediate: 37 }\nmemory: { semantics: ramulator-2.0 }\n";
      const config = (memoryBackend: "native" | "ramulator2"): ResolvedConfig =>
        resolveConfig("s.yaml", parseScenario("s.yaml", text), { memoryBackend });
      await expect(experts.units(config("native"))).resolves.toHaveLength(1);
      await expect(experts.units(config("ramulator2"))).rejects.toThrow(
        rejection("tool-missing", /has no Ramulator/),
      );
    });
  });

  it("needs `make build` in a checkout", async () => {
    await inTemporary((directory) => {
      place(directory, header21, "libramulator.so", "neardata.node");
      vi.stubEnv("RAMULATOR2_DIR", directory);
      vi.stubEnv("NEARDATA_ADDON", join(directory, "neardata.node"));
      expect(ramulatorMissing()).toMatch(/is not built; run `make build` with RAMULATOR2_DIR set$/);
      place(directory, "neardata_ramulator.node");
      expect(ramulatorMissing()).toBeUndefined();
      expect(ramulatorVersion()).toBe("2.1");
    });
  });
});
