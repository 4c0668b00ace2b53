// SPDX-License-Identifier: Apache-2.0
// Values that programs trip over: ends of number ranges, words of JSON, YAML and JavaScript, paths,
// text of every kind. None of them names a place outside of an input's own directory that a program
// could write to.

/** Texts that replace a scalar. */
export const hostileTokens: readonly string[] = [
  ...["0", "-0", "1", "-1", "2", "3", "7", "0.5", "1.5", "-0.25", "1e-9", "5e-324", "1e-320"],
  ...["63", "64", "127", "128", "255", "256", "1000", "1024", "4095", "65535", "65536", "1000000"],
  ...["2147483647", "2147483648", "-2147483648", "4294967295", "4294967296", "1e9", "1e12"],
  ...["9007199254740991", "9007199254740992", "9007199254740993", "9223372036854775807"],
  ...["9223372036854775808", "18446744073709551615", "18446744073709551616", "1e20", "1e21"],
  ...["1e100", "1e308", "-1e308", "1e309", "NaN", "Infinity", "-Infinity", ".nan", ".inf", "-.inf"],
  ...["0x10", "0o17", "1_000", "007", "+1", ".5", "5.", "null", "~", "true", "false", "yes", "{}"],
  ...["[]", '""', '" "', "[[]]", "[null]", '{"": 0}', "undefined", '"\\u0000"', '"\\ud800"'],
];

/** Text. */
export const hostileTexts: readonly string[] = [
  ...["", " ", "\t", "0", "-1", "null", "true", "NaN", "Infinity", "1e999", "-", "--", "--json"],
  ...[".", "..", "./", "a/b/c", "missing.json", "no such", "*", "?", "a\nb", "a\r\nb", "\u0000"],
  ...["é", "漢字", "\u202e", "\ufeff", "𝄞", "'", '"', "`", "$HOME", "$(x)", "%s%n", "<b>", "&amp;"],
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "length", "default"],
  ...["1 GHz", "0 Hz", "-1 GHz", "0.0001 Hz", "1e30 GHz", "256 KiB", "0 B", "-1 B", "1e30 GiB"],
  ...["1 W", "1e400 W", "NaN W", "1/8", "1/0", "0/1", "9999999999999999999/1", "1 TFLOPS", "1 us"],
  ...["x".repeat(300), "x".repeat(5000), "../x", "x/../../y", "\\", "C:\\x", "http://x/", "file:x"],
];

const deep = 5000;

/** Whole parts of a document, as text. */
export const hostileTrees: readonly string[] = [
  `${"[".repeat(deep)}${"]".repeat(deep)}`,
  `${'{"a":'.repeat(deep)}0${"}".repeat(deep)}`,
  `${"[".repeat(200)}${"]".repeat(200)}`,
  `[${"0,".repeat(20_000)}0]`,
  `{${Array.from({ length: 3000 }, (_, i) => `"k${String(i)}":${String(i)}`).join(",")}}`,
  JSON.stringify("y".repeat(200_000)),
  `1${"0".repeat(4000)}`,
  `0.${"1".repeat(4000)}`,
  '[1, "1", null, {}, []]',
  '{"__proto__": {"length": 1}, "length": 1e9}',
];

/** Pieces of text that mean something to a parser of JSON, YAML, CSV, Liberty or an npy header. */
export const hostilePieces: readonly string[] = [
  ...["\n", "\r\n", "\t", "\u0000", "\ufeff", ",", ",,", ";", ":", ": ", "- ", "#", "'", '"', "\\"],
  ...["{", "}", "[", "]", "(", ")", "&a ", "*a", "*nothing", "<<: *a\n", "!!binary x", "!own x"],
  ...[
    "!!js/function x",
    "---\n",
    "...\n",
    "%YAML 9.9\n",
    "? ",
    "| ",
    "> ",
    "|\n",
    "@",
    "`",
    "\u0085",
  ],
  ...["a: &a [x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b]\n"],
  ...[
    "0x",
    "-",
    "+",
    "e",
    "1e400",
    "NaN",
    "99999999999999999999",
    "/*",
    "*/",
    "//",
    "<b>",
    "\ud800",
  ],
  ...["__proto__: 1\n", '"__proto__":1,', "constructor", "z".repeat(10_000), "\n".repeat(2000)],
];
