// SPDX-License-Identifier: Apache-2.0
// Constant expressions of SystemVerilog as widths and parameters have them: whole numbers, `$clog2`,
// comparisons, the conditional operator, calls of functions that are one expression.

/** Meanings of names. */
export interface Scope {
  /** A constant's value; undefined where there is none of the name. */
  readonly constant: (name: string) => number | undefined;
  /** Of a function: its value for these arguments. */
  readonly call: (name: string, values: readonly number[]) => number | undefined;
}

const token = /\s*(\d+'[bdh][\da-fA-F_]+|\$?\w+(?:::\w+)?|[<>=!]=|&&|\|\||<<|>>|[-+*/()?:<>,!])/y;

/** Operators by how tightly they bind, the loosest first. */
const levels: readonly Readonly<Record<string, (a: number, b: number) => number>>[] = [
  { "||": (a, b) => Number(a !== 0 || b !== 0) },
  { "&&": (a, b) => Number(a !== 0 && b !== 0) },
  { "==": (a, b) => Number(a === b), "!=": (a, b) => Number(a !== b) },
  {
    "<": (a, b) => Number(a < b),
    ">": (a, b) => Number(a > b),
    "<=": (a, b) => Number(a <= b),
    ">=": (a, b) => Number(a >= b),
  },
  { "<<": (a, b) => a * 2 ** b, ">>": (a, b) => Math.floor(a / 2 ** b) },
  { "+": (a, b) => a + b, "-": (a, b) => a - b },
  { "*": (a, b) => a * b, "/": (a, b) => Math.floor(a / b) },
];

/** The value of an expression. @throws Error where it is none of the kinds above, or a name is unknown */
export function valueOf(expression: string, scope: Scope): number {
  const words = wordsOf(expression);
  let at = 0;
  const next = (word: string): boolean => {
    if (words[at] !== word) return false;
    at += 1;
    return true;
  };
  const need = (word: string): void => {
    if (!next(word)) throw new Error(`no "${word}" in ${expression}`);
  };

  const whole = (): number => {
    const condition = binary(0);
    if (!next("?")) return condition;
    const yes = whole();
    need(":");
    const no = whole();
    return condition === 0 ? no : yes;
  };
  const binary = (level: number): number => {
    const operators = levels[level];
    if (operators === undefined) return primary();
    let left = binary(level + 1);
    for (;;) {
      const operate = operators[words[at] ?? ""];
      if (operate === undefined) return left;
      at += 1;
      left = operate(left, binary(level + 1));
    }
  };
  const primary = (): number => {
    if (next("(")) {
      const value = whole();
      need(")");
      return value;
    }
    const word = words[at] ?? "";
    at += 1;
    if (/^\d/.test(word)) return numberOf(word);
    if (!next("(")) return known(word, scope.constant(word));
    const values = [whole()];
    while (next(",")) values.push(whole());
    need(")");
    if (word === "$clog2") return Math.ceil(Math.log2(values[0] ?? 0));
    return known(word, scope.call(word, values));
  };
  const value = whole();
  if (at !== words.length) throw new Error(`${expression} goes on behind its end`);
  return value;
}

/** Names of constants and functions in an expression. */
export function namesIn(expression: string): readonly string[] {
  return wordsOf(expression).filter((word) => /^[A-Za-z]/.test(word));
}

function wordsOf(expression: string): readonly string[] {
  const words: string[] = [];
  token.lastIndex = 0;
  while (expression.slice(token.lastIndex).trim() !== "") {
    const before = token.lastIndex;
    const match = token.exec(expression);
    if (match?.[1] === undefined) {
      throw new Error(`cannot read ${expression} from "${expression.slice(before)}" on`);
    }
    words.push(match[1]);
  }
  return words;
}

function numberOf(word: string): number {
  const [size = "", based] = word.split("'");
  if (based === undefined) return Number(size);
  const radix = { b: 2, d: 10, h: 16 }[based[0] ?? ""] ?? 10;
  return Number.parseInt(based.slice(1).replaceAll("_", ""), radix);
}

function known(name: string, value: number | undefined): number {
  if (value === undefined) throw new Error(`there is no constant or function ${name}`);
  return value;
}
