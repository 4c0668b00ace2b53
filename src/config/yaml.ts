// SPDX-License-Identifier: Apache-2.0
// YAML documents as plain values, with every syntax problem in a sentence of its own.

import { parseDocument } from "yaml";
import { NeardataError } from "../errors.ts";

/** The value of a document. @throws NeardataError `bad-input` naming `file`. */
export function parseYaml(file: string, text: string): unknown {
  const document = parseDocument(text, { prettyErrors: true });
  if (document.errors.length === 0) return document.toJS() as unknown;
  const issues = document.errors.map((error) => ({
    where: file,
    message: (error.message.split("\n")[0] ?? error.message).replace(/:$/, "."),
  }));
  throw new NeardataError("bad-input", issues);
}
