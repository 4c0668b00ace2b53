// SPDX-License-Identifier: Apache-2.0
// Issues of a schema as sentences with path and rule, and with the nearest known name for a
// mistyped one. Parse documents with `reportInput`.

import { z } from "zod";
import { inFile, type Issue } from "./errors.ts";
import { didYouMean } from "./nearest.ts";
import { withoutBareNumbers } from "./quantity.ts";
import { cut, oneLine, pathText, formatValue } from "./format-value.ts";

type SchemaIssue = z.core.$ZodIssue;
type IssueOf<Code extends SchemaIssue["code"]> = SchemaIssue & { readonly code: Code };

/** Every problem of a document, in the schema's order; paths are such as `ndp.clock`. */
export function issuesOf(error: z.ZodError, schema: z.ZodType): readonly Issue[] {
  const description = descriptionOf(schema);
  return oncePerValue(error.issues).flatMap((issue) => sentences(issue, description));
}

const descriptions = new WeakMap<z.ZodType, unknown>();

/** The schema as JSON Schema, cached per schema object: a sweep parses a scenario per point. */
function descriptionOf(schema: z.ZodType): unknown {
  const known = descriptions.get(schema);
  if (known !== undefined) return known;
  const description = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  descriptions.set(schema, description);
  return description;
}

/**
 * The content of a file by its schema. Unlike in a program, every quantity in a file must have a
 * unit.
 * @throws NeardataError `bad-input` with every problem
 */
export function parsedFile<S extends z.ZodType>(
  file: string,
  content: unknown,
  schema: S,
): z.output<S> {
  const description = descriptionOf(schema);
  const parsed = schema.safeParse(withoutBareNumbers(content, description), { reportInput: true });
  if (parsed.success) return parsed.data;
  throw inFile(file, issuesOf(parsed.error, schema));
}

/**
 * For a rule of several keys of an object. Zod tests the rule if these keys have no issue; issues
 * of other keys do not prevent the test. By default zod skips the rule if any key has a wrong type
 * or value, and its issue would not be printed with the others.
 */
export function whenValid(...keys: readonly string[]): z.core.$ZodSuperRefineParams {
  return {
    when: ({ value, issues }) =>
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      !issues.some(({ path }) => keys.includes(String(path?.[0]))),
  };
}

/**
 * Removes bounds of values with a wrong type, and the bound of safe integers if there is a narrower
 * one.
 */
function oncePerValue(issues: readonly SchemaIssue[]): readonly SchemaIssue[] {
  const placed = new Map<string, SchemaIssue[]>();
  for (const issue of issues) {
    const key = pathKey(issue.path);
    placed.set(key, [...(placed.get(key) ?? []), issue]);
  }
  return issues.filter((issue) => {
    const beside = (placed.get(pathKey(issue.path)) ?? []).filter((one) => one !== issue);
    if (issue.code !== "too_small" && issue.code !== "too_big") return true;
    if (beside.some(({ code }) => code === "invalid_type")) return false;
    const bound = issue.code === "too_small" ? issue.minimum : issue.maximum;
    const widest = Math.abs(Number(bound)) === Number.MAX_SAFE_INTEGER;
    return !(widest && beside.some(({ code }) => code === issue.code));
  });
}

function pathKey(path: readonly PropertyKey[]): string {
  return JSON.stringify(path.map(String));
}

function sentences(issue: SchemaIssue, description: unknown): readonly Issue[] {
  switch (issue.code) {
    case "unrecognized_keys": {
      const known = knownKeys(description, issue.path);
      return issue.keys.map((key) => ({
        where: pathText([...issue.path, key]),
        message: known.includes(key)
          ? "this setting does not go with the others here."
          : `there is no such setting.${didYouMean(key, known) || listOf(known)}`,
      }));
    }
    case "invalid_union":
      return unionSentences(issue, description);
    default:
      return [{ where: pathText(issue.path), message: ownMessage(issue) ?? sentence(issue) }];
  }
}

/** The message that the schema defines for this rule. */
function ownMessage({ message }: SchemaIssue): string | undefined {
  return /^(Invalid|Too big|Too small|Unrecognized|Expected)\b/.test(message) ? undefined : message;
}

function sentence(
  issue: Exclude<SchemaIssue, IssueOf<"unrecognized_keys" | "invalid_union">>,
): string {
  const { input } = issue;
  switch (issue.code) {
    case "invalid_value": {
      const names = issue.values.map(String);
      if (input === undefined) return `this is missing.${listOf(names)}`;
      const hint = typeof input === "string" ? didYouMean(input, names) : "";
      const rule = names.length === 1 ? "" : "one of ";
      return `${formatValue(input)} is not ${rule}${names.join(", ")}.${hint}`;
    }
    case "invalid_type": {
      const expected = kindOf(issue);
      if (input === undefined) return `this is missing (${expected}).`;
      return `${formatValue(input)} is not of the kind ${expected}.`;
    }
    case "too_big":
      return tooBig(issue);
    case "too_small":
      return tooSmall(issue);
    case "invalid_format":
      return issue.pattern === undefined
        ? `${formatValue(input)} is not in the format ${issue.format}.`
        : `${formatValue(input)} does not match ${issue.pattern}.`;
    case "not_multiple_of":
      return `${formatValue(input)} is no multiple of ${issue.divisor}.`;
    case "invalid_key": {
      const names = issue.issues.flatMap((one) =>
        one.code === "invalid_value" ? one.values.map(String) : [],
      );
      const key = String(issue.path.at(-1) ?? "");
      return `there is no such name.${didYouMean(key, names) || listOf(names)}`;
    }
    case "invalid_element":
      return `${formatValue(input)} may not stand here.`;
    case "custom":
      return `${formatValue(input)} breaks a rule.`;
  }
}

/** The required type of a value, in the terms of file formats. */
function kindOf({ expected }: IssueOf<"invalid_type">): string {
  if (expected === "int") return "whole number";
  return expected === "record" ? "object" : expected;
}

function tooBig({ origin, maximum, inclusive, input }: IssueOf<"too_big">): string {
  const most = String(maximum);
  if (origin === "string") return `this text is longer than ${most} characters.`;
  if (isCollection(origin)) return `this has more than ${most} entries.`;
  const bound = inclusive === false ? `is not below ${most}` : `is more than ${most}, the most`;
  return `${formatValue(input)} ${bound}.`;
}

function tooSmall({ origin, minimum, inclusive, input }: IssueOf<"too_small">): string {
  const least = String(minimum);
  if (origin === "string") {
    return least === "1" ? "this text is empty." : `this text is shorter than ${least} characters.`;
  }
  if (isCollection(origin) && least === "1") return "this is empty.";
  if (isCollection(origin)) return `this has fewer than ${least} entries.`;
  const bound = inclusive === false ? `is not above ${least}` : `is less than ${least}, the least`;
  return `${formatValue(input)} ${bound}.`;
}

function isCollection(origin: string): boolean {
  return origin === "array" || origin === "set" || origin === "map" || origin === "object";
}

/**
 * For a value that may have several types: its problems as the most similar type, or a list of all
 * types if it matches none.
 */
function unionSentences(issue: IssueOf<"invalid_union">, description: unknown): readonly Issue[] {
  const where = pathText(issue.path);
  if (issue.errors.length === 0) {
    const { discriminator = "kind" } = issue;
    const at = pathText([...issue.path, discriminator]);
    return [{ where: at, message: "this says which group it is, and is none that is known." }];
  }
  const below = issue.errors.map((branch) => branch.filter((one) => !ofWhole(one)));
  const near = issue.errors
    .filter((branch) => branch.every((one) => !ofWhole(one)))
    .toSorted((a, b) => faults(a) - faults(b));
  const [best] = near;
  if (best !== undefined && below.some((branch) => branch.length > 0)) {
    return best.flatMap((one) =>
      sentences({ ...one, path: [...issue.path, ...one.path] }, description),
    );
  }
  if (issue.input === undefined) return [{ where, message: "this is missing." }];
  const rules = issue.errors.flat().map((one) => {
    if (one.code === "invalid_type") return kindOf(one);
    return one.code === "invalid_value" ? one.values.map(String).join(", ") : null;
  });
  const known = [...new Set(rules.filter((rule) => rule !== null))];
  return [
    { where, message: `${formatValue(issue.input)} is not of the kind ${known.join(" or ")}.` },
  ];
}

/** Whether the issue is about the type of the whole value, and not about a part of it. */
function ofWhole(issue: SchemaIssue): boolean {
  const kind = issue.code === "invalid_type" || issue.code === "invalid_value";
  return kind && issue.path.length === 0;
}

/** Keys that a group lacks or has too many: the fewer, the more likely the group is meant. */
function faults(branch: readonly SchemaIssue[]): number {
  return branch.reduce(
    (sum, one) => sum + (one.code === "unrecognized_keys" ? one.keys.length : 1),
    0,
  );
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? "" : ` Known are ${cut(oneLine(names.join(", ")), maxListed)}.`;
}

/** Characters of a list of known names. */
const maxListed = 200;

const objectSchema = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
});

/** The names that the object at `path` may have. */
function knownKeys(description: unknown, path: readonly PropertyKey[]): readonly string[] {
  const here = objectSchema.safeParse(description);
  if (!here.success) return [];
  const [key, ...rest] = path;
  const { properties = {}, items, anyOf = [] } = here.data;
  const choices = anyOf.flatMap((one) => knownKeys(one, path));
  if (key === undefined) return [...new Set([...Object.keys(properties), ...choices])];
  const name = String(key);
  const inside = typeof key === "number" ? items : ownProperty(properties, name);
  return [...knownKeys(inside, rest), ...choices];
}

function ownProperty(group: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(group, name) ? group[name] : undefined;
}
