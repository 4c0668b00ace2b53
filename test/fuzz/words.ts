// SPDX-License-Identifier: Apache-2.0
// Changes of a command line: words that are missing, twice, unknown, empty or absurd; outputs that
// are inputs, directories, devices, or in a directory without write permission. No word leaves the input's
// own directory by an absolute path.

import type { Input, Mutation, Placed, ValidInput } from "./input.ts";
import { hostileTexts, hostileTokens } from "./hostile-pieces.ts";

const pick = <T>(from: readonly T[], at: number): T => from[at % from.length] as T;

type Changed = Pick<Input, "argv" | "files">;

/** The whole command line after `mutations`, and the files that they add. */
export function mutateWords(sound: ValidInput, mutations: readonly Mutation[]): Changed {
  const start: Changed = { argv: sound.words, files: {} };
  const changed = mutations.reduce((state, m) => mutateOnce(sound, state, m), start);
  const argv = [...sound.command.split(" "), ...changed.argv].map(safeWord);
  return { argv, files: changed.files };
}

/** Absolute paths would leave the input's directory. The system accepts no zero byte in a word. */
function safeWord(word: string): string {
  const text = word.replaceAll("\u0000", "");
  return text.replace(/^(-[^=]*=)?\/+/, "$1./");
}

const existing: Placed = { kind: "file", bytes: new TextEncoder().encode("kept\n") };

/** Files at the path of an output, and the resulting name of the output. */
function hostileOutput(
  sound: ValidInput,
  output: string,
  by: number,
): { readonly name: string; readonly files: Readonly<Record<string, Placed>> } {
  const [input = output] = Object.keys(sound.files).slice(by % 3);
  const at = (name: string, placed: Placed): ReturnType<typeof hostileOutput> => {
    return { name, files: { [name]: placed } };
  };
  const plain = (name: string): ReturnType<typeof hostileOutput> => ({ name, files: {} });
  const ways = [
    () => plain(input),
    () => plain(`./${input}`),
    () => plain(""),
    () => plain("."),
    () => plain(`${input}/below`),
    () => plain(`missing/${output}`),
    () => plain("x".repeat(300)),
    () => plain(`${"y/".repeat(2500)}z`),
    () => at(output, existing),
    () => at(output, { kind: "directory" }),
    () => at(output, { kind: "fifo" }),
    () => at(output, { kind: "null-device" }),
    () => at(output, { kind: "full-device" }),
    () => at(output, { kind: "loop" }),
    () => plain(`../${output}`),
    () => plain(`é ${output}`),
    () => plain(`${output}/`),
    () => plain("."),
  ];
  return pick(ways, by)();
}

function mutateOnce(
  sound: ValidInput,
  { argv, files }: Changed,
  { kind, at, by, also }: Mutation,
): Changed {
  const place = at % Math.max(1, argv.length);
  const word = argv[place] ?? "";
  const words = (...changed: readonly string[]): Changed => ({ argv: changed, files });
  const replaced = (text: string): Changed => words(...argv.toSpliced(place, 1, text));
  switch (kind % 14) {
    case 0:
      return words(...argv.toSpliced(place, 1));
    case 1:
      return words(...argv.toSpliced(place, 0, word));
    case 2:
      return words(...argv, ...argv.slice(place, place + 2));
    case 3:
      return words(...argv, pick(["--nothing", "--jsn", "-x", "--", "--out", "--help"], by));
    case 4:
      return words(...argv, pick(hostileTexts, by));
    case 5:
      return replaced(pick(hostileTexts, by));
    case 6:
      return replaced(pick(hostileTokens, by));
    case 7:
      return argv.length === 0
        ? words()
        : words(...argv.with(place, pick(argv, by)).with(by % argv.length, word));
    case 8:
      return replaced(word.slice(0, also % (word.length + 1)));
    case 9:
      return replaced(`${word}=${pick(hostileTokens, by)}`);
    case 10: {
      const names = Object.keys(sound.files);
      return replaced(pick([...names, "."], by));
    }
    case 11:
      return words(...argv, "--json");
    default: {
      const output = pick([...sound.outputs, ""], at);
      if (output === "" || !argv.includes(output)) return words(...argv, "--json");
      const hostile = hostileOutput(sound, output, by);
      const renamed = argv.map((one) => (one === output ? hostile.name : one));
      return { argv: renamed, files: { ...files, ...hostile.files } };
    }
  }
}
