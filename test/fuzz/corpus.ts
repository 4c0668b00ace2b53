// SPDX-License-Identifier: Apache-2.0
// Inputs as files: one JSON document with the command line and the contents of the directory. An
// input stays the same when the sound ones change.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Input, Placed } from "./input.ts";

/** A file's text; its bytes in base64 if it is not text; or the kind of a special file. */
type CorpusFile = string | { readonly base64: string } | { readonly kind: Placed["kind"] };

interface CorpusInput {
  readonly why: string;
  readonly command: string;
  readonly argv: readonly string[];
  readonly files: Readonly<Record<string, CorpusFile>>;
  readonly outputs: readonly string[];
  readonly own: string | null;
}

/** The document of an input; `why` is the reason of the failure. */
export function corpusText(input: Input, why: string): string {
  const files = Object.entries(input.files).map(([name, placed]) => [name, corpusFile(placed)]);
  const document: CorpusInput = {
    why,
    command: input.command,
    argv: input.argv,
    files: Object.fromEntries(files) as CorpusInput["files"],
    outputs: input.outputs,
    own: input.own?.source ?? null,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function corpusFile(placed: Placed): CorpusFile {
  if (placed.kind !== "file") return { kind: placed.kind };
  const text = Buffer.from(placed.bytes).toString();
  const same = Buffer.from(text).equals(placed.bytes);
  return same ? text : { base64: Buffer.from(placed.bytes).toString("base64") };
}

/** Every input of a directory, by file name. */
export function readCorpus(directory: string): readonly Input[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => {
      const text = readFileSync(join(directory, name), "utf8");
      const { argv, command, files, outputs, own } = JSON.parse(text) as CorpusInput;
      const placed = Object.entries(files).map(([file, kept]) => [file, placedOf(kept)]);
      return {
        command,
        name,
        argv,
        outputs,
        own: own === null ? null : new RegExp(own),
        files: Object.fromEntries(placed) as Input["files"],
      };
    });
}

function placedOf(kept: CorpusFile): Placed {
  if (typeof kept === "string") return { kind: "file", bytes: Buffer.from(kept) };
  if ("base64" in kept) return { kind: "file", bytes: Buffer.from(kept.base64, "base64") };
  return kept.kind === "file" ? { kind: "directory" } : { kind: kept.kind };
}
