// SPDX-License-Identifier: Apache-2.0
// A Liberty file as a tree of groups. The grammar was checked before (liberty-syntax.ts).

/** `name (args) { attributes, groups }`. */
export interface Group {
  readonly name: string;
  readonly args: readonly string[];
  /** Values of `name : value ;` and arguments of `name (args) ;`; the last one where one repeats. */
  readonly attributes: ReadonlyMap<string, readonly string[]>;
  readonly groups: readonly Group[];
}

const piece = /\s+|\\|\/\*[\s\S]*?\*\/|\/\/[^\n]*|"([^"]*)"|([^\s"(){}:;,\\/]+|\/)|([(){}:;,])/y;

interface OpenGroup {
  readonly name: string;
  readonly args: readonly string[];
  readonly attributes: Map<string, readonly string[]>;
  readonly groups: Group[];
}

/** The outermost group of a file that `checkLiberty` has accepted. */
export function parseLiberty(text: string): Group {
  const root: OpenGroup = { name: "", args: [], attributes: new Map(), groups: [] };
  const open: OpenGroup[] = [root];
  const tokens = tokensOf(text);
  for (let at = 0; at < tokens.length; at += 1) {
    const { text: name = "" } = tokens[at] ?? {};
    const inside = open.at(-1) ?? root;
    if (name === "}") open.pop();
    if (/^[{}:;,()]$/.test(name)) continue;
    const sign = tokens[at + 1]?.text;
    const words: string[] = [];
    at += 2;
    if (sign === ":") {
      for (; at < tokens.length && isValue(tokens[at], words.length); at += 1) {
        words.push(tokens[at]?.text ?? "");
      }
      inside.attributes.set(name, [words.join(" ")]);
      if (tokens[at]?.text !== ";") at -= 1;
      continue;
    }
    for (; at < tokens.length && tokens[at]?.text !== ")"; at += 1) {
      if (tokens[at]?.text !== ",") words.push(tokens[at]?.text ?? "");
    }
    if (tokens[at + 1]?.text === "{") {
      const group: OpenGroup = { name, args: words, attributes: new Map(), groups: [] };
      inside.groups.push(group);
      open.push(group);
      at += 1;
    } else {
      inside.attributes.set(name, words);
    }
  }
  return root.groups[0] ?? root;
}

interface Token {
  readonly text: string;
  /** It begins a line. */
  readonly first: boolean;
}

/** A value ends at its semicolon or at the end of its line. */
function isValue(token: Token | undefined, before: number): boolean {
  if (token === undefined || /^[{};]$/.test(token.text)) return false;
  return before === 0 || !token.first;
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let first = true;
  for (piece.lastIndex = 0; piece.lastIndex < text.length;) {
    const match = piece.exec(text);
    if (match === null) break;
    const [whole, quoted, word, sign] = match;
    const token = quoted ?? word ?? sign;
    if (token === undefined) {
      if (whole.includes("\n")) first = true;
      continue;
    }
    tokens.push({ text: token, first });
    first = false;
  }
  return tokens;
}
