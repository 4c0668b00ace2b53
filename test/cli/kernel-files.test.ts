// SPDX-License-Identifier: Apache-2.0
// `neardata run --kernel FILE`: a missing file, a file that does not load and a file without a kernel are errors.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cli, inTemporary } from "../helpers/cli.ts";

it.each([
  ["is missing", null, "there is no such file."],
  ["does not load", "throw new Error('no table');", "the kernel cannot be loaded: no table."],
  ["has no kernel", "export const x = 1;", "it exports no kernel of defineKernel."],
])("a file of --kernel that %s is an error", (_, text, message) =>
  inTemporary(async (directory) => {
    const file = join(directory, "kernel.ts");
    if (text !== null) writeFileSync(file, text);
    const { code, stderr } = await cli("run", "scenarios/cold-expert.yaml", "--kernel", file);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `neardata: ${file}: ${message}\n` });
  }),
);
