// SPDX-License-Identifier: Apache-2.0
// The entry point `neardata/types`: TypeScript types of a unit's ports from its RTL, as text, as a file, and updated
// by a plug-in of vite. Arguments are checked.

import { z } from "zod";

import { asyncEntry, entry } from "../../base/entry.ts";
import { unitSource } from "../options.ts";
import * as declare from "./declare.ts";
import * as vite from "./vite.ts";

export type { UnitSource } from "../types.ts";
export type { TypedUnit, TypesPlugin } from "./vite.ts";

const typeName = z.string().regex(/^[A-Za-z_]\w*$/, { error: "this is not the name of a type." });
const typedUnit = unitSource.extend({ out: z.string(), name: typeName.optional() });

/**
 * The text of a module that exports the type of a unit, as the type argument of `openUnit`.
 * @throws NeardataError as `openUnit`; nothing is compiled
 */
export const unitTypes = asyncEntry(declare.unitTypes, {
  source: unitSource,
  name: typeName.optional(),
});

/** The name of the type of a module: `sparf_nfc_filter` becomes `SparfNfcFilter`. */
const nameOfType = entry(declare.typeName, { top: z.string().min(1) });
export { nameOfType as typeName };

/** Writes the types of a unit if they differ from the existing file. @returns whether they did */
export const writeTypes = asyncEntry(vite.writeTypes, { unit: typedUnit });

/** `plugins: [rtlTypes([{ top: "adder", sources: ["rtl"], out: "adder.ts" }])]`. */
export const rtlTypes = entry(vite.rtlTypes, { units: z.array(typedUnit) });
