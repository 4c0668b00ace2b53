// SPDX-License-Identifier: Apache-2.0
// Draws docs/explanation/blocks-*.svg from the RTL sources:   npx --no-install jiti tools/draw-blocks.ts

import { writeFileSync } from "node:fs";

import { inRepository } from "../src/base/paths.ts";
import { blockDiagrams } from "./block-diagram.ts";

for (const [name, svg] of blockDiagrams())
  writeFileSync(inRepository("docs", "explanation", name), svg);
