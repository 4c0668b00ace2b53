// SPDX-License-Identifier: Apache-2.0
// Completion in the shells themselves, those that are installed.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { cli, inTemporary } from "../helpers/cli.ts";
import { needs } from "../helpers/needs.ts";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

/** The completions of a shell for the last of the words. */
const completions: Readonly<Record<Shell, (script: string, words: readonly string[]) => string>> = {
  bash: (script, words) =>
    `${script}
COMP_WORDS=(${quoted(words)}); COMP_CWORD=${String(words.length - 1)}
_neardata; printf '%s\n' "\${COMPREPLY[@]}"`,
  // Outside of its line editor, so with its three functions that fill the list as ones that print it.
  zsh: (script, words) =>
    `compdef() { }
offer() { local one; for one in "$@"; do [[ "$one" == "$PREFIX"* ]] && print -r -- "$one"; done; return 0 }
compadd() { shift; offer "$@" }
_files() { offer *(N) }
_describe() { local -a all=("\${(@P)2}"); offer "\${(@)all%%:*}" }
${script}
words=(${quoted(words)}); CURRENT=${String(words.length)}; PREFIX=$words[CURRENT]
_neardata`,
  fish: (script, words) => `${script}
complete -C ${quoted([words.join(" ")])} | string replace -r '\t.*' ''`,
};

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(" ");

const expected: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ["neardata rep", ["report", "reproduce"]],
  ["neardata run --fid", ["--fidelity"]],
  ["neardata run --fidelity an", ["analytic"]],
  ["neardata run --json --engine cy", ["cycle"]],
  ["neardata run --mem", ["--memory-backend"]],
  ["neardata dram replay --memory-backend ", ["native", "ramulator2"]],
  ["neardata lm ", ["batch", "eval", "shape", "token"]],
  ["neardata ndp eval --exp", ["--expert"]],
  ["neardata list exp", ["experiments"]],
  ["neardata run mine", ["mine.yaml"]],
  ["neardata machine --svg mine", ["mine.yaml"]],
];

describe.each(shells)("completion in %s", (shell) => {
  let script = "";
  beforeAll(async () => {
    const { stdout, code } = await cli("completion", shell);
    expect(code).toBe(0);
    script = stdout;
  });

  it("has every command and choice", () => {
    for (const word of ["reproduce", "fidelity", "analytic", "ndp eval"])
      expect(script).toContain(word);
  });

  it.each(expected)("of %j", needs(shell), (line, offered) =>
    inTemporary((directory) => {
      writeFileSync(join(directory, "mine.yaml"), "");
      const text = completions[shell](script, line.split(" "));
      const bare = shell === "zsh" ? ["-f", "-c", text] : ["-c", text];
      const { stdout, stderr } = spawnSync(shell, bare, { cwd: directory, encoding: "utf8" });
      expect(stderr).toBe("");
      expect(stdout.split("\n").filter(Boolean).sort()).toEqual(offered);
      return Promise.resolve();
    }),
  );
});
