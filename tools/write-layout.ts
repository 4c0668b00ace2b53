// SPDX-License-Identifier: Apache-2.0
// Writes the types of an addon's records and calls:   npx --no-install jiti tools/write-layout.ts ADDON FILE

import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import process from "node:process";

import { layoutMark } from "../src/native/layout-mark.ts";
import { layoutTypes, type AddonLayout } from "./layout-types.ts";

const [addon = "", file = ""] = process.argv.slice(2);
const { layout } = createRequire(import.meta.url)(resolve(addon)) as { layout: AddonLayout };
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${layoutMark()}\n${layoutTypes(layout)}`);
