// SPDX-License-Identifier: Apache-2.0
// The Yosys of the system and the npm package give the same answer: the same registers, an area and
// a clock within what another version of the mapper makes of it.

import { describe, expect, it } from "vitest";
import { builtInLibrary, readLibrary } from "../../../src/tools/synth/cells/liberty.ts";
import { resourcesOf } from "../../../src/tools/synth/resources.ts";
import { synthesizeSlice } from "../../../src/tools/synth/slice.ts";
import { findOpenSta } from "../../../src/tools/synth/timing.ts";
import { npmYosys, systemYosys } from "../../../src/tools/synth/yosys.ts";
import { needs } from "../../helpers/needs.ts";

const installed = systemYosys();
const packaged = await npmYosys();
const library = readLibrary(builtInLibrary());

describe("two Yosys (system and npm)", needs("yosys", "@yowasp/yosys"), () => {
  for (const cells of [library, null]) {
    const target = cells === null ? "xc7" : "asic";
    it(`agree about the NFC filter on ${target}`, async () => {
      const slices = await Promise.all(
        [installed, packaged].flatMap((yosys) => {
          if (yosys === null) return [];
          const flow = {
            yosys,
            openSta: findOpenSta(),
            library: cells,
            replaced: {},
            separately: [],
            memories: "macros" as const,
          };
          return [synthesizeSlice(flow, { module: "sparf_nfc_filter", parameters: {} }, [])];
        }),
      );
      const [one, other] = slices.map((slice) => ({
        ...resourcesOf(slice, cells),
        period: slice.path?.period ?? 0,
      }));
      expect(one?.ff).toBe(other?.ff);
      const size = cells === null ? "lut" : "cellArea";
      expect(Math.abs((one?.[size] ?? 0) / (other?.[size] ?? 1) - 1)).toBeLessThan(0.07);
      expect(Math.abs((one?.period ?? 0) / (other?.period ?? 1) - 1)).toBeLessThan(0.15);
    }, 600_000);
  }
});
