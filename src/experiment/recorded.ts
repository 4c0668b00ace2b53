// SPDX-License-Identifier: Apache-2.0
// What long experiments came to, as files of the repository, so that a page can show it without hours of
// simulation. `make reproduce-long` writes them; a page says when and by which command.

import { readFileSync } from "node:fs";
import { z } from "zod";
import { inRepository } from "../native/paths.ts";
import type { Prose } from "../report/page.ts";

const file = z.strictObject({
  command: z.string().regex(/^neardata /),
  date: z.string().regex(/^\d{4}-\d\d-\d\d$/),
  result: z.looseObject({}),
});

export type RecordedName = "trimoe-steps" | "flexgen-16-bits" | "flexgen-4-bits";

/** A result, when it was made and by which command. */
export interface Recorded {
  readonly command: string;
  readonly date: string;
  readonly result: Readonly<Record<string, unknown>>;
}

export function recorded(name: RecordedName): Recorded {
  const path = inRepository("data", "recorded", `${name}.json`);
  return file.parse(JSON.parse(readFileSync(path, "utf8")));
}

/** That numbers are not of this run, whence they are, and how to make them again. */
export function recordedNote({ command, date, result }: Recorded): Prose {
  const hash = result["configHash"];
  const config = typeof hash === "string" ? `, config hash ${hash.slice(0, 12)}` : "";
  return {
    kind: "prose",
    text: `Recorded on ${date}, not run for this page: ${command}${config}.`,
  };
}
