// SPDX-License-Identifier: Apache-2.0
// C++ functions with more parameters than a reader can distinguish at a call. The search reads text in the layout of
// clang-format and needs no compiler: a list of parameters is a pair of parentheses in which each part is a parameter,
// such as `const T& name`.

/** Parameters of a function at most; a function that needs more gets a record. */
export const mostParameters = 5;

/** Each function of a source with more parameters: "line 12: name has 6 parameters". */
export function parameterProblems(source: string): readonly string[] {
  const text = withoutComments(source);
  const problems: string[] = [];
  const open: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "(") open.push(at);
    if (text[at] !== ")") continue;
    const start = open.pop();
    if (start === undefined) continue;
    const list = text.slice(start + 1, at);
    if (list.split(",").length <= mostParameters) continue;
    const parts = partsOf(list);
    if (parts.length <= mostParameters || !areParameters(parts)) continue;
    const before = text.slice(0, start);
    const line = String(before.split("\n").length);
    problems.push(`line ${line}: ${nameAtEnd(before)} has ${String(parts.length)} parameters`);
  }
  return problems;
}

/** The text without comments and contents of literals; each line keeps its number. */
function withoutComments(source: string): string {
  const rawString = String.raw`R"(\w*)\([^]*?\)\1"`;
  const string = String.raw`"(?:\\.|[^"\\\n])*"`;
  const character = String.raw`'(?:\\[^'\n]+|[^'\\\n])'`;
  const comment = String.raw`\/\/[^\n]*|\/\*[^]*?\*\/`;
  const skipped = new RegExp([rawString, string, character, comment].join("|"), "g");
  return source.replace(skipped, (found) =>
    (found.startsWith("/") ? " " : '""').concat("\n".repeat(found.split("\n").length - 1)),
  );
}

/** The parts between the commas that are in no brackets. */
function partsOf(list: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let begin = 0;
  for (let at = 0; at < list.length; at += 1) {
    const character = list.charAt(at);
    if (character === "," && depth === 0) {
      parts.push(list.slice(begin, at));
      begin = at + 1;
    } else if (opensAt(list, at)) depth += 1;
    else if (closesAt(list, at)) depth -= 1;
  }
  return [...parts, list.slice(begin)].map((part) => part.replace(/\s+/g, " ").trim());
}

/** A template's brackets have no space before them, those of a comparison or a shift have one. */
function opensAt(list: string, at: number): boolean {
  const character = list.charAt(at);
  return "([{".includes(character) || (character === "<" && /\w/.test(list.charAt(at - 1)));
}
function closesAt(list: string, at: number): boolean {
  const character = list.charAt(at);
  return ")]}".includes(character) || (character === ">" && /[\w>*&)]/.test(list.charAt(at - 1)));
}

const named = String.raw`(?:const |unsigned |typename )*[\w:]+(?:<.*>)?(?:::[\w:]+)?(?: const)?`;
/** A type with or without a name; a pointer's star is beside the type, a product's has spaces. */
const plain = new RegExp(
  String.raw`^${named}(?:[&*]*(?:\.\.\.)?| [\w:]+::\*)(?: ?\w+)?(?:\[\w*\])?$`,
);
const toFunction = new RegExp(String.raw`^${named}[&*]* \([\w:]*[&*]+\w*\)(?:\(.*\)|\[\w*\])$`);
const ofExpressions = /^(?:new|sizeof|throw|co_await|return|not) /;

/** Arguments of a call can look like types without names, but no argument has a type and a name. */
function areParameters(parts: readonly string[]): boolean {
  const parameters = parts.map((part) => part.replace(/\[\[.*?\]\] ?/g, "").replace(/ = .*$/, ""));
  return (
    parameters.every(
      (one) => (plain.test(one) && !ofExpressions.test(one)) || toFunction.test(one),
    ) && parameters.some((one) => /[\w>&*] \(?[\w:*&]/.test(one) || /[&*]$/.test(one))
  );
}

/** The name of the function whose parentheses follow. */
function nameAtEnd(text: string): string {
  const [, pointer, name] = /(?:\(\*(\w+)\)|([\w:~]+))\s*$/.exec(text) ?? [];
  return pointer ?? name ?? "a lambda";
}
