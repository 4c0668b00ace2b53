// SPDX-License-Identifier: Apache-2.0
// Where the program's own files lie, whether it runs from source (src/cli) or compiled
// (build/js/cli).

import { existsSync } from "node:fs";

/** The root of the repository, as a directory URL. */
export const repositoryRoot: URL = findRoot(new URL(".", import.meta.url));

function findRoot(from: URL): URL {
  if (existsSync(new URL("package.json", from))) return from;
  const parent = new URL("..", from);
  return parent.href === from.href ? from : findRoot(parent);
}
