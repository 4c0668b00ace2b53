// SPDX-License-Identifier: Apache-2.0
// Writes the C++ between a Verilated model and the plug-in interface: tables of its fields, and
// straight-line copies with constant offsets between words and ports (sim/rtl/shim/unit_shim.h has the
// rest). Compiled with the model.

import { unitFields, wordsOf, type Field, type FieldTable, type PortFields } from "./fields.ts";
import type { Port, PortType } from "./ports.ts";
import type { UnitPorts } from "./streams.ts";

/** Properties of the model's C++ that a shim needs. */
export interface ShimModel {
  /** The model has delays. */
  readonly timing: boolean;
  /** The member of a port with this encoded name. */
  readonly member: (encoded: string) => string;
}

export function shimText(unit: UnitPorts, { timing, member }: ShimModel): string {
  const { inputs, outputs } = unitFields(unit);
  const parameters = Object.entries(unit.parameters).filter(([, value]) => Number.isInteger(value));
  return `// Generated from the ports of ${unit.top}.
#include "V${unit.top}.h"
#include "rtl/shim/unit_shim.h"

namespace {

using namespace neardata::rtl;

struct Ports {
  using Model = V${unit.top};
  static constexpr const char* kTop = "${unit.top}";
  static constexpr bool kTiming = ${String(timing)};
  static constexpr std::array<NeardataUnitParameter, ${String(parameters.length)}> kParameters{{
${parameters.map(([name, value]) => `    {"${name}", ${String(value)}},`).join("\n")}
  }};
${fieldTable("kInputs", inputs)}
${fieldTable("kOutputs", outputs)}
  static constexpr std::uint32_t kInputWords = ${String(inputs.words)};
  static constexpr std::uint32_t kOutputWords = ${String(outputs.words)};

  static void drive(Model& m, const std::uint32_t* in) {
${copies(inputs, "in", (cell) => drive(cell, member))}
  }

  static void sample(const Model& m, std::uint32_t* out) {
${copies(outputs, "out", (cell) => sample(cell, member))}
  }
};

}  // namespace

struct NeardataUnit final : ShimUnit<Ports> {
  using ShimUnit::ShimUnit;
};

extern "C" __attribute__((visibility("default"))) const NeardataUnitPlugin*
neardata_unit_plugin() {
  static constexpr NeardataUnitPlugin kPlugin = shim_plugin<Ports, NeardataUnit>();
  return &kPlugin;
}
`;
}

function fieldTable(name: string, { ports }: FieldTable): string {
  const fields = ports.flatMap((port) => port.fields);
  const rows = fields.map(({ name: field, bits, count, offset }) => {
    const numbers = [bits, count, offset].map(String).join(", ");
    return `    {${JSON.stringify(field)}, ${numbers}},`;
  });
  const size = String(fields.length);
  return `  static constexpr std::array<NeardataUnitField, ${size}> ${name}{{
${rows.join("\n")}
  }};`;
}

/** One variable of the model: a packed port, or an element of an unpacked one. */
interface Cell {
  readonly port: Port;
  /** Behind the port: `[1][0]`. */
  readonly index: string;
  readonly bits: number;
  /** Of the bits of this variable. */
  readonly pieces: readonly Piece[];
}

/** One element of a field. */
interface Piece {
  readonly lsb: number;
  readonly bits: number;
  readonly word: number;
}

function cellsOf({ port, bits, fields }: PortFields): readonly Cell[] {
  const indices = indicesOf(port.type);
  const each = bits / indices.length;
  const pieces = fields.flatMap((field: Field) =>
    field.lsbs.map((lsb, i): Piece => {
      return { lsb, bits: field.bits, word: field.offset + i * wordsOf(field.bits) };
    }),
  );
  return indices.map((index, i) => ({
    port,
    index,
    bits: each,
    pieces: pieces
      .filter(({ lsb }) => Math.floor(lsb / each) === i)
      .map((piece) => ({ ...piece, lsb: piece.lsb - i * each })),
  }));
}

/** Of the elements of unpacked arrays, in the order of their bits. */
function indicesOf(type: PortType): readonly string[] {
  if (type.kind !== "array" || type.unpacked !== true) return [""];
  const below = indicesOf(type.element);
  return Array.from({ length: type.count }, (_, i) =>
    below.map((index) => `[${String(i)}]${index}`),
  ).flat();
}

/** Payload is copied only while its stream has some. */
function copies(
  table: FieldTable,
  words: "in" | "out",
  copy: (cell: Cell) => readonly string[],
): string {
  return table.ports
    .flatMap((port) => {
      const lines = cellsOf(port).flatMap(copy);
      if (port.valid === undefined) return lines.map((line) => `    ${line}`);
      return [
        `    if (${words}[${String(port.valid)}] != 0) {`,
        ...lines.map((line) => `      ${line}`),
        "    }",
      ];
    })
    .join("\n");
}

type Member = ShimModel["member"];

/** Copies of all words of ports from words `in` to a model `m`. */
export function driveLines(ports: readonly PortFields[], member: Member): readonly string[] {
  return ports.flatMap(cellsOf).flatMap((cell) => drive(cell, member));
}

/** Copies of all words of ports from a model `m` to words `out`. */
export function sampleLines(ports: readonly PortFields[], member: Member): readonly string[] {
  return ports.flatMap(cellsOf).flatMap((cell) => sample(cell, member));
}

const variableOf = ({ port, index }: Cell, member: Member): string =>
  `m.${member(port.encoded ?? port.name)}${index}`;

/**
 * The first of the consecutive words that equal the variable; undefined if the variable's parts are
 * not consecutive.
 */
function wholeFrom({ bits, pieces }: Cell): number | undefined {
  const [first] = pieces;
  if (first === undefined) return undefined;
  const follows = (piece: Piece, i: number): boolean =>
    piece.bits === first.bits &&
    piece.lsb === i * first.bits &&
    piece.word === first.word + (i * first.bits) / 32;
  if (pieces.length > 1 && first.bits % 32 !== 0) return undefined;
  return first.bits * pieces.length === bits && pieces.every(follows) ? first.word : undefined;
}

function drive(cell: Cell, member: Member): readonly string[] {
  const variable = variableOf(cell, member);
  const whole = wholeFrom(cell);
  if (whole !== undefined) {
    return [`drive_port<${String(cell.bits)}>(${variable}, in + ${String(whole)});`];
  }
  // The value is assembled in a local variable: as far as a compiler knows, `in` might alias the
  // port, so each field would load and store the port.
  return [
    "{",
    `  auto value = ${variable};`,
    "  clear(value);",
    ...eachPiece(cell, (at, bits, word) => [
      `  drive_field<${String(at)}, ${String(bits)}>(value, in + ${String(word)});`,
    ]),
    `  ${variable} = value;`,
    "}",
  ];
}

function sample(cell: Cell, member: Member): readonly string[] {
  const variable = variableOf(cell, member);
  const whole = wholeFrom(cell);
  if (whole !== undefined) {
    return [`sample_port<${String(cell.bits)}>(${variable}, out + ${String(whole)});`];
  }
  return eachPiece(cell, (at, bits, word) => [
    `sample_field<${String(at)}, ${String(bits)}>(${variable}, out + ${String(word)});`,
  ]);
}

function eachPiece(
  { pieces }: Cell,
  line: (lsb: number, bits: number, word: number) => readonly string[],
): readonly string[] {
  return pieces.flatMap(({ lsb, bits, word }) => line(lsb, bits, word));
}
