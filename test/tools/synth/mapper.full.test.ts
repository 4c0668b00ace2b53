// SPDX-License-Identifier: Apache-2.0
// If ABC9 aborts, ABC maps, and the result states it. The cache separates results of ABC from
// results of ABC9. Anything else that fails, fails. Parameters go into the file.

import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { describe, expect, test } from "vitest";

import { builtInLibrary, readLibrary } from "../../../src/tools/synth/cells/liberty.ts";
import { resourcesOf } from "../../../src/tools/synth/resources.ts";
import { findFlow, synthesizeSlice, type Flow } from "../../../src/tools/synth/slice.ts";
import { needs } from "../../helpers/needs.ts";

const minutes = 60_000;
const instance = { module: "fp_narrow", parameters: {} };

/** A flow whose Yosys ends in ABC9 scripts, in this pass. */
async function failing(pass: string): Promise<Flow> {
  const flow = await findFlow(null);
  const run = (script: string, directory: string): Promise<void> => {
    if (!script.includes(" -abc9 ")) return flow.yosys.run(script, directory);
    writeFileSync(join(directory, "yosys.log"), `1.2. Executing ${pass} pass.\n`);
    return Promise.reject(new Error("yosys failed with signal SIGABRT"));
  };
  return { ...flow, yosys: { version: `${flow.yosys.version}, ending in ${pass}`, run } };
}

describe("the mapper of look-up tables (Yosys)", needs("yosys (apt or npm)"), () => {
  test(
    "is ABC9, otherwise ABC, and the result says which",
    async () => {
      const mapped = await synthesizeSlice(await findFlow(null), instance, []);
      expect(mapped.mapper).toMatch(/^ABC9/);
      const flow = await failing("ABC9_OPS");
      const other = await synthesizeSlice(flow, instance, []);
      expect(other.mapper).toBe("ABC, as ABC9 aborted");
      expect(other.cells["FDRE"]).toBe(mapped.cells["FDRE"]);
      // The two are cached separately, and the abort is cached too.
      expect(other.netlist).not.toBe(mapped.netlist);
      expect(await synthesizeSlice(flow, instance, [])).toEqual(other);
    },
    5 * minutes,
  );

  test("is not changed by errors elsewhere", async () => {
    await expect(synthesizeSlice(await failing("PROC"), instance, [])).rejects.toThrow("SIGABRT");
  });

  test(
    "gets parameters in the file, for Yosys loses tops with -chparam",
    async () => {
      const library = readLibrary(builtInLibrary());
      const flow = await findFlow(library);
      const totals = { module: "sparf_weight_totals", parameters: { MaxGroup: 2 } };
      const yosysScripts: string[] = [];
      const run = (script: string, directory: string): Promise<void> => {
        yosysScripts.push(script);
        return script.includes("-chparam")
          ? Promise.reject(new Error("Assert `modules_.count(module->name) == 0' failed"))
          : flow.yosys.run(script, directory);
      };
      // Another version each time, so that it is made.
      const version = `${flow.yosys.version}, losing tops, ${String(process.pid)}`;
      const slice = await synthesizeSlice({ ...flow, yosys: { version, run } }, totals, []);
      expect(yosysScripts).toHaveLength(1);
      const usual = await synthesizeSlice(flow, totals, []);
      const defaults = await synthesizeSlice(flow, { ...totals, parameters: {} }, []);
      expect(resourcesOf(slice, library).ff).toBe(resourcesOf(usual, library).ff);
      expect(resourcesOf(slice, library).ff).toBeLessThan(resourcesOf(defaults, library).ff);
      rmSync(dirname(slice.netlist), { recursive: true });
    },
    5 * minutes,
  );
});
