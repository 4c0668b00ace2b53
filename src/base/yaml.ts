// SPDX-License-Identifier: Apache-2.0
// YAML documents as plain values, with every syntax problem in a sentence of its own. Bounded in depth
// and in what aliases expand to; no tags but YAML's own, no key of a group twice, keys are texts.

import { parseDocument, Parser, type CST } from "yaml";
import { inputError, NeardataError } from "./errors.ts";
import { deepest } from "./json.ts";
import { cut, oneLine } from "./format-value.ts";
import { checkSize, checkText, tooDeep } from "./depth.ts";

const maxMessage = 120;

/** The value of a document. @throws NeardataError `bad-input` naming `file`. */
export function parseYaml(file: string, text: string): unknown {
  checkText(file, text);
  for (const token of new Parser().parse(text)) checkNesting(file, token);
  const document = parseDocument(text, {
    prettyErrors: true,
    resolveKnownTags: false,
    schema: "core",
    stringKeys: true,
  });
  const problems = [...document.errors, ...document.warnings];
  if (problems.length > 0) {
    const issues = problems.map(({ message }) => ({ where: file, message: sentence(message) }));
    throw new NeardataError("bad-input", issues);
  }
  let value: unknown;
  try {
    value = document.toJS() as unknown;
  } catch (cause) {
    if (!(cause instanceof ReferenceError)) throw cause;
    // An alias of nothing, or aliases of aliases of aliases.
    throw inputError(file, sentence(cause.message), cause);
  }
  checkSize(file, value);
  return value;
}

function sentence(message: string): string {
  const first = (message.split("\n")[0] ?? message).replace(/[:.]?$/, "");
  return `${cut(oneLine(first), maxMessage)}.`;
}

/**
 * Checks the nesting of tokens before they are converted to values, which needs one call per level.
 */
function checkNesting(file: string, root: CST.Token): void {
  let level: readonly CST.Token[] = [root];
  // The value of a document is one level below it.
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest + 1) throw tooDeep(file);
    level = level.flatMap(inside);
  }
}

function inside(token: CST.Token): readonly CST.Token[] {
  switch (token.type) {
    case "document":
      return token.value === undefined ? [] : [token.value];
    case "block-map":
    case "block-seq":
    case "flow-collection":
      return token.items.flatMap(({ key, value }) => [key ?? [], value ?? []].flat());
    default:
      return [];
  }
}
