// SPDX-License-Identifier: Apache-2.0
// Verilator's own run time, the same for every model of a kind: compiled with the first, its objects
// are put beside the others', so that make finds them done.

import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { keep } from "../files/cache.ts";

/** Such as `verilated.o` and `verilated_fst_c.o`; a model's are `V<top>*.o`. */
const isRuntime = (name: string): boolean => /^verilated.*\.o$/.test(name);

/**
 * Runs `make` in `work`, which Verilator has filled, with the objects kept at `kept`; keeps those of
 * the first build there.
 */
export async function withRuntime(
  kept: string,
  work: string,
  make: () => Promise<void>,
): Promise<void> {
  if (existsSync(kept)) {
    await copyObjects(kept, work); // now, so that they are newer than what Verilator wrote
    await make();
    return;
  }
  await make();
  const fresh = join(work, "runtime");
  await mkdir(fresh);
  await copyObjects(work, fresh);
  keep(fresh, kept); // another builder may have been first
}

async function copyObjects(from: string, to: string): Promise<void> {
  const names = (await readdir(from)).filter(isRuntime);
  await Promise.all(names.map(async (name) => copyFile(join(from, name), join(to, name))));
}
