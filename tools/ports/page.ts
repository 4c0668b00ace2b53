// SPDX-License-Identifier: Apache-2.0
// docs/reference/ports.md: for each unit its parameters, ports, descriptor, structures, handshakes and timing diagrams.
// Names, widths and numbers are those of the RTL, meanings those of the descriptions; a port, a word, a field
// or a parameter that one of the two lacks is an error.

import {
  constantsOf,
  fieldsOf,
  isFixed,
  readModule,
  scopeOf,
  type Module,
  type Port,
} from "./declarations.ts";
import type {
  DescriptorDescription,
  StructureDescription,
  UnitDescription,
} from "./description.ts";
import { dimmNdp } from "./dimm-ndp.ts";
import { namesIn, valueOf } from "./expression.ts";
import { relayoutUnit } from "./relayout-unit.ts";
import { sparfEngine } from "./sparf-engine.ts";
import { transpositionBuffer } from "./transposition-buffer.ts";

export const units: readonly UnitDescription[] = [
  dimmNdp,
  sparfEngine,
  relayoutUnit,
  transpositionBuffer,
];

const intro = `<!-- Made by \`make ports\` from the RTL and from tools/ports. -->
# Ports, descriptors and handshakes

This reference is for engineers who integrate a unit into their own system. [The hardware](../explanation/hardware.md) describes the inside of each unit. \`rtl/*.f\` and \`rtl/*.core\` list the
files of each unit.

## Rules of all units

- A unit has one clock, \`clk_i\`. The unit samples its inputs at the rising edge of this clock.
- A unit has one reset, \`rst_ni\`. The reset is synchronous and active low.
- The name of an input ends in \`_i\`, the name of an output in \`_o\`.
- A port group \`x\` has the signals \`x_valid\`, \`x_ready\` and its payload. A handshake is a cycle in which valid and ready are both 1. Each handshake transfers one message.
- The source of a port group keeps valid at 1 and the payload constant until the handshake.
- The sink of a port group may wait for valid before it sets ready. The source must not wait for ready before it sets valid.
- Every output of \`dimm_ndp\` and \`sparf_engine\` depends on registers only. The handshake rules of the other two units name each output that depends on an input in the same cycle.
- A port with the words "per stream", "per channel", "per link input" or "per kernel" is a vector with one element for each of them. Element 0 is in the lowest bits.
- Bit ranges have the form \`high:low\`. Numbers are decimal unless they begin with 0x.

A table of a descriptor has one row for each field. The column "used by" names the operations that use the field. Other operations ignore it, unless the row or a handshake rule states otherwise. If the value of a field
is illegal, the unit does not start the job. The completion then has the number in the column "error".

The timing diagrams are waveforms of the RTL with small parameters. Each column is one clock cycle and shows the values at the end of the cycle. Grey columns replace omitted cycles. Values are hexadecimal; an ellipsis
replaces upper digits. A green cell marks a handshake. The payload is visible only while valid is 1.
`;

/** The text of docs/reference/ports.md. @throws Error where RTL and descriptions do not fit */
export function portsPage(): string {
  return [intro, ...units.map(unitText)].join("\n");
}

function unitText(unit: UnitDescription): string {
  const module = readModule(unit.top);
  const scope = scopeOf(unit.top, module);
  return [
    `## ${unit.top}`,
    `Source: [${module.file}](../../${module.file}). ${unit.intro}`,
    "### Parameters of " + unit.top,
    parameterTable(unit, module),
    "### Ports of " + unit.top,
    portTable(unit, module, (bits) => valueOf(bits, scope)),
    ...(unit.descriptor === undefined
      ? []
      : ["### Descriptor of " + unit.top, descriptorText(unit.descriptor)]),
    ...unit.structures.flatMap((one) => [`### ${one.title}`, structureTable(one)]),
    "### Handshakes of " + unit.top,
    ...unit.handshakes.map(({ title, rules }) =>
      [`**${title}**`, "", ...rules.map((rule) => `- ${rule}`)].join("\n"),
    ),
    "### Timing diagrams of " + unit.top,
    ...unit.pictures.map(
      ({ name, caption }) => `![${caption}](${pictureFile(unit.top, name)})\n\n${caption}`,
    ),
    "",
  ].join("\n\n");
}

/** The file of a timing diagram, beside the page. */
export function pictureFile(top: string, name: string): string {
  return `waves-${top}-${name}.svg`;
}

/** An expression in parameters: a derived constant that the table omits is replaced by its own expression. */
function inTerms(expression: string, module: Module): string {
  return module.derived
    .filter(({ name }) => !module.ports.some(({ bits }) => namesIn(bits).includes(name)))
    .reduce((text, { name, expression: own }) => {
      return text.replace(new RegExp(`\\b${name}\\b`, "u"), () => own);
    }, expression);
}

function parameterTable({ top, parameters }: UnitDescription, module: Module): string {
  sameNames(`parameters of ${top}`, Object.keys(parameters), module.parameters);
  const scope = scopeOf(top, module);
  const used = module.derived.filter(
    ({ name, expression }) =>
      !isFixed(expression, module) && module.ports.some(({ bits }) => namesIn(bits).includes(name)),
  );
  return table(
    ["parameter", "default", "meaning and legal values"],
    [
      ...module.parameters.map(({ name, expression }) => [
        `\`${name}\``,
        grouped(valueOf(expression, scope)),
        parameters[name] ?? "",
      ]),
      ...used.map(({ name, expression }) => [
        `\`${name}\``,
        grouped(valueOf(expression, scope)),
        `derived: \`${inTerms(expression, module)}\``,
      ]),
    ],
  );
}

function portTable(
  { top, ports }: UnitDescription,
  module: Module,
  value: (bits: string) => number,
): string {
  sameNames(`ports of ${top}`, Object.keys(ports), module.ports);
  return table(
    ["port", "direction", "width in bits", "default width", "meaning"],
    module.ports.map((port) => [
      `\`${port.name}\``,
      port.direction,
      bitsOf(port, module),
      grouped(value(port.bits)),
      ports[port.name] ?? "",
    ]),
  );
}

/** The width with names of parameters, and numbers where they do not depend on any. */
function bitsOf({ bits, structure }: Port, module: Module): string {
  const scope = scopeOf(module.name, module);
  if (structure !== null) return `\`${structure}\``;
  if (isFixed(bits, module)) return grouped(valueOf(bits, scope));
  const named = bits.replaceAll(/[A-Za-z]\w*(?:::\w+)?/g, (name) =>
    isFixed(name, module) ? String(valueOf(name, scope)) : name,
  );
  return `\`${named.replaceAll(/\s*([*/+])\s*/g, " $1 ")}\``;
}

function descriptorText(description: DescriptorDescription): string {
  const { package: name, fields, intro: text } = description;
  const words = numbersOf(name, "Desc", description.notWords);
  const numbers = numbersOf(name, "Field", description.notFields);
  const rows = fields.map((row) => ({ row, number: known(words, row.word) }));
  complete(
    `words of ${name}`,
    words,
    fields.map(({ word }) => word),
  );
  complete(
    `fields of ${name}`,
    numbers,
    fields.flatMap(({ refusedWith }) => refusedWith ?? []),
  );
  checkBits(description);
  return [
    text,
    table(
      ["word", "bits", "name", "used by", "meaning", "legal values", "error"],
      rows.map(({ row: { word, bits: [high, low] = [31, 0], ...row }, number }) => [
        String(number),
        high === low ? String(high) : `${high}:${low}`,
        `\`${word}\``,
        row.of ?? "all",
        row.meaning,
        row.legal.text,
        row.refusedWith === undefined
          ? ""
          : `${known(numbers, row.refusedWith)} \`${row.refusedWith}\``,
      ]),
    ),
  ].join("\n\n");
}

/** Rows of a word have each of its bits once for every operation. @throws Error where they do not */
function checkBits({ fields }: DescriptorDescription): void {
  for (const word of new Set(fields.map((row) => row.word))) {
    const rows = fields.filter((row) => row.word === word);
    const wholes = rows.filter(({ bits }) => bits === undefined);
    if (wholes.length === rows.length) continue;
    const bits = rows.flatMap(({ bits: [high, low] = [31, 0] }) =>
      Array.from({ length: high - low + 1 }, (_, i) => low + i),
    );
    if (bits.length !== 32 || new Set(bits).size !== 32) {
      throw new Error(`${word}: rows do not cover bits 0 to 31 once`);
    }
  }
}

function structureTable({ structure, meanings }: StructureDescription): string {
  const fields = fieldsOf(structure);
  sameNames(structure, Object.keys(meanings), fields);
  return [
    `\`${structure}\`, ${String((fields[0]?.high ?? -1) + 1)} bits.`,
    table(
      ["bits", "field", "meaning"],
      fields.map(({ name, high, low }) => [
        high === low ? String(high) : `${high}:${low}`,
        `\`${name}\``,
        meanings[name] ?? "",
      ]),
    ),
  ].join("\n\n");
}

/** Constants that number words or fields. */
function numbersOf(
  name: string,
  prefix: string,
  others: readonly string[],
): ReadonlyMap<string, number> {
  const all = [...constantsOf(name, prefix)];
  return new Map(
    all.filter(([constant]) => !others.includes(constant) && constant !== `${prefix}s`),
  );
}

function known(numbers: ReadonlyMap<string, number>, name: string): number {
  const number = numbers.get(name);
  if (number === undefined) throw new Error(`the RTL has no constant ${name}`);
  return number;
}

function complete(
  what: string,
  numbers: ReadonlyMap<string, number>,
  used: readonly string[],
): void {
  const names = [...numbers.keys()].map((name) => ({ name }));
  sameNames(what, [...new Set(used)], names);
}

function sameNames(
  what: string,
  described: readonly string[],
  declared: readonly { readonly name: string }[],
): void {
  const names = declared.map(({ name }) => name);
  const without = names.filter((name) => !described.includes(name));
  const unknown = described.filter((name) => !names.includes(name));
  if (without.length === 0 && unknown.length === 0) return;
  throw new Error(
    `${what}: without a description ${without.join(", ") || "none"}; not in the RTL ${unknown.join(", ") || "none"}`,
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");
}

function grouped(value: number): string {
  return value.toLocaleString("en-US");
}
