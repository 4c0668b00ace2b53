// SPDX-License-Identifier: Apache-2.0
// Faults for SystemVerilog and C++, by tokens: comments, texts, directives, assertions and what the
// compiler alone reads stay as they are. What does not compile all the same is not a fault and not counted.

import type { Mutant, MutantRule } from "./mutant.ts";

interface TokenRule {
  readonly rule: MutantRule;
  readonly find: RegExp;
  /** The first group is replaced if there is one, else the whole match. */
  readonly by: (match: RegExpExecArray) => string;
}

const swap = (text: string, pairs: Readonly<Record<string, string>>): string => pairs[text] ?? text;
const next = (digits: string): string => String(Number(digits) + 1);

const both: readonly TokenRule[] = [
  { rule: "off by one", find: / (<|>) /g, by: ([, operator]) => `${operator ?? ""}=` },
  { rule: "off by one", find: / [-+] (\d+)\b(?!')/g, by: ([, digits]) => next(digits ?? "0") },
  {
    rule: "wrong operand",
    find: / (\+|-|==|!=|&&|\|\||&|\||\^) /g,
    by: ([, operator]) =>
      swap(operator ?? "", {
        "+": "-",
        "-": "+",
        "==": "!=",
        "!=": "==",
        "&&": "||",
        "||": "&&",
        "&": "|",
        "|": "&",
        "^": "&",
      }),
  },
];

const systemVerilog: readonly TokenRule[] = [
  ...both,
  { rule: "off by one", find: /'d(\d+)\b/g, by: ([, digits]) => next(digits ?? "0") },
  // The value of a register in a reset, or when it is cleared.
  { rule: "dropped reset", find: /^ *\w+(?:\[\w+\])? <= '0;$/gm, by: () => ";" },
  {
    rule: "swapped port",
    find: /\.\w+\s*\((\w+)\s*\),\s*\.\w+\s*\((\w+)\s*\)/g,
    by: ([all, a, b]) =>
      all.replace(/\(\w+\s*\)/, `(${b ?? ""})`).replace(/\(\w+\s*\)$/, `(${a ?? ""})`),
  },
  { rule: "stuck bit", find: /^ *assign \w+ = ([^;]+);$/gm, by: () => "'0" },
  { rule: "stuck bit", find: /^ *assign \w+ = ([^;]+);$/gm, by: () => "'1" },
];

const cxx: readonly TokenRule[] = [
  ...both,
  { rule: "off by one", find: / (<=|>=) /g, by: ([, operator]) => (operator ?? "").slice(0, 1) },
  { rule: "off by one", find: /Cycle\{(\d+)\}/g, by: ([, digits]) => next(digits ?? "0") },
  {
    rule: "wrong operand",
    find: /std::(min|max)\(/g,
    by: ([, name]) => (name === "min" ? "max" : "min"),
  },
  {
    rule: "dropped reset",
    find: /^ *[\w.[\]>-]+ = (?:0|false|true|\{\}|nullptr|kNever|std::nullopt);$/gm,
    by: () => ";",
  },
  { rule: "dropped reset", find: /^ *[\w.[\]>-]+\.clear\(\);$/gm, by: () => ";" },
  {
    rule: "swapped port",
    // Of the greater or lesser of two the order is all the same.
    find: /(?<!\b(?:min|max))(?<=\w)\((\w+, \w+)\)/g,
    by: ([, pair]) => (pair ?? "").split(", ").toReversed().join(", "),
  },
  { rule: "stuck bit", find: /\bif \(([^();]+(?:\([^()]*\)[^();]*)*)\)/g, by: () => "true" },
  { rule: "stuck bit", find: /\bif \(([^();]+(?:\([^()]*\)[^();]*)*)\)/g, by: () => "false" },
];

/** A contract of rtl/include/assert.svh, up to its closing parenthesis. */
const assertion = new RegExp(
  String.raw`^ *\`(?:HOLDS|IMPLIES|NEXT|STAYS|ASSERT|COVER)` + nested(5),
  "gm",
);

/** Parentheses with their contents, up to this depth. */
function nested(depth: number): string {
  return String.raw`\((?:[^()]${depth > 1 ? `|${nested(depth - 1)}` : ""})*\)`;
}

/** The same length, with blanks for text that must not be changed. */
function masked(source: string): string {
  const blank = (text: string): string => text.replaceAll(/[^\n]/g, "\u0000");
  return source
    .replaceAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"/g, blank)
    .replaceAll(/^`ifdef NEARDATA_ASSERT$[\s\S]*?^`(?:endif|else)/gm, blank)
    .replaceAll(assertion, blank)
    .replaceAll(/^[ ]*[`#][^\n]*(?:\\\n[^\n]*)*/gm, blank)
    .replaceAll(/^.*(?:assert|ASSERT|template|using |\[\[nodiscard\]\] explicit).*$/gm, blank);
}

export function tokenMutants(file: string, source: string): readonly Mutant[] {
  const text = masked(source);
  const rules = file.endsWith(".sv") ? systemVerilog : cxx;
  return rules.flatMap(({ rule, find, by }) =>
    [...text.matchAll(find)].flatMap((match): readonly Mutant[] => {
      const [all, group] = match;
      const whole = rule === "swapped port" && file.endsWith(".sv");
      const piece = whole || group === undefined ? all : group;
      if (piece.includes("\u0000")) return [];
      const start = match.index + (piece === all ? 0 : all.lastIndexOf(piece));
      const replacement = by(match);
      if (replacement === piece) return [];
      return [{ file, rule, start, end: start + piece.length, text: replacement }];
    }),
  );
}
