// SPDX-License-Identifier: Apache-2.0
// Writes the C++ between a Verilated model and the plug-in interface: tables of its fields, and
// straight-line copies with constant offsets between words and ports (sim/rtl/shim/unit_shim.h has the
// rest). Compiled with the model.

import { unitFields, wordsOf, type Field, type FieldTable, type PortFields } from "./fields.ts";
import type { UnitPorts } from "./streams.ts";

export function shimText(unit: UnitPorts): string {
  const { inputs, outputs } = unitFields(unit);
  const parameters = Object.entries(unit.parameters);
  return `// Generated from the ports of ${unit.top}.
#include "V${unit.top}.h"
#include "rtl/shim/unit_shim.h"

namespace {

using namespace neardata::rtl;

struct Ports {
  using Model = V${unit.top};
  static constexpr const char* kTop = "${unit.top}";
  static constexpr std::array<NeardataUnitParameter, ${String(parameters.length)}> kParameters{{
${parameters.map(([name, value]) => `    {"${name}", ${String(value)}},`).join("\n")}
  }};
${fieldTable("kInputs", inputs)}
${fieldTable("kOutputs", outputs)}
  static constexpr std::uint32_t kInputWords = ${String(inputs.words)};
  static constexpr std::uint32_t kOutputWords = ${String(outputs.words)};

  static void drive(Model& m, const std::uint32_t* in) {
${copies(inputs, drive)}
  }

  static void sample(const Model& m, std::uint32_t* out) {
${copies(outputs, sample)}
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
    return `    {"${field}", ${numbers}},`;
  });
  const size = String(fields.length);
  return `  static constexpr std::array<NeardataUnitField, ${size}> ${name}{{
${rows.join("\n")}
  }};`;
}

/** Payload is copied only while its stream has some. */
function copies(table: FieldTable, copy: (port: PortFields) => readonly string[]): string {
  const words = copy === drive ? "in" : "out";
  return table.ports
    .flatMap((port) => {
      const lines = copy(port);
      if (port.valid === undefined) return lines.map((line) => `    ${line}`);
      return [
        `    if (${words}[${String(port.valid)}] != 0) {`,
        ...lines.map((line) => `      ${line}`),
        "    }",
      ];
    })
    .join("\n");
}

/** Whether the words of a port's only field are the port itself. */
function isWhole({ bits, fields }: PortFields): boolean {
  const [field] = fields;
  if (fields.length !== 1 || field === undefined) return false;
  if (field.count === 1) return field.bits === bits;
  return field.bits % 32 === 0 && field.lsbs.every((lsb, i) => lsb === i * field.bits);
}

function drive(all: PortFields): readonly string[] {
  const port = `m.${all.port.name}`;
  const [first] = all.fields;
  if (isWhole(all) && first !== undefined) {
    return [`drive_port<${String(all.bits)}>(${port}, in + ${String(first.offset)});`];
  }
  // Put together aside: a port is memory of the model that `in` might be as well, as far as a compiler
  // knows, so that each field would be a load and a store of it.
  return [
    "{",
    `  auto value = ${port};`,
    "  clear(value);",
    ...eachElement(all, (at, bits, word) => [
      `  drive_field<${String(at)}, ${String(bits)}>(value, in + ${String(word)});`,
    ]),
    `  ${port} = value;`,
    "}",
  ];
}

function sample(all: PortFields): readonly string[] {
  const port = `m.${all.port.name}`;
  const [first] = all.fields;
  if (isWhole(all) && first !== undefined) {
    return [`sample_port<${String(all.bits)}>(${port}, out + ${String(first.offset)});`];
  }
  return eachElement(all, (at, bits, word) => [
    `sample_field<${String(at)}, ${String(bits)}>(${port}, out + ${String(word)});`,
  ]);
}

function eachElement(
  { fields }: PortFields,
  line: (lsb: number, bits: number, word: number) => readonly string[],
): readonly string[] {
  return fields.flatMap((field: Field) =>
    field.lsbs.flatMap((lsb, i) => line(lsb, field.bits, field.offset + i * wordsOf(field.bits))),
  );
}
