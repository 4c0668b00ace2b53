// SPDX-License-Identifier: Apache-2.0
// The recorded cost of a unit belongs to its RTL as it is. Where this fails, the RTL was changed:
// `neardata area ndp --record`, or sparf, measures it anew.

import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";
import { lowBitMachine, paperMachine } from "../../../src/machine/resolve/systems.ts";
import { lowBitFormats } from "../../../src/golden/low-bit.ts";
import { activationOperation, slotOperations } from "../../../src/machine/operands.ts";
import { activationFunctions } from "../../../src/golden/names.ts";
import {
  codeOf,
  parseCost,
  readRecord,
  recordedDesigns,
  recordedNdp,
  recordedSlices,
  recordedUnits,
  recordPath,
} from "../../../src/tools/synth/record.ts";
import { present } from "../../../src/base/present.ts";
import { sumOfSlices } from "../../../src/tools/synth/area.ts";
import { composeNdpArea } from "../../../src/tools/synth/ndp-parts.ts";
import { builtInLibrary, readLibrary } from "../../../src/tools/synth/cells/liberty.ts";
import { zynq7045 } from "../../../src/tools/synth/papers.ts";
import type { Flow } from "../../../src/tools/synth/slice.ts";
import { separateModules } from "../../../src/tools/synth/units.ts";
import { floorOf } from "../../../src/tools/area/summary.ts";
import { fpgaVerdicts } from "../../../src/tools/area/verdicts.ts";
import { rejection } from "../../helpers/rejection.ts";

const sparfModules = [
  "sparf_engine",
  "sparf_nfc_channel",
  "sparf_head_front",
  "sparf_head_loader",
  "sparf_token_walker",
  "sparf_dim_walker",
  "sparf_query_unit",
  "sparf_gemv_sequencer",
  "sparf_gemv_lanes",
  "sparf_rank_unit",
  "sparf_argtopk",
  "sparf_attend_unit",
  "sparf_attend_lanes",
  "sparf_attend_finish",
  "sparf_attn_weigh",
  "sparf_attn_scalar",
  "sparf_append_unit",
  "sparf_dram_reader",
];

describe("the recorded cost", () => {
  it("that was cut off, or lacks a part, is refused by the name of its file", () => {
    const text = readFileSync(recordPath("ndp"), "utf8");
    expect(parseCost(text, "ndp.json")).toEqual(readRecord("ndp")?.record);
    const cut = rejection("bad-input", /^ndp\.json: .*`neardata area --record`.*line \d+/);
    expect(() => parseCost(text.slice(0, text.length / 2), "ndp.json")).toThrow(cut);
    const lacking = rejection("bad-input", /^ndp\.json: .*`neardata area --record`.*missing/);
    expect(() => parseCost("{}", "ndp.json")).toThrow(lacking);
  });

  it("belongs to code, not to comments: they and blank lines change no hash, a token does", () => {
    const code = "module unit (\n  input logic a_i  // an input\n);\nendmodule\n";
    const commented =
      "// A unit.\n\nmodule unit (\n  input logic a_i\n);\n/* no\nlogic */endmodule";
    expect(codeOf(commented)).toBe(codeOf(code));
    expect(codeOf(code)).toBe("module unit (\n  input logic a_i\n);\nendmodule");
    expect(codeOf(code.replace("a_i", "b_i"))).not.toBe(codeOf(code));
  });

  it("of the DIMM-NDP unit belongs to this RTL", () => {
    const found = readRecord("ndp");
    expect(found?.record.area?.unit).toBe("ndp");
    expect(found?.record.energy.operations.length).toBeGreaterThan(2);
    expect(found?.current).toBe(true);
  });

  it("of the DIMM-NDP unit is at most 0.60 mm2, and every slice reaches 1 GHz", () => {
    const area = readRecord("ndp")?.record.area;
    expect(area?.parameters).toEqual({});
    expect(area ? floorOf(area).total : NaN).toBeLessThanOrEqual(0.6);
    expect(area?.slices.length).toBeGreaterThan(5);
    for (const { path } of area?.slices ?? []) expect(path?.period).toBeLessThanOrEqual(1000);
  });

  it.each(["ndp-two-bit", "ndp-low-bit-two-bit"] as const)(
    "of %s belongs to this RTL, is at most 1.25 times the paper's size, every slice at 1 GHz",
    (name) => {
      const found = readRecord(name);
      const area = found?.record.area ?? null;
      if (area === null) throw new Error("no record");
      expect(found?.current).toBe(true);
      expect(area.parameters).toEqual(recordedDesigns[name].parameters);
      expect(floorOf(area).total).toBeLessThanOrEqual(1.25 * 0.399);
      for (const { path } of area.slices) expect(path?.period).toBeLessThanOrEqual(1000);
      // The energy of a run by either clock has a cost of everything that it counts.
      const { operations, gating = [] } = found?.record.energy ?? { operations: [] };
      const ids = new Map(operations.map((one) => [one.id, one]));
      const low = recordedDesigns[name].parameters["LowBitWeights"] === 1;
      for (const inputs of ["fp16", "bf16"] as const) {
        for (const weights of ["wide", ...(low ? lowBitFormats : [])] as const) {
          const { multiply, decode, tree, root } = slotOperations({ inputs, weights });
          for (const id of [multiply, tree, root, ...(low ? [decode] : [])]) {
            expect(ids.get(id)?.joules, id).toBeGreaterThan(0);
            expect(ids.get(id)?.gatedJoules, id).toBeGreaterThanOrEqual(0);
          }
        }
      }
      const modules = new Set(area.units.map(({ name: module }) => module));
      for (const { module, share, gates } of gating) {
        expect(modules).toContain(module);
        expect(share).toBeGreaterThan(gates);
      }
    },
  );

  it.each(["ndp", "ndp-two-bit", "ndp-low-bit-two-bit"] as const)(
    "of %s has an energy of every function of the unit, with and without up + 1, each its own",
    (name) => {
      const operations = readRecord(name)?.record.energy.operations ?? [];
      const joules = activationFunctions.flatMap((func) =>
        [{ name: func }, { name: func, upPlusOne: true } as const].map((gate) => {
          const id = activationOperation(gate);
          const found = operations.filter((one) => one.id === id);
          expect(found, id).toHaveLength(1);
          expect(found[0]?.joules, id).toBeGreaterThan(0);
          expect(found[0]?.gatedJoules, id).toBeGreaterThan(0);
          return found[0]?.joules;
        }),
      );
      expect(new Set(joules).size).toBe(2 * activationFunctions.length);
    },
  );

  it("is found by the parameters of a machine's unit, and only by all of them", () => {
    const { unit } = paperMachine();
    expect(recordedNdp(unit)).toBe("ndp");
    expect(recordedNdp({ ...unit, lowBitWeights: 0 })).toBe("ndp");
    expect(recordedNdp({ ...unit, bitsPerCycle: 2 })).toBe("ndp-two-bit");
    expect(recordedNdp(lowBitMachine().unit)).toBe("ndp-low-bit-two-bit");
    expect(recordedNdp({ ...unit, queueBursts: 64 })).toBeUndefined();
    expect(recordedNdp({ ...unit, slotCycles: 8 })).toBeUndefined();
  });

  it("of the SparF engine belongs to this RTL", () => {
    const found = readRecord("sparf");
    expect(found?.record.area?.unit).toBe("sparf");
    expect(found?.current).toBe(true);
  });

  it("of the SparF engine fits a Zynq-7045, and its logic alone is faster than 285 MHz", () => {
    const area = readRecord("sparf")?.record.area ?? null;
    expect(area).not.toBeNull();
    if (area === null) return;
    expect(area.parameters).toEqual({});
    expect(area.sum.lut).toBeLessThanOrEqual(zynq7045.lut);
    expect(area.sum.ff).toBeLessThanOrEqual(zynq7045.ff);
    expect(area.sum.bram36).toBeLessThanOrEqual(zynq7045.bram36);
    expect(area.sum.dsp).toBeLessThanOrEqual(zynq7045.dsp);
    // Every module of the engine is in the record, so no area is missing.
    const modules = new Set(area.slices.map((s) => s.module));
    for (const module of sparfModules) expect(modules).toContain(module);
    for (const { path } of area.slices) expect(path?.period).toBeLessThanOrEqual(1e6 / 285);
  });

  it("of the SparF engine leaves wires 40 % of the period, argtopk and NFC are no larger than the paper's", () => {
    const area = readRecord("sparf")?.record.area ?? null;
    if (area === null) throw new Error("no record");
    for (const { path } of area.slices) expect(path?.period).toBeLessThanOrEqual(0.6e6 / 285);
    const verdicts = fpgaVerdicts(area);
    expect(verdicts).not.toEqual([]);
    for (const { name, pass } of verdicts) expect({ name, pass }).toEqual({ name, pass: true });
  });

  it("is judged by its slowest slice and its largest unit", () => {
    const area = readRecord("sparf")?.record.area ?? null;
    if (area === null) throw new Error("no record");
    const worse = area.slices.map((slice) => ({
      ...slice,
      ...(slice.module === "sparf_dram_reader" && slice.path !== null
        ? { path: { ...slice.path, period: 2500 } }
        : {}),
      ...(slice.module === "sparf_argtopk" ? { resources: { ...slice.resources, ff: 5000 } } : {}),
    }));
    const failed = fpgaVerdicts({ ...area, slices: worse }).filter(({ pass }) => !pass);
    expect(failed.map(({ name }) => name)).toEqual([
      expect.stringContaining("argtopk"),
      expect.stringContaining("for wires"),
    ]);
    expect(failed[0]?.detail).toContain("FF against 3870");
    expect(failed[1]?.detail).toContain("sparf_dram_reader 2.50 ns");
  });

  it("says of each unit which operations were measured", () => {
    for (const unit of recordedUnits) {
      const operations = readRecord(unit)?.record.energy.operations ?? [];
      expect(operations.length).toBeGreaterThan(2);
      for (const { joules, settledJoules } of operations) {
        expect(settledJoules).toBeGreaterThan(0);
        expect(joules).toBeGreaterThanOrEqual(settledJoules);
      }
    }
  });
});

describe("recorded slices", () => {
  const area = readRecord("ndp")?.record.area;
  const flow: Flow = {
    yosys: { version: area?.tools[0] ?? "", run: () => Promise.reject(new Error("Yosys runs")) },
    openSta: null,
    library: readLibrary(builtInLibrary()),
    replaced: {},
    separately: separateModules,
    memories: "macros",
  };

  it("replace the synthesis of the control in a composed area", async () => {
    const slices = recordedSlices("ndp", flow);
    expect(slices).toEqual(area?.slices);
    const recorded = present(slices.find(({ module }) => module === "dimm_ndp"));
    const control = { module: "dimm_ndp", parameters: {}, boxes: [], row: recorded };
    const sum = await sumOfSlices(flow, "ndp", {}, [control]);
    expect(sum.slices).toEqual([recorded]);
    expect(sum.sum.cellArea).toBe(recorded.resources.cellArea);
  });

  it("are those of the control alone: the datapath is synthesized", async () => {
    const named: string[] = [];
    // A version that no cache has.
    const other = { ...flow, yosys: { ...flow.yosys, version: "Yosys of a test" } };
    const { unit } = paperMachine();
    const area = composeNdpArea(other, unit, recordedSlices("ndp", flow), (slice) =>
      named.push(slice.module),
    );
    await expect(area).rejects.toThrow("Yosys runs");
    expect(named).toEqual(["ndp_act_bank"]);
  });

  it.each<[string, Partial<Flow>]>([
    ["another version of Yosys", { yosys: { ...flow.yosys, version: "Yosys 9" } }],
    ["other cells", { library: { ...readLibrary(builtInLibrary()), path: "mine.lib" } }],
    ["an FPGA", { library: null }],
    ["another file of the RTL", { replaced: { ndp_sequencer: "mine.sv" } }],
    ["more slices", { separately: [...separateModules, "ndp_sequencer"] }],
  ])("do not belong to a flow with %s", (_, difference) => {
    expect(recordedSlices("ndp", { ...flow, ...difference })).toEqual([]);
  });
});
