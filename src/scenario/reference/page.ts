// SPDX-License-Identifier: Apache-2.0
// The reference of the files that users write as Markdown, made from their JSON Schemas: a row a key.

import { defaultOf } from "./defaults.ts";
import { ownExample } from "./examples.ts";

/** The parts of JSON Schema that the schemas use. */
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
  /** Of an object whose keys are the user's, or false. */
  readonly additionalProperties?: Schema | boolean;
}

/** A kind of file. */
export interface FileKind {
  readonly title: string;
  readonly text: string;
  /** Before the keys, where defaults and examples are looked up. */
  readonly prefix: string;
  readonly schema: unknown;
}

/** The bound of whole numbers that have none of their own is the largest that a double has exactly. */
const noBound = 1e15;

/** The page: a section with a table for each kind. */
export function referencePage(kinds: readonly FileKind[]): string {
  const [first, ...others] = kinds.map(
    ({ title, text, prefix, schema }) =>
      `${title}\n\n${text}\n\n${tableOf(prefix, schema as Schema).join("\n")}\n`,
  );
  return [`# ${first ?? ""}`, ...others.map((section) => `## ${section}`)].join("\n");
}

function tableOf(prefix: string, schema: Schema): readonly string[] {
  return [
    "| key | value | default | meaning | example |",
    "| --- | --- | --- | --- | --- |",
    ...keysOf(prefix, schema).map(({ path, name, part, needed }) => {
      const fallback = needed ? "needed" : (defaultOf(path) ?? "");
      const example = exampleOf(path, part);
      const shown = example === undefined ? "" : ` \`${name}: ${example}\``;
      const key = path.slice(prefix.length);
      return `| \`${key}\` | ${valueOf(part)} | ${fallback} | ${part.description ?? ""} |${shown} |`;
    }),
  ];
}

/** A key with its part of the schema. */
export interface Key {
  readonly path: string;
  readonly name: string;
  readonly part: Schema;
  readonly needed: boolean;
}

/** Every key at any depth; \`KEY\` stands for one of the user's own. */
export function keysOf(prefix: string, schema: Schema): readonly Key[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, part]) => {
    const path = `${prefix}${name}`;
    const needed = schema.required?.includes(name) === true;
    const own = ownKeysOf(part).flatMap((inner) => keysOf(`${path}.KEY.`, inner));
    return [
      { path, name, part, needed },
      ...objectsOf(part).flatMap((inner) => keysOf(`${path}.`, inner)),
      ...own,
    ];
  });
}

/** The objects that values of the user's own keys may be. */
function ownKeysOf({ additionalProperties: values }: Schema): readonly Schema[] {
  return typeof values === "object" ? objectsOf(values) : [];
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
  if (type === "array") {
    const any = items === undefined || Object.keys(items).length === 0;
    return `list of ${any ? "values" : valueOf(items)}`;
  }
  if (type === "object") return "group";
  if (type === "boolean") return "`true`, `false`";
  if (type === undefined) return "text or group";
  if (type === "integer" || type === "number") {
    const from = minimum === undefined ? "" : ` from ${String(minimum)}`;
    const to = maximum === undefined || maximum > noBound ? "" : ` to ${String(maximum)}`;
    return `${type === "integer" ? "whole number" : "number"}${from}${to}`;
  }
  return pattern === undefined ? "text" : `text, \`${pattern.replaceAll("|", "\\|")}\``;
}
