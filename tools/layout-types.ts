// SPDX-License-Identifier: Apache-2.0
// Types of TypeScript for the layout of records and calls that an addon has (native/layout.h).

/** The layout of an addon. */
export interface AddonLayout {
  readonly records: Readonly<Record<string, string>>;
  readonly calls: Readonly<Record<string, string>>;
  readonly handles: string;
}

const units: ReadonlySet<string> = new Set(["fs", "cycles", "Hz", "bytes", "s"]);

/** Types that have the same name on both sides, or another one in TypeScript. */
const plain: Readonly<Record<string, string>> = {
  number: "number",
  boolean: "boolean",
  string: "string",
  void: "undefined",
  handle: "Handle",
  progress: "(first: number, second: number) => void",
  Uint8Array: "Uint8Array",
  Uint16Array: "Uint16Array",
  Uint32Array: "Uint32Array",
  Float64Array: "Float64Array",
};

/** The declarations of a layout, as a file. */
export function layoutTypes(layout: AddonLayout): string {
  const given = recordsOf(layout, ([takes]) => takes);
  const results = recordsOf(layout, ([, gives]) => gives);
  const handles = partsOf(layout.handles);
  const typeOf = (type: string, isGiven: boolean): string => {
    const inner = (rest: string): string => typeOf(rest, isGiven);
    if (type.endsWith("?")) return `${inner(type.slice(0, -1))} | undefined`;
    if (type.startsWith("Promise<")) return `Promise<${inner(type.slice(8, -1))}>`;
    if (type.endsWith("[]")) return `readonly (${inner(type.slice(0, -2))})[]`;
    if (type.endsWith("*")) return `Rows<"${type.slice(0, -1)}">`;
    if (type.endsWith("#")) return `Words<"${type.slice(0, -1)}">`;
    if (type.includes("|")) return type.split("|").map(inner).join(" | ");
    if (type in layout.records) return `Records<Own>["${type}"]`;
    if (handles.includes(type)) return `Own["${type}"]`;
    if (units.has(type)) return isGiven ? "number" : `Own["${type}"]`;
    return plain[type] ?? `"${type}"`;
  };
  const records = Object.entries(layout.records).map(([name, text]) => {
    const isGiven = given.has(name) || !results.has(name);
    const fields = partsOf(text).map((part) => {
      const { field, type } = split(part);
      return `    readonly ${field}${type.endsWith("?") ? "?" : ""}: ${typeOf(type, isGiven)};\n`;
    });
    return `  readonly ${name}: {\n${fields.join("")}  };\n`;
  });
  const calls = Object.entries(layout.calls).map(([name, text]) => {
    const [takes = "", gives = ""] = text.split(" -> ");
    const parameters = partsOf(takes).map((part) => {
      if (part === "handle" || part === "progress") return `${part}: ${typeOf(part, true)}`;
      const { field, type } = part.includes(":") ? split(part) : { field: "given", type: part };
      return `${field}: ${typeOf(type, true)}`;
    });
    return `  readonly ${name}: (${parameters.join(", ")}) => ${typeOf(gives, false)};\n`;
  });
  const names = (list: Iterable<string>): string =>
    [...list].map((name) => JSON.stringify(name)).join(" | ");
  return `// Written by tools/write-layout.ts from the layout of the addon.

/** Types of quantities and of objects that sessions give and take back. */
export type Quantities = Readonly<
  Record<${names(units)}, number> & Record<${handles.length === 0 ? "never" : names(handles)}, object>
>;

declare const handle: unique symbol;
/** A session; only the addon looks inside. */
export interface Handle {
  readonly [handle]: true;
}

declare const row: unique symbol;
/** Rows of a record, a number for each field. */
export type Rows<Name extends string> = Float64Array & { readonly [row]?: Name };
/** Rows of a record that the addon takes. */
export type Words<Name extends string> = Uint32Array & { readonly [row]?: Name };

/** Records by name. */
export interface Records<Own extends Quantities> {
${records.join("")}}

/** Calls by name. Calls of a session begin with its handle; runs report progress and give a promise. */
export interface Calls<Own extends Quantities> {
${calls.join("")}}
`;
}

/** Records that calls take, or give, with all records inside them. */
function recordsOf(
  { records, calls }: AddonLayout,
  side: (call: readonly [string, string]) => string,
): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (text: string): void => {
    for (const name of text.match(/\w+/g) ?? []) {
      const fields = records[name];
      if (fields === undefined || found.has(name)) continue;
      found.add(name);
      for (const part of partsOf(fields)) visit(split(part).type);
    }
  };
  for (const text of Object.values(calls)) {
    const [takes = "", gives = ""] = text.split(" -> ");
    visit(side([takes, gives]));
  }
  return found;
}

function split(part: string): { readonly field: string; readonly type: string } {
  const [field = "", type = "number"] = part.split(":");
  return { field, type };
}

function partsOf(text: string): readonly string[] {
  return text.split(" ").filter((part) => part !== "");
}
