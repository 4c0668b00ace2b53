// SPDX-License-Identifier: Apache-2.0
// The modules of the RTL sources: the instances of each module, and which of these instances are
// connected, directly or through an assignment.

import { readFileSync } from "node:fs";
import { basename, relative } from "node:path";

import { inRepository } from "../src/base/paths.ts";
import { rtlFilesBelow } from "../src/native/compile/rtl-sources.ts";

/** An instance in a module; `many` where a generate loop makes it. */
export interface Instance {
  readonly module: string;
  readonly name: string;
  readonly many: boolean;
}

/** A module and its instances; `joins` are pairs of instances, from a driver to a reader. */
export interface Block {
  readonly module: string;
  /** Relative to the repository. */
  readonly file: string;
  readonly instances: readonly Instance[];
  readonly joins: readonly (readonly [from: number, to: number])[];
}

/** Ports without payload: clocks, answers of a receiver, levels and strobes. */
const answers = /^(clk|rst_n)$|ready|busy|quiet|events|run|idle|empty|room|free|taken|wait/;

interface Found extends Instance {
  readonly drives: ReadonlySet<string>;
  readonly reads: ReadonlySet<string>;
}

/** Every module of `rtl`, by name. */
export function readBlocks(): ReadonlyMap<string, Block> {
  const paths = new Map(rtlFilesBelow(".").map((path) => [basename(path, ".sv"), path]));
  return new Map(
    [...paths].map(([module, path]) => {
      const text = readFileSync(path, "utf8").replaceAll(/\/\/.*/g, "");
      const instances = instancesIn(text, (name) => name !== module && paths.has(name));
      const reached = instances.map(({ drives }) => throughAssigns(drives, assignsIn(text)));
      const joins = reached.flatMap((signals, from) =>
        instances.flatMap(({ reads }, to) =>
          from !== to && [...reads].some((signal) => signals.has(signal))
            ? [[from, to] as const]
            : [],
        ),
      );
      return [
        module,
        { module, file: relative(inRepository(), path), instances: instances, joins },
      ];
    }),
  );
}

function instancesIn(text: string, known: (module: string) => boolean): readonly Found[] {
  const loops = loopsIn(text);
  return [...text.matchAll(/^\s*([a-z]\w*)\s*(?:#\s*\(|(?=u_))/gm)].flatMap((match) => {
    const [, module = ""] = match;
    if (!known(module)) return [];
    const head = /\b(u_\w+)\s*\(/.exec(text.slice(match.index));
    if (head === null) return [];
    const [, name = ""] = head;
    const begin = match.index + head.index + head[0].length;
    const ports = [...inParentheses(text, begin).matchAll(/\.(\w+)_([io])\s*\(/g)];
    const signals = (direction: string): ReadonlySet<string> =>
      new Set(
        ports
          .filter(([, port = "", way]) => way === direction && !answers.test(port))
          .flatMap((port) => namesIn(inParentheses(text, begin + port.index + port[0].length))),
      );
    const many = loops.some(([from, to]) => from < match.index && match.index < to);
    return [{ module, name, many, drives: signals("o"), reads: signals("i") }];
  });
}

/** The text from an opening parenthesis, which ends before `begin`, to its closing parenthesis. */
function inParentheses(text: string, begin: number): string {
  let depth = 1;
  let at = begin;
  for (; depth > 0 && at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")") depth -= 1;
  }
  return text.slice(begin, at - 1);
}

/** Begin and end of generate loops. */
function loopsIn(text: string): readonly (readonly [from: number, to: number])[] {
  return [...text.matchAll(/\bfor \(genvar\b[^\n]*\bbegin\b/g)].map((loop) => {
    let depth = 0;
    for (const word of text.slice(loop.index).matchAll(/\b(begin|end)\b/g)) {
      depth += word[0] === "begin" ? 1 : -1;
      if (depth === 0) return [loop.index, loop.index + word.index];
    }
    return [loop.index, text.length];
  });
}

/** Names of signals, which begin with a lower-case letter; constants and parameters do not. */
function namesIn(expression: string): readonly string[] {
  return expression.match(/(?<![\w.:'])[a-z]\w*\b(?!::)/g) ?? [];
}

function assignsIn(text: string): readonly (readonly [to: string, from: readonly string[]])[] {
  return [...text.matchAll(/\bassign\s+(\w+)[^=;]*=([^;]*);/g)].map(
    ([, to = "", from = ""]) => [to, namesIn(from)] as const,
  );
}

function throughAssigns(
  drives: ReadonlySet<string>,
  assigns: readonly (readonly [to: string, from: readonly string[]])[],
): ReadonlySet<string> {
  const reached = new Set(drives);
  let before = -1;
  while (before !== reached.size) {
    before = reached.size;
    for (const [to, from] of assigns) if (from.some((name) => reached.has(name))) reached.add(to);
  }
  return reached;
}
