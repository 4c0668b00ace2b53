// SPDX-License-Identifier: Apache-2.0
// Ordinary SystemVerilog in a driven unit: signs, unpacked ports, strange names, parameters, delays, printed
// lines, imported functions, and RTL that does not settle or does not end.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { openUnit, type Unit, type UnitMessage, type UnitOptions } from "../../src/rtl/index.ts";
import { unitTypes } from "../../src/rtl/declare/index.ts";
import { inFull, needs } from "../helpers/needs.ts";
import { rejection } from "../helpers/rejection.ts";

const options: UnitOptions = {
  top: "manners",
  from: import.meta.dirname,
  sources: [join("fixtures", "unit", "manners.sv")],
  uses: [join("fixtures", "unit", "manners.c")],
  parameters: { Word: "two words", Share: 0.25 },
};

let unit: Unit;
const unitMessages: UnitMessage[] = [];
beforeAll(async () => {
  unit = await openUnit({ ...options, onMessage: (message) => unitMessages.push(message) });
});
afterAll(() => {
  unit.close();
});

/** These inputs, and the constant ones. */
const inputs = (some: object = {}): Record<string, never> =>
  ({ list_i: [0, 0, 0, 0], "pair_i[0]": [0n, 0n], "pair_i[1]": [0n, 0n], ...some }) as never;

async function outputsFor(some: object): Promise<Readonly<Record<string, unknown>>> {
  unit.reset();
  unit.set(inputs(some));
  await unit.run({ cycles: 2 });
  return unit.outputs();
}

describe("ports", () => {
  it("carry their signs", async () => {
    const seen = await outputsFor({ step_i: 5 });
    expect(seen).toMatchObject({ negated_o: -5, wide_o: 5n << 32n });
    expect(await outputsFor({ step_i: -128 })).toMatchObject({ wide_o: -(128n << 32n) });
    for (const step_i of [128, 251, -129, 0.5]) {
      expect(() => {
        unit.set({ step_i });
      }).toThrow(rejection("bad-input", "manners.step_i"));
    }
  });

  it("may be unpacked arrays", async () => {
    const seen = await outputsFor({
      list_i: [1, 2, 3, 4],
      "pair_i[0]": [2n ** 39n, 7n],
      "pair_i[1]": [8n, 9n],
    });
    expect(seen).toMatchObject({
      sum_o: 10,
      "pair_o[0]": [2n ** 39n, 7n],
      "pair_o[1]": [8n, 9n],
    });
  });

  it("may have names that C++ does not have", async () => {
    expect(await outputsFor({ delete: 1 })).toMatchObject({ names_o: 0b100 });
    expect(await outputsFor({ a__b_i: 1 })).toMatchObject({ names_o: 0b010 });
    expect(await outputsFor({ "odd-name": 1 })).toMatchObject({ names_o: 0b001 });
  });

  it("have types with signs and any names", async () => {
    const text = await unitTypes(options);
    expect(text).toContain("/** 8 bits, signed. */\n    step_i: number;");
    expect(text).toContain('"odd-name": number;');
  });
});

describe("parameters", () => {
  it("may be strings and real numbers", async () => {
    expect(await outputsFor({})).toMatchObject({ word_o: 1, share_o: 25 });
  });

  it.each([
    [{ Word: 'a "quote"' }, "parameters.Word"],
    [{ Word: "back\\slash" }, "parameters.Word"],
    [{ Word: 3 }, "manners: parameters.Word"],
    [{ Share: "half" }, "manners: parameters.Share"],
    [{ Share: Number.NaN }, "parameters.Share"],
    [{ Absent: 1 }, "manners: parameters.Absent"],
  ])("%j is refused", async (parameters, where) => {
    await expect(unitTypes({ ...options, parameters })).rejects.toThrow(
      rejection("bad-input", where),
    );
  });
});

it("delays end within their cycle", async () => {
  expect(await outputsFor({ step_i: 9 })).toMatchObject({ late_o: 9 });
});

it("functions of C are called", async () => {
  expect(await outputsFor({ twice_i: -21 })).toMatchObject({ twice_o: -42 });
});

it("a function that is defined nowhere is named", inFull, async () => {
  await expect(openUnit({ ...options, uses: [] })).rejects.toThrow(
    rejection("bad-input", "twice", "hang"),
  );
});

it("what the RTL prints goes to onMessage, with its cycle", async () => {
  unitMessages.length = 0;
  unit.reset();
  unit.set(inputs({ step_i: -3, tell_i: 1 }));
  await unit.run({ cycles: 2 });
  unit.set({ tell_i: 2 });
  await unit.run({ cycles: 1 });
  expect(unitMessages.map(({ cycle }) => cycle)).toEqual([0, 1, 2]);
  expect(unitMessages.slice(0, 2).map(({ text }) => text)).toEqual(["step is -3", "step is -3"]);
  expect(unitMessages[2]?.text).toMatch(/Warning: .*be warned/);
});

describe("RTL that does not settle", () => {
  it("ends the run with the signal, its place and the cycle", async () => {
    unit.reset();
    await unit.run({ cycles: 3 });
    unit.set({ ring_i: 1 });
    await expect(unit.run({ cycles: 5 })).rejects.toThrow(
      rejection(
        "check-failed",
        /^manners\.turn \(manners\.sv:\d+\): .*does not settle.*\(cycle 3\)/,
      ),
    );
  });

  it("leaves a unit that is reset", async () => {
    expect(await outputsFor({ step_i: 1 })).toMatchObject({ negated_o: -1 });
  });
});

/** How a process ends whose run never does; `then` follows the abort. */
async function endOf(set: object, then: string): Promise<{ code: number | null; out: string }> {
  const script = `
    import { openUnit } from ${JSON.stringify(inRepository("build", "js", "rtl", "index.js"))};
    const unit = await openUnit(${JSON.stringify(options)});
    unit.set(${JSON.stringify(set)});
    const abort = new AbortController();
    const run = unit.run({ cycles: 5, signal: abort.signal });
    abort.abort();
    await run.catch(({ code }) => console.log(code));
    await unit.run({ cycles: 1 }).catch(({ code }) => console.log(code));
    unit.close();
    ${then}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  await once(child, "close");
  return { code: child.exitCode, out };
}

describe("a run that does not end", needs("make build"), () => {
  it.each([
    ["a loop of the RTL", { spin_i: 1 }, "", 0],
    ["an imported function, and a process that exits", { hang_i: 1 }, "process.exit(5);", 5],
  ])("is given up: %s", async (_, set, then, code) => {
    expect(await endOf(set, then)).toEqual({ code, out: "cancelled\nmisuse\n" });
  });
});
