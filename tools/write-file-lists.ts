// SPDX-License-Identifier: Apache-2.0
// Writes rtl/*.f and rtl/*.core:   npx --no-install jiti tools/write-file-lists.ts

import { writeFileSync } from "node:fs";

import { inRepository } from "../src/base/paths.ts";
import { fileLists } from "./file-lists.ts";

for (const [name, text] of fileLists()) writeFileSync(inRepository("rtl", name), text);
