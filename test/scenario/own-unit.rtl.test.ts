// SPDX-License-Identifier: Apache-2.0
// A scenario's own unit: what its file may say, where its folder is looked for, what the scenario may
// ask of it, and that a change of any of its files is another scenario.

import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";

import { readOverlay } from "../../src/native/overlay.ts";
import { readCustomUnit } from "../../src/native/custom-unit-choice.ts";
import type { ResolvedConfig } from "../../src/scenario/resolve.ts";
import { resolved as resolvedAt } from "../helpers/resolved.ts";
import type { ScenarioInput } from "../../src/scenario/schema.ts";
import { unitSummary } from "../../src/scenario/unit-choice.ts";
import { lowBitMachine, paperMachine } from "../../src/machine/resolve/systems.ts";
import { loadGolden } from "../../src/kernels/ndp/own-golden.ts";
import { sparfRtlParameters } from "../../src/native/csd/csd-unit.ts";
import { rtlParameters } from "../../src/native/ndp/ndp-unit.ts";
import { buildCustomUnit, rtlParametersOf } from "../../src/native/custom-unit.ts";
import { inRepository } from "../../src/base/paths.ts";
import { inFull } from "../helpers/needs.ts";
import { rejection } from "../helpers/rejection.ts";

const directory = mkdtempSync(join(tmpdir(), "neardata-own-unit-"));
const folder = join(directory, "mine");
const scenarioFile = join(directory, "scenario.yaml");
afterAll(() => {
  rmSync(directory, { recursive: true });
});
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  cpSync(inRepository("examples", "plain-gemv"), folder, { recursive: true });
});

test("a folder of changed RTL builds the units with the parameters that they have without it", () => {
  const changed = join(directory, "changed");
  mkdirSync(changed, { recursive: true });
  for (const [kind, name] of [
    ["ndp", "ndp/ndp_burst_queue.sv"],
    ["sparf", "sparf/flash/sparf_nfc_filter.sv"],
  ] as const) {
    const file = join(changed, basename(name));
    writeFileSync(file, "");
    const { unit, engine } = readOverlay(changed, ".");
    rmSync(file);
    if (kind === "ndp") {
      const machines = [paperMachine(), lowBitMachine()];
      for (const machine of machines) {
        expect(unit === null ? null : rtlParametersOf(unit, machine.unit)).toEqual(
          rtlParameters(machine.unit),
        );
      }
    } else {
      const size = {
        channels: 8,
        kernels: 2,
        lanes: 32,
        width: 128,
        maxKeys: 64,
        maxGroup: 4,
        slots: 8,
        ringLines: 8,
        maxPageRows: 16,
        tags: 32,
        querySets: 1,
      };
      expect(engine === null ? null : rtlParametersOf(engine, size)).toEqual(
        sparfRtlParameters(size),
      );
    }
  }
});

test("weights of fewer bits go through changed RTL that takes them", () => {
  const changed = join(directory, "low-bit");
  mkdirSync(changed, { recursive: true });
  const [name = ""] = readdirSync(inRepository("rtl", "ndp")).filter((one) => one.endsWith(".sv"));
  writeFileSync(join(changed, name), "");
  const input: ScenarioInput = {
    name: "s",
    rtl: "low-bit",
    expert: { model: "deepseek-v2", storage: "int4" },
    ndp: { lowBitWeights: true },
  };
  expect(resolvedAt(scenarioFile, input).scenario.unit.lowBitWeights).toBe(1);
  expect(() => resolvedAt(scenarioFile, { ...input, ndp: {} })).toThrow(
    rejection("bad-input", `${scenarioFile}: expert.storage`),
  );
});

/** Changes a file of the folder. */
function edit(name: string, from: string | RegExp, to: string): void {
  const text = readFileSync(join(folder, name), "utf8");
  const changed = text.replace(from, to);
  expect(changed).not.toBe(text);
  writeFileSync(join(folder, name), changed);
}

const scenario: ScenarioInput = {
  name: "own",
  unit: { rtl: "mine" },
  expert: { hidden: 64, intermediate: 64 },
};

const resolved = (input: ScenarioInput): ResolvedConfig => resolvedAt(scenarioFile, input);

describe("a scenario's own unit", () => {
  test("lies beside the scenario, or in neardata's folder", () => {
    expect(resolved(scenario).ownUnit?.directory).toBe(folder);
    const example = { ...scenario, unit: { rtl: "examples/plain-gemv" } };
    expect(resolved(example).ownUnit?.directory).toBe(inRepository("examples", "plain-gemv"));
  });

  test("has its own parameters, which the scenario may change", () => {
    const { unit } = resolved({ ...scenario, ndp: { ranks: 2, multipliersPerStream: 8 } }).scenario;
    expect(unit).toMatchObject({ streams: 4, multipliersPerStream: 8, lanes: 8, slotCycles: 8 });
  });

  test("is named in the resolved scenario, also as the engine of an attention", () => {
    const { customUnit } = resolved(scenario).scenario;
    expect(customUnit).toEqual(unitSummary(readCustomUnit("mine", directory)));
    const { unit: _, ...papers } = scenario;
    expect(resolved(papers).scenario).not.toHaveProperty("customUnit");
    const engine = join(directory, "engine");
    mkdirSync(engine, { recursive: true });
    writeFileSync(join(engine, "sparf_nfc_filter.sv"), "");
    const attention = { heads: 1, headWidth: 16, fidelity: "rtl" as const };
    const changed = resolved({ name: "changed", rtl: "engine", attention }).scenario.attention;
    expect(changed?.customUnit?.name).toBeDefined();
  });

  test("is part of the configuration, file by file", () => {
    const before = resolved(scenario);
    appendFileSync(join(folder, "golden.ts"), "// another\n");
    const after = resolved(scenario);
    expect(after.configHash).not.toBe(before.configHash);
    appendFileSync(join(folder, "plain-gemv.test.ts"), "// of no matter\n");
    expect(resolved(scenario).configHash).toBe(after.configHash);
  });

  test("that is not there, or has no such modules, is refused with every place", () => {
    expect(() => resolved({ ...scenario, unit: { rtl: "yours" } })).toThrow(
      rejection("bad-input", `${scenarioFile}: unit.rtl`),
    );
    edit("unit.yaml", "[common, ndp]", "[commen, ../src, sparf/sparf_nfc_filter.sv]");
    edit("unit.yaml", "golden.ts", "silver.ts");
    expect(() => readCustomUnit("mine", directory)).toThrow(
      rejection(
        "bad-input",
        /^mine\/unit\.yaml: uses\[0\]: .*"common"/,
        "mine/unit.yaml: uses[1]",
        /^mine\/unit\.yaml: uses\[2\]: .*"sparf\/flash\/sparf_nfc_filter\.sv"/,
        "mine/unit.yaml: golden",
      ),
    );
  });

  test("is legal only in the machine with its ports", () => {
    const attention = { heads: 1, headWidth: 16, fidelity: "rtl" as const, unit: { rtl: "mine" } };
    expect(() => resolved({ name: "own", attention })).toThrow(
      rejection("bad-input", `${scenarioFile}: attention.unit.rtl`),
    );
    edit("unit.yaml", "machine: ndp-dimm", "machine: storage-device");
    const golden: unknown = expect.objectContaining({ where: "mine/unit.yaml: golden" });
    const issues: unknown = expect.arrayContaining([golden]);
    expect(() => readCustomUnit("mine", directory)).toThrow(
      expect.objectContaining({ code: "bad-input", issues }),
    );
  });

  test("of a storage device is in the configuration, and has no cycle model", () => {
    const unit = { rtl: "examples/finite-filter" };
    const attention = { heads: 1, headWidth: 16, fidelity: "rtl" as const, unit };
    const { ownEngine, scenario: complete } = resolved({ name: "own", attention });
    expect(ownEngine?.top).toBe("sparf_engine");
    expect(complete.attention?.customUnit?.name).toBe("finite-filter");
    const cycle = { ...attention, fidelity: "cycle" as const };
    expect(() => resolved({ name: "own", attention: cycle })).toThrow(
      rejection("bad-input", `${scenarioFile}: attention.fidelity`),
    );
  });

  test("whose file breaks a rule is refused with every place", () => {
    edit("unit.yaml", "machine: ndp-dimm", "machine: gpu");
    edit("unit.yaml", "Streams: streams", "Streams: rivers");
    expect(() => readCustomUnit("mine", directory)).toThrow(
      rejection("bad-input", "mine/unit.yaml: machine", "mine/unit.yaml: parameters.Streams"),
    );
  });

  test("is asked for nothing that it does not have, all at once", () => {
    const asked: ScenarioInput = {
      ...scenario,
      fidelity: "cycle",
      expert: { hidden: 64, intermediate: 64, format: "bf16" },
      ndp: { bitsPerCycle: 2, clock: undefined },
    };
    const keys = ["fidelity", "ndp.bitsPerCycle", "expert.format"];
    expect(() => resolved(asked)).toThrow(
      rejection("bad-input", ...keys.map((key) => `${scenarioFile}: ${key}`)),
    );
  });

  test(
    "has ports that are named wrongly: refused with the name that is meant",
    inFull,
    async () => {
      edit("plain_gemv.sv", /(?<!\.)desc_ready_o/g, "desc_raedy_o");
      const { ownUnit, scenario: complete } = resolved(scenario);
      if (ownUnit === null) throw new Error("there is no unit");
      await expect(buildCustomUnit(ownUnit, complete.unit)).rejects.toThrow(
        rejection(
          "bad-input",
          /^plain_gemv\.desc_valid_i: .*"desc_raedy_o"/,
          "plain_gemv.desc_raedy_o",
        ),
      );
    },
  );

  test("has a golden model that is no model: refused", async () => {
    const load = (): ReturnType<typeof loadGolden> => loadGolden(readCustomUnit("mine", directory));
    edit("golden.ts", /\.\.\/\.\.\/src/g, inRepository("src"));
    edit("golden.ts", "export function expert", "export function experts");
    await expect(load()).rejects.toThrow(rejection("bad-input", /golden\.ts: .*no function/));
    writeFileSync(join(folder, "golden.ts"), "export const expert = (;\n");
    await expect(load()).rejects.toThrow(rejection("bad-input", /golden\.ts: .*loaded/));
    writeFileSync(join(folder, "golden.ts"), "export const expert = () => [1];\n");
    const golden = await load();
    const matrix = new Uint16Array(4);
    const bits = {
      format: "fp16",
      hidden: 2,
      intermediate: 2,
      gate: matrix,
      up: matrix,
      down: matrix,
    };
    expect(() => golden({ ...bits, format: "fp16" }, new Uint16Array(2), "relu", 64)).toThrow(
      rejection("bad-input", /golden\.ts: .*1 rows of 2 /),
    );
  });
});
