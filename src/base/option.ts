// SPDX-License-Identifier: Apache-2.0
// Values of the command line that have a unit.

import type { z } from "zod";
import { NeardataError } from "./errors.ts";

/** The value of a flag, if it was given. @throws NeardataError `bad-input` naming the flag. */
export function option<T>(
  flag: string,
  schema: z.ZodType<T, string>,
  text: string | undefined,
): T | undefined {
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ message }) => ({ where: flag, message }));
  throw new NeardataError("bad-input", issues);
}
