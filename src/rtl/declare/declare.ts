// SPDX-License-Identifier: Apache-2.0
// TypeScript types of a unit's ports, generated from its RTL: the names for a test, and the fields
// of its messages.

import { capital } from "../../base/format-value.ts";
import { tablesOf, type AnyTables } from "../../native/unit/any-unit.ts";
import { messageFields, portFields, type MessageField } from "../messages.ts";
import { buildOf } from "../source.ts";
import type { UnitSource } from "../types.ts";

/**
 * The text of a module that exports the type of a unit, as the type argument of `openUnit`.
 * @throws NeardataError as `openUnit`; nothing is compiled
 */
export async function unitTypes(source: UnitSource, name?: string): Promise<string> {
  return typesText(await tablesOf(buildOf(source)), name);
}

/** `sparf_nfc_filter` to `SparfNfcFilter`. */
export function typeName(top: string): string {
  return top.split("_").map(capital).join("");
}

function typesText({ ports, fields }: AnyTables, name = typeName(ports.top)): string {
  const streams = ports.streams.map((stream) => {
    const into = stream.direction === "input";
    const message = messageFields(stream, into ? fields.inputs : fields.outputs, 0);
    const lanes = stream.lanes === 1 ? "" : `    /** ${String(stream.lanes)} lanes. */\n`;
    const direction = into ? "in" : "out";
    return `${lanes}    ${stream.name}: { direction: "${direction}"; message: ${messageType(message)} };\n`;
  });
  const inputs = ports.inputs.flatMap((port) => portFields(port, fields.inputs));
  const outputs = ports.outputs.flatMap((port) => portFields(port, fields.outputs));
  const parameters = Object.keys(ports.parameters).map((parameter) => `"${parameter}"`);
  return `// Made by \`neardata types\` from the ports of ${ports.top}; do not edit.

export interface ${name} {
  parameters: ${parameters.length === 0 ? "never" : parameters.join(" | ")};
  streams: {
${streams.join("")}  };
  inputs: ${recordType(inputs, "  ")};
  outputs: ${recordType(outputs, "  ")};
}
`;
}

function messageType(fields: readonly MessageField[]): string {
  const [first] = fields;
  if (first === undefined) return "Record<string, never>";
  if (fields.length === 1 && first.key === "") return valueType(first);
  return recordType(fields, "    ");
}

function recordType(fields: readonly MessageField[], indent: string): string {
  if (fields.length === 0) return "Record<string, never>";
  const lines = fields.map(({ key, bits, signed = false, ...rest }) => {
    const name = /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);
    const width = `/** ${String(bits)} ${bits === 1 ? "bit" : "bits"}${signed ? ", signed" : ""}. */`;
    return `${indent}  ${width}\n${indent}  ${name}: ${valueType({ key, bits, ...rest })};\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

function valueType({ bits, count }: MessageField): string {
  const one = bits <= 32 ? "number" : "bigint";
  return count === 1 ? one : `readonly ${one}[]`;
}
