// SPDX-License-Identifier: Apache-2.0
// The grammar of a Liberty file, independent of attributes: one group
// `library (name) { ... }` of statements `name : value ;`, `name (arguments) ;` and groups. Tools
// that read the file later have less precise messages.

import { inputError } from "../../../base/errors.ts";

/** One blank, comment or token; a backslash at the end of a line joins it to the next. */
const piece =
  /[ \t\r\f\n\\]+|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/|\/\/[^\n]*|"[^"]*"|[^\s"(){}:;,\\/]+|[(){}:;,]|\/(?![*/])/y;

/** Groups inside one another. */
const deepest = 64;

/** `first`: the first token of its line. */
interface Token {
  readonly text: string;
  readonly at: number;
  readonly first: boolean;
}

/** @throws NeardataError `bad-input` with the line of the first statement that is none. */
export function checkLiberty(path: string, text: string): void {
  const fail = (at: number, message: string): Error =>
    inputError(`${path}, line ${String(lineOf(text, at))}`, message);
  const tokens = tokensOf(text, fail);
  const opened: number[] = [];
  let groups = 0;
  for (let token = tokens.next(); token !== null; token = tokens.next()) {
    const { text: name, at } = token;
    if (name === ";") continue;
    if (name === "}") {
      if (opened.pop() === undefined) throw fail(at, "a } closes no group.");
      continue;
    }
    if (opened.length === 0) {
      if (name !== "library")
        throw fail(at, "a Liberty file is one group: library (name) { ... }.");
      if (groups > 0) throw fail(at, "there is more than one library.");
      groups += 1;
    }
    if (!/^[A-Za-z_"]/.test(name)) throw fail(at, `"${name.slice(0, 20)}" begins no statement.`);
    if (!readStatement(token, tokens, fail, opened.length === 0)) continue;
    opened.push(at);
    if (opened.length > deepest) throw fail(at, `groups lie deeper than ${String(deepest)}.`);
  }
  const open = opened.at(-1);
  if (open !== undefined) throw fail(open, "a group begins here and never ends.");
  if (groups === 0) throw inputError(path, "the file is empty: there is no library in it.");
}

type Fail = (at: number, message: string) => Error;
interface Tokens {
  /** The next token, or null at the end. */
  readonly next: () => Token | null;
  /** Returns `token` to the input, so that it is the next one. */
  readonly back: (token: Token | null) => void;
}

/** Reads a statement after its name; true where it opens a group. */
function readStatement(
  { text: name, at }: Token,
  tokens: Tokens,
  fail: Fail,
  isGroup: boolean,
): boolean {
  const shown = name.slice(0, 40);
  const sign = tokens.next();
  if (sign?.text === ":" && !isGroup) {
    for (let token = tokens.next(), count = 0; ; token = tokens.next(), count += 1) {
      const ends = token === null || /^[{}:;]$/.test(token.text) || token.first;
      if (ends && count === 0) throw fail(at, `${shown} has no value.`);
      if (!ends) continue;
      // The end of the line does as well, as tools have it.
      if (token?.first === true) tokens.back(token);
      else if (token?.text !== ";") throw fail(at, `the value of ${shown} does not end in ";".`);
      return false;
    }
  }
  if (sign?.text !== "(") throw fail(at, `${shown} is followed by neither ":" nor "(".`);
  for (let depth = 1; depth > 0;) {
    const token = tokens.next();
    if (token === null || /^[{};]$/.test(token.text)) {
      throw fail(at, `the arguments of ${shown} do not end in ")".`);
    }
    if (token.text === "(") depth += 1;
    if (token.text === ")") depth -= 1;
  }
  const end = tokens.next();
  if (end?.text === "{") return true;
  if (isGroup) throw fail(at, `${shown} (...) is followed by no group.`);
  if (end?.text === ";") return false;
  if (end?.first !== true) throw fail(at, `${shown} (...) does not end in ";".`);
  tokens.back(end);
  return false;
}

function tokensOf(text: string, fail: Fail): Tokens {
  let at = 0;
  let returned: Token | null = null;
  const next = (): Token | null => {
    if (returned !== null) {
      const token = returned;
      returned = null;
      return token;
    }
    let isFirst = at === 0;
    while (at < text.length) {
      const begin = at;
      piece.lastIndex = at;
      if (!piece.test(text)) {
        const what = text[at] === '"' ? "a string" : "a comment";
        throw fail(at, `${what} begins here and never ends.`);
      }
      at = piece.lastIndex;
      const first = text[begin] ?? "";
      const isComment = first === "/" && at - begin > 1;
      if (!/[\s\\]/.test(first) && !isComment) {
        return { text: text.slice(begin, at), at: begin, first: isFirst };
      }
      if (!isComment) isFirst ||= /(?<!\\[ \t\r]*)\n/.test(text.slice(begin, at));
    }
    return null;
  };
  return { next, back: (token) => void (returned = token) };
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
