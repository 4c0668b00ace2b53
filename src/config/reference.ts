// SPDX-License-Identifier: Apache-2.0
// The reference of scenario files as Markdown, made from their JSON Schema: a row a key.

import { ownExample } from "./examples.ts";

/** The parts of JSON Schema that the scenario schema uses. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number | boolean;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The bound of whole numbers that have none of their own is the largest that a double has exactly. */
const noBound = 1e15;

export function scenarioReference(schema: unknown): string {
  const rows = rowsOf("", schema as Schema);
  return [
    "# Scenario files",
    "",
    "A scenario is a YAML file. Every key it may have, made from the schema (`neardata schema` prints",
    "that, `neardata schema --markdown` prints this page). Keys that are not marked needed may be left",
    "out; their values then come from the system that the scenario names. Sizes are written with their",
    "unit (`16 KiB`, `256 KiB`), so are frequencies (`1 GHz`, `285 MHz`).",
    "",
    "| key | value | meaning | example |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

function rowsOf(prefix: string, schema: Schema): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, part]) => {
    const path = `${prefix}${name}`;
    const needed = schema.required?.includes(name) === true ? " (needed)" : "";
    const meaning = `${part.description ?? ""}${needed}`.trim();
    const example = exampleOf(path, part);
    const shown = example === undefined ? "" : ` \`${name}: ${example}\``;
    const row = `| \`${path}\` | ${valueOf(part)} | ${meaning} |${shown} |`;
    return [row, ...objectsOf(part).flatMap((inner) => rowsOf(`${path}.`, inner))];
  });
}

/** A value as it stands in YAML; nothing of groups, whose keys have theirs. */
export function exampleOf(path: string, schema: Schema): string | undefined {
  const own = ownExample(path);
  if (own !== undefined) return own;
  if (schema.const !== undefined) return String(schema.const);
  if (schema.enum !== undefined) return String(schema.enum.at(-1));
  if (schema.type === "boolean") return "true";
  if (schema.items !== undefined) {
    const item = exampleOf(path, schema.items);
    return item === undefined ? undefined : `[${item}]`;
  }
  return (schema.anyOf ?? schema.oneOf ?? [])
    .map((choice) => exampleOf(path, choice))
    .find((one) => one !== undefined);
}

/** The objects a value may be, with the keys below it. */
export function objectsOf(schema: Schema): readonly Schema[] {
  if (schema.properties !== undefined) return [schema];
  const choices = schema.anyOf ?? schema.oneOf ?? [];
  return [...choices, ...(schema.items === undefined ? [] : [schema.items])].flatMap(objectsOf);
}

function valueOf(schema: Schema): string {
  const { type, pattern, items, minimum, maximum } = schema;
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((v) => `\`${String(v)}\``).join(", ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(valueOf))].join(" or ");
  if (type === "array") return `list of ${items === undefined ? "values" : valueOf(items)}`;
  if (type === "object") return "group";
  if (type === "boolean") return "`true`, `false`";
  if (type === "integer" || type === "number") {
    const from = minimum === undefined ? "" : ` from ${String(minimum)}`;
    const to = maximum === undefined || maximum > noBound ? "" : ` to ${String(maximum)}`;
    return `${type === "integer" ? "whole number" : "number"}${from}${to}`;
  }
  return pattern === undefined ? "text" : `text, \`${pattern.replaceAll("|", "\\|")}\``;
}
