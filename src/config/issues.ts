// SPDX-License-Identifier: Apache-2.0
// What a schema found wrong, as sentences that say where and which rule, with the nearest known
// name where one was mistyped.

import { z } from "zod";
import type { Issue } from "../errors.ts";
import { didYouMean } from "../nearest.ts";

/** Every problem of a document, in the schema's order; paths are such as `ndp.clock`. */
export function issuesOf(error: z.ZodError, schema: z.ZodType): readonly Issue[] {
  const description = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return error.issues.flatMap((issue) => sentences(issue, description));
}

function sentences(issue: z.core.$ZodIssue, description: unknown): readonly Issue[] {
  const where = pathText(issue.path);
  switch (issue.code) {
    case "unrecognized_keys": {
      const known = knownKeys(description, issue.path);
      return issue.keys.map((key) => ({
        where: pathText([...issue.path, key]),
        message: `there is no such setting.${didYouMean(key, known) || listOf(known)}`,
      }));
    }
    case "invalid_value": {
      const names = issue.values.map(String);
      if (issue.input === undefined)
        return [{ where, message: `this is missing.${listOf(names)}` }];
      const given = JSON.stringify(issue.input);
      const hint = typeof issue.input === "string" ? didYouMean(issue.input, names) : "";
      return [{ where, message: `${given} is not one of ${names.join(", ")}.${hint}` }];
    }
    case "invalid_type": {
      if (issue.input === undefined)
        return [{ where, message: `this is missing (${issue.expected}).` }];
      const given = JSON.stringify(issue.input);
      const custom = issue.message.startsWith("Invalid input") ? "" : issue.message;
      return [{ where, message: custom || `${given} is not of the kind ${issue.expected}.` }];
    }
    default:
      return [{ where, message: issue.message }];
  }
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? "" : ` Known are ${names.join(", ")}.`;
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, i) => (typeof key === "number" ? `[${key}]` : `${i === 0 ? "" : "."}${String(key)}`))
    .join("");
}

const objectSchema = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
});

/** The names that the object at `path` may have. */
function knownKeys(description: unknown, path: readonly PropertyKey[]): readonly string[] {
  const here = objectSchema.safeParse(description);
  if (!here.success) return [];
  const [key, ...rest] = path;
  const { properties = {}, items } = here.data;
  if (key === undefined) return Object.keys(properties);
  return knownKeys(typeof key === "number" ? items : properties[String(key)], rest);
}
