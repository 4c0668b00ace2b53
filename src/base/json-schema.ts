// SPDX-License-Identifier: Apache-2.0
// Schemas of files as JSON Schema. A key is defined once, in its zod schema. Its `.meta` has the text of the
// reference: `meaning`; `default`, a value, or `otherwise`, words, where it depends on another key; `example`;
// `values`, the legal values in words where a rule of several keys or of the hardware allows fewer than the type.

import { z } from "zod";

/** The schema of the content of a file, with the words of each key. */
export function describedSchema(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any", override: withDefault });
}

/** The schema in the form that editors accept. */
export function jsonSchema(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: (context) => {
      withDefault(context);
      const { jsonSchema: part } = context;
      const { meaning, example } = part;
      if (typeof meaning === "string") part.description = meaning;
      if (example !== undefined) part.examples = [example];
      delete part["meaning"];
      delete part["otherwise"];
      delete part["example"];
      delete part["values"];
      delete part["quantity"];
    },
  });
}

/** Of a value that is transformed, zod leaves the default out, as it might be of the output: here it is of the input. */
function withDefault({ zodSchema, jsonSchema: part }: Override): void {
  const { default: value } = z.globalRegistry.get(zodSchema) ?? {};
  if (value !== undefined) part.default = value;
}

type Override = Parameters<NonNullable<z.core.JSONSchemaGeneratorParams["override"]>>[0];
