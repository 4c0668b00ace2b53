// SPDX-License-Identifier: Apache-2.0
// The reference of the files that users write as Markdown, made from their schemas: a row for each key.

import type { z } from "zod";

import { describedSchema } from "../../base/json-schema.ts";

/** The parts of JSON Schema that the schemas use. */
export interface Schema {
  readonly type?: string;
  readonly meaning?: string;
  /** The default: a value, or words. */
  readonly default?: unknown;
  readonly otherwise?: string;
  readonly example?: unknown;
  /** Legal values in words, where they are fewer than those of the type. */
  readonly values?: string;
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number | boolean;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
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
  readonly schema: z.ZodType;
}

/** The default bound of whole numbers is the largest safe integer of a double. */
const noBound = 1e15;

/** The page: a section with a table for each kind. */
export function referencePage(kinds: readonly FileKind[]): string {
  const [first, ...others] = kinds.map(
    ({ title, text, schema }) =>
      `${title}\n\n${text}\n\n${tableOf(describedSchema(schema) as Schema).join("\n")}\n`,
  );
  return [`# ${first ?? ""}`, ...others.map((section) => `## ${section}`)].join("\n");
}

function tableOf(schema: Schema): readonly string[] {
  return [
    "| key | value | default | meaning | example |",
    "| --- | --- | --- | --- | --- |",
    ...keysOf("", schema).map(({ path, name, part, needed, alternative }) => {
      const fallback = needed ? requiredIn(alternative) : (defaultOf(part) ?? "");
      const example = exampleOf(part);
      const shown = example === undefined ? "" : ` \`${name}: ${example}\``;
      return `| \`${path}\` | ${valueOf(part)} | ${fallback} | ${part.meaning ?? ""} |${shown} |`;
    }),
  ];
}

/** Of a key that is required in one of several alternatives, its companions. */
function requiredIn(alternative: Key["alternative"]): string {
  if (alternative === null) return "required";
  return alternative.length === 0
    ? "one of the alternatives"
    : `with ${alternative.map((name) => `\`${name}\``).join(" and ")}`;
}

/** The default of a key; undefined if the schema has none. */
export function defaultOf({ default: value, otherwise }: Schema): string | undefined {
  return otherwise ?? (value === undefined ? undefined : `\`${inYaml(value)}\``);
}

/** A value on one line of YAML. */
export function inYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inYaml).join(", ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  const entries = Object.entries(value).map(([key, one]) => `${key}: ${inYaml(one)}`);
  return `{ ${entries.join(", ")} }`;
}

/** A key with its part of the schema. */
export interface Key {
  readonly path: string;
  readonly name: string;
  readonly part: Schema;
  readonly needed: boolean;
  /** The other keys that its alternative of a choice requires; null of a key in no choice. */
  readonly alternative: readonly string[] | null;
}

/** Every key at any depth; \`KEY\` is a name that the user chooses. */
export function keysOf(prefix: string, schema: Schema, inChoice = false): readonly Key[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, part]) => {
    const path = `${prefix}${name}`;
    const needed = schema.required?.includes(name) === true;
    const alternative = inChoice ? (schema.required ?? []).filter((other) => other !== name) : null;
    const objects = objectsOf(part);
    const keys = ownKeysOf(part).flatMap((inner) => keysOf(`${path}.KEY.`, inner));
    return [
      { path, name, part, needed, alternative },
      ...objects.flatMap((inner) => keysOf(`${path}.`, inner, objects.length > 1)),
      ...keys,
    ];
  });
}

/** The objects that values of user-defined keys may be. */
function ownKeysOf({ additionalProperties: values }: Schema): readonly Schema[] {
  return typeof values === "object" ? objectsOf(values) : [];
}

/** An example of a value in YAML; undefined of a group, whose keys have examples. */
export function exampleOf(schema: Schema): string | undefined {
  const { example, default: value, items } = schema;
  if (example !== undefined) return inYaml(example);
  if (schema.const !== undefined) return String(schema.const);
  if (schema.enum !== undefined) return String(schema.enum.at(-1));
  if (schema.type === "boolean") return "true";
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (items !== undefined) {
    const item = exampleOf(items);
    return item === undefined ? undefined : `[${item}]`;
  }
  return (schema.anyOf ?? schema.oneOf ?? []).map(exampleOf).find((one) => one !== undefined);
}

/** The objects a value may be, with the keys below it. */
export function objectsOf(schema: Schema): readonly Schema[] {
  if (schema.properties !== undefined) return [schema];
  const choices = schema.anyOf ?? schema.oneOf ?? [];
  return [...choices, ...(schema.items === undefined ? [] : [schema.items])].flatMap(objectsOf);
}

function valueOf(schema: Schema): string {
  const { type, pattern, items, minimum, exclusiveMinimum: above, maximum, values } = schema;
  if (values !== undefined) return values;
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
    const over = above === undefined ? "" : ` above ${String(above)}`;
    const upTo = above === undefined ? "to" : "and at most";
    const to = maximum === undefined || maximum > noBound ? "" : ` ${upTo} ${String(maximum)}`;
    return `${type === "integer" ? "whole number" : "number"}${from}${over}${to}`;
  }
  return pattern === undefined ? "text" : `text, \`${pattern.replaceAll("|", "\\|")}\``;
}
