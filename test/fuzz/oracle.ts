// SPDX-License-Identifier: Apache-2.0
// What may be said of an input after it ran: the promises that every command line keeps, whatever
// it is given. Each broken one is a sentence.

import { basename, join, normalize } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Input } from "./input.ts";
import type { Ended, Outcome } from "./runner.ts";
import type { Snapshot } from "./sandbox.ts";

/** Codes with which a command line may end; 130 only where it was stopped. */
const codes = [0, 1, 2, 3];

/** Words that a message must not contain, unless the input contains them. */
const forbidden: readonly RegExp[] = [
  /\[object Object\]/,
  /\bundefined\b/,
  // Legitimate phrases about tensors: "NaN or infinite values", "NaN and infinity", "no NaN".
  /(?<!(or|and|no) )\bNaN\b(?! (or|and) infin)/,
  /Maximum call stack/,
  /Invalid (input|string|option|key|array|typed)/,
  /Unrecognized key/,
  /Too (small|big)/,
  /bug of neardata/,
  /^\s+at .*:\d+:\d+/m,
  /\b(Type|Range|Reference|Syntax)Error\b/,
  /\bECMAScript|node:internal|ERR_[A-Z_]+/,
  /std::|bad_alloc|terminate called/,
  /\u001b/,
];

/** Remarks in addition to an answer, which may also precede a later rejection. */
const remarks =
  /^neardata: (NaN and infinity in the weights|\d+ inputs are rounded|\d+ designs can be)/;

const longestLine = 1500;
const longestText = 1 << 20;

/** Every promise that was broken. */
export function judge(
  input: Input,
  outcome: Outcome,
  before: Snapshot,
  after: Snapshot,
): readonly string[] {
  if (outcome.kind === "died") return [`the process ended: ${outcome.how}`];
  const { code, stray, stopped, thrown } = outcome;
  return [
    ...thrown.map((text) => `nobody caught: ${firstLine(text)}`),
    ...(outcome.held.length > 0 ? [`the process would not end: ${outcome.held.join(", ")}`] : []),
    ...(stray === "" ? [] : [`printed past the program's output: ${firstLine(stray)}`]),
    ...(codes.includes(code) || (code === 130 && stopped) ? [] : [`exit code ${String(code)}`]),
    ...spoken(input, outcome),
    ...printed(input, outcome),
    ...left(input, code, before, after),
  ];
}

function firstLine(text: string): string {
  return (text.trim().split("\n")[0] ?? "").slice(0, 200);
}

/** Text of the input, whose words a message may contain. */
function textOf({ argv, files }: Input): string {
  const texts = Object.values(files).map((f) => (f.kind === "file" ? textOfBytes(f.bytes) : ""));
  return [...argv, ...Object.keys(files), ...texts].join("\n");
}

/** The beginning of a file, and of its decompressed content. */
function textOfBytes(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, longestText)).toString("latin1");
  if (!start.startsWith("\u001f\u008b")) return start;
  try {
    return start + gunzipSync(bytes, { maxOutputLength: longestText }).toString("latin1");
  } catch {
    return start; // damaged, or more than anybody reads for a message
  }
}

/** Messages on stderr. */
function spoken(input: Input, { code, stderr, stdout }: Ended): readonly string[] {
  const refused = code === 2 || code === 3;
  const lines = stderr === "" ? [] : stderr.replace(/\n$/, "").split("\n");
  const own = textOf(input).toLowerCase();
  const names = namesOf(input);
  return [
    ...(refused && lines.length === 0 && (code === 2 || stdout === "")
      ? ["ends without a word"]
      : []),
    ...lines.flatMap((line) => [
      ...(/^neardata: ./.test(line) ? [] : [`a line on stderr is no sentence: ${firstLine(line)}`]),
      ...(line.length <= longestLine ? [] : [`a message has ${String(line.length)} characters`]),
      ...(code !== 2 || names.test(line) || remarks.test(line)
        ? []
        : [`names neither file nor option: ${firstLine(line)}`]),
    ]),
    ...forbidden.flatMap((word) => {
      const found = word.exec(stderr)?.[0];
      return found === undefined || own.includes(found.toLowerCase())
        ? []
        : [
            `says "${found.trim().slice(0, 60)}": ${lines.find((l) => word.test(l))?.slice(0, 200) ?? ""}`,
          ];
    }),
  ];
}

/** Matches the subject of a sentence: a file, a word of the command line, an option. */
function namesOf({ argv, command, files, outputs }: Input): RegExp {
  const words = [...argv, ...Object.keys(files), ...outputs, command];
  const names = words
    .flatMap((word) => [word, basename(word), ...word.split("=")])
    .filter((name) => name !== "");
  // Messages escape control characters, and in quotation marks like JSON.
  const said = names.flatMap((name) => [
    name.replaceAll("\n", "\\u000a").replaceAll("\t", "\\u0009"),
    JSON.stringify(name).slice(1, -1),
  ]);
  const quoted = said.map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  const whole = quoted.map((name) => `(?<![\\w.])${name}(?!\\w)`);
  return new RegExp(
    [
      ...whole,
      "--",
      "--help",
      "an argument",
      "^neardata: .+: there is no such",
      "\\d+ problems more",
    ].join("|"),
  );
}

/** Problems of the output on stdout. */
function printed({ argv }: Input, { code, stdout }: Ended): readonly string[] {
  const at = argv.indexOf("--json");
  const before = argv[at - 1] ?? "";
  // After `--` and as the value of an option it is not an option.
  if (argv.includes("--help") || argv.includes("--version") || before.startsWith("-")) return [];
  if (argv.slice(0, at).includes("--")) return [];
  if (at < 0) {
    return code === 2 && stdout !== "" ? [`refused, and prints ${firstLine(stdout)}`] : [];
  }
  try {
    JSON.parse(stdout);
    return [];
  } catch {
    return [`--json prints no single JSON document: ${JSON.stringify(firstLine(stdout))}`];
  }
}

/** Unexpected files in the directory, and missing ones. */
function left(
  { argv, files, own }: Input,
  code: number,
  before: Snapshot,
  after: Snapshot,
): readonly string[] {
  const done = code === 0 || code === 1;
  const named = argv.flatMap((word) => [word, word.replace(/^-[^=]*=/, "")]);
  const places = named.map((name) => normalize(join("work", name)).replace(/\/$/, ""));
  const mayBe = (path: string): boolean =>
    places.some((p) => path === p || path.startsWith(`${p}/`) || p.startsWith(`${path}/`)) ||
    own?.test(path.replace(/^work\//, "")) === true;
  const inputs = Object.keys(files).map((name) => normalize(join("work", name)));
  return [
    ...[...after.keys()].flatMap((path) => {
      if (before.has(path)) return [];
      if (/partial|\.wal$|\.tmp/.test(path)) return [`leaves ${path}`];
      return done && mayBe(path) ? [] : [`leaves ${path} with exit code ${String(code)}`];
    }),
    ...[...before].flatMap(([path, word]) => {
      const now = after.get(path);
      if (now === word) return [];
      const what = `${now === undefined ? "removes" : "changes"} ${path}`;
      if (!inputs.includes(path) && done && mayBe(path)) return [];
      return done && word !== "link" && isOutput(argv, path) ? [] : [what];
    }),
  ];
}

/** A file that only an option for outputs names may be replaced. */
function isOutput(argv: readonly string[], path: string): boolean {
  const uses = argv.flatMap((word, i) =>
    normalize(join("work", word.replace(/^-[^=]*=/, ""))) === path ? [i] : [],
  );
  const options = ["--out", "--export", "--commands", "--completions"];
  return (
    uses.length > 0 &&
    uses.every((i) =>
      [argv[i - 1] ?? "", (argv[i] ?? "").split("=")[0] ?? ""].some((w) => options.includes(w)),
    )
  );
}
