// SPDX-License-Identifier: Apache-2.0
// An input of the program: a command line and the files that it finds in its directory. Sound
// inputs are in `inputs/`; changes of one are numbers, so fast-check can generate and shrink them.

import type { Tree } from "./tree.ts";

/** A file of a sound input, in the form in which it is changed. */
export type Document =
  | { readonly kind: "json" | "yaml"; readonly tree: Tree }
  | { readonly kind: "csv"; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  /** A file with a header that can be read, such as .safetensors and .npy. */
  | {
      readonly kind: "headed";
      readonly header: Tree;
      /** The file's bytes, from the text of the header. */
      readonly assemble: (header: string) => Uint8Array;
    };

/** A command line that succeeds, or fails for a known reason, with all its files. */
export interface ValidInput {
  /** Words of the command, such as `dram replay`. */
  readonly command: string;
  /** Named separately if a command has several valid inputs. */
  readonly name: string;
  /** The words after the command. File names are relative to the input's directory. */
  readonly words: readonly string[];
  readonly files: Readonly<Record<string, Document>>;
  /** Names among the words under which the program may leave files or directories. */
  readonly outputs: readonly string[];
  /** Further names that the program may choose for its files. */
  readonly own?: RegExp;
  /** The exit code that it ends with; 0 unless the fuzzer's processes lack a tool. */
  readonly code?: number;
  /** Relative frequency of the input; 1 unless it is slow or represents many. */
  readonly weight?: number;
}

/** The contents of an input's directory. */
export type Placed =
  | { readonly kind: "file"; readonly bytes: Uint8Array }
  | { readonly kind: "directory" | "fifo" | "null-device" | "full-device" | "loop" };

/** An input as it is run. */
export interface Input {
  readonly command: string;
  readonly name: string;
  readonly argv: readonly string[];
  readonly files: Readonly<Record<string, Placed>>;
  readonly outputs: readonly string[];
  readonly own: RegExp | null;
}

/** One change: its layer, and four numbers that choose position and kind. */
export interface Mutation {
  readonly layer: "document" | "text" | "bytes" | "place" | "words";
  readonly file: number;
  readonly kind: number;
  readonly at: number;
  readonly by: number;
  readonly also: number;
}
