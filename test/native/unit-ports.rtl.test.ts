// SPDX-License-Identifier: Apache-2.0
// Units are described, not wired: what Verilator says of their ports, what the naming rule makes of
// it, and each port that breaks the rule.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { describeUnit, releaseOf } from "../../src/native/unit/describe.ts";
import { unitFields } from "../../src/native/unit/fields.ts";
import { constant, type Port, type UnitDescription } from "../../src/native/unit/ports.ts";
import { shimText } from "../../src/native/unit/shim.ts";
import { unitPorts } from "../../src/native/unit/streams.ts";
import { readJson } from "../../src/native/unit/verilator-json.ts";
import { readXml } from "../../src/native/unit/verilator-xml.ts";
import { rejection } from "../helpers/rejection.ts";

const fixture = (name: string): string => inRepository("test", "native", "fixtures", "unit", name);

let directory = "";
let shapes: UnitDescription;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "neardata-ports-"));
  shapes = await describeUnit("shapes", ["-GLanes=4", fixture("shapes.sv")], directory);
}, 60_000);
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Fields as `name bits x count @ lsbs`. */
function fieldsOf(unit: UnitDescription): readonly string[] {
  const { inputs, outputs } = unitFields(unitPorts(unit));
  return [...inputs.ports, ...outputs.ports].flatMap(({ fields }) =>
    fields.map(({ name, bits, count, lsbs }) => {
      const shown = lsbs.join(",");
      return `${name} ${String(bits)}x${String(count)}@${shown}`;
    }),
  );
}

describe("a description", () => {
  test("has parameters as they are in this build, and fields with their places", () => {
    expect(shapes.parameters).toEqual({ Lanes: 4, Shift: -2, Wide: 5 });
    expect(fieldsOf(shapes)).toEqual([
      "in_valid_i 1x1@0",
      "in_i.last 1x1@50",
      "in_i.colour 2x1@48",
      "in_i.pair[0].a 4x1@33",
      "in_i.pair[0].b 7x1@26",
      "in_i.pair[1].a 4x1@44",
      "in_i.pair[1].b 7x1@37",
      // Declared as [0:2]: the first element has the highest bits.
      "in_i.falling[0] 5x1@21",
      "in_i.falling[1] 5x1@16",
      "in_i.falling[2] 5x1@11",
      "in_i.one.a 4x1@7",
      "in_i.one.b 7x1@0",
      "lane_valid_i 4x1@0",
      "lane_flat_i 11x4@0,11,22,33",
      "lane_item_i.a 4x4@7,18,29,40",
      "lane_item_i.b 7x4@0,11,22,33",
      "out_ready_i 1x1@0",
      "done_ready_i 1x1@0",
      "out_valid_o 1x1@0",
      "out_o 40x1@0",
      "seen_sum_valid_o 1x1@0",
      "seen_sum_o 9x4@0,9,18,27",
      "done_valid_o 1x1@0",
      "in_ready_o 1x1@0",
      "lane_ready_o 4x1@0",
      "quiet_o 1x1@0",
      "events_o 5x1@0",
    ]);
  });

  test("is the same from the JSON of newer releases as from the XML of older ones", () => {
    const json = readJson(readFileSync(fixture("shapes.tree.json"), "utf8"), "shapes");
    expect(json).toEqual({ ...shapes, parameters: { Lanes: 4, Shift: -2, Wide: 5 } });
  });

  test("of a module that there is not is nothing", () => {
    expect(readXml("<verilator_xml/>", "shapes")).toBeUndefined();
    expect(readJson('{"type":"NETLIST","modulesp":[],"miscsp":[]}', "shapes")).toBeUndefined();
  });

  test.each([
    ["32'h1f", 31],
    ["8'sh80", -128],
    ["71'h5", 5],
    ["-3", -3],
    ['"text"', undefined],
  ])("has the constant %s as %s", (text, value) => {
    expect(constant(text)).toBe(value);
  });

  test("is asked for in the form that the release has", () => {
    expect(releaseOf("Verilator 5.006 2023-01-22 rev (Debian 5.006-3)")).toBe(5.006);
    expect(releaseOf("Verilator 5.046 2026-02-28")).toBe(5.046);
  });
});

const bits = (count: number): Port["type"] => ({ kind: "bits", bits: count });
const input = (name: string, width = 1): Port => ({ name, direction: "input", type: bits(width) });
const output = (name: string, width = 1): Port => ({
  name,
  direction: "output",
  type: bits(width),
});

/** The ports of a unit that complies with the rule. */
const sound: readonly Port[] = [
  input("clk_i"),
  input("rst_ni"),
  input("x_valid_i"),
  output("x_ready_o"),
  input("x_i", 8),
  output("y_valid_o", 2),
  input("y_ready_i", 2),
  output("y_addr_o", 64),
];

const named = (ports: readonly Port[]) => (): void => {
  unitPorts({ top: "u", parameters: {}, ports });
};

const without = (name: string): readonly Port[] => sound.filter((port) => port.name !== name);
const array = (count: number, width: number): Port["type"] => ({
  kind: "array",
  count,
  ascending: false,
  element: bits(width),
});

describe("the naming rule", () => {
  test("is true for a unit with lanes, and for a done without ready", () => {
    expect(named(sound)).not.toThrow();
    expect(named([...sound, output("done_valid_o"), input("done_ready_i")])).not.toThrow();
  });

  test.each<readonly [string, readonly Port[], readonly (string | RegExp)[]]>([
    ["a stream without ready", without("x_ready_o"), [/^u\.x_valid_i: .*x_ready_o/]],
    [
      "a misnamed ready",
      [...without("x_ready_o"), output("x_raedy_o")],
      [/^u\.x_valid_i: .*x_ready_o.*"x_raedy_o"\?/, /^u\.x_raedy_o: .*direction/],
    ],
    [
      "a ready without valid",
      without("y_valid_o"),
      [/^u\.y_ready_i: .*y_valid_o/, /^u\.y_addr_o: .*no stream/],
    ],
    ["a valid without payload", without("x_i"), [/^u\.x_valid_i: .*payload/]],
    ["a port of no stream", [...sound, input("mode_i", 3)], ["u.mode_i"]],
    ["both directions", [...sound, { name: "pad", direction: "inout", type: bits(1) }], ["u.pad"]],
    ["two clocks", [...sound, input("clk_mem_i")], [/^u\.clk_mem_i: .*clock/]],
    [
      "neither clock nor reset",
      [...without("clk_i").filter(({ name }) => name !== "rst_ni"), input("rst_n")],
      ["u.clk_i", /^u\.rst_ni: .*"rst_n"\?/, "u.rst_n"],
    ],
    [
      "a ready of another width",
      [...without("y_ready_i"), input("y_ready_i", 3)],
      [/^u\.y_valid_o: .*2 .*y_ready_i 3/],
    ],
    [
      "lanes that do not part the payload",
      [...without("y_addr_o"), output("y_addr_o", 63), { ...output("y_tag_o"), type: array(3, 2) }],
      [/^u\.y_addr_o: 63 bits .*2 lanes/, /^u\.y_tag_o: 3 elements .*2 lanes/],
    ],
    [
      "too many lanes",
      [...sound, input("z_valid_i", 33), output("z_ready_o", 33), input("z_i", 33)],
      [/^u\.z_valid_i: 33 lanes.* 32 /],
    ],
    [
      "no packed type",
      [...sound, { ...input("x_more_i"), type: { kind: "other", what: "an unpacked array" } }],
      [/^u\.x_more_i: .*packed/],
    ],
    ["names", [...sound, input("x_a_o"), input("x__a_i")], ["u.x_a_o", "u.x__a_i"]],
    [
      "what is shown and can be held up",
      [...sound, output("seen_a_valid_o"), input("seen_a_ready_i"), output("seen_a_o")],
      ["u.seen_a_ready_i"],
    ],
    [
      "strobes that are too wide",
      [...sound, output("quiet_o", 2), output("events_o", 129)],
      [/^u\.quiet_o: .*bit/, /^u\.events_o: 129 .* 128 /],
    ],
  ])("names the port with %s", (_, ports, where) => {
    expect(named(ports)).toThrow(rejection("bad-input", ...where));
  });
});

test("a shim copies payload only beside its valid", () => {
  const model = { timing: false, member: (name: string) => name };
  const text = shimText(unitPorts({ top: "u", parameters: { Size: 3 }, ports: sound }), model);
  expect(text).toContain('{"Size", 3},');
  expect(text).toContain("if (in[0] != 0) {\n      drive_port<8>(m.x_i, in + 1);\n    }");
  expect(text).toContain("if (out[0] != 0) {\n      sample_port<64>(m.y_addr_o, out + 1);\n    }");
});
