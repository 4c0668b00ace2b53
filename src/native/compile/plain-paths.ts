// SPDX-License-Identifier: Apache-2.0
// Paths for makefiles. GNU make interprets a blank as the end of a name, a `$` as a variable and a `#` as a
// comment, and Verilator writes paths into its makefile unchanged. Therefore such a path gets a link with a
// plain name in the working directory of make.

import { symlinkSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";

const plain = /^[\w./+@,-]+$/;

/** Names of paths relative to one working directory. */
export interface PlainPaths {
  /** A file or a directory: its path, or that of a link to it. */
  readonly of: (path: string) => string;
}

export function plainPaths(work: string): PlainPaths {
  const known = new Map<string, string>();
  const linked = (path: string): string => {
    const link = known.get(path);
    if (link !== undefined) return link;
    const name = `at-${known.size}${extname(path).replace(/[^\w.]/g, "")}`;
    symlinkSync(path, join(work, name));
    known.set(path, name);
    return name;
  };
  return {
    of: (path) => {
      if (plain.test(path)) return path;
      // A link to the directory, if that suffices: tools then find the other files of the
      // directory, too.
      const name = basename(path);
      return plain.test(name) && extname(name) !== ""
        ? join(linked(dirname(path)), name)
        : linked(path);
    },
  };
}
