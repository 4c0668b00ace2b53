// SPDX-License-Identifier: Apache-2.0
// A plug-in of vite, and so of vitest: keeps the types of units as their RTL has them, before tests run
// and when a source changes.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

import { makeDirectories } from "../../base/files/directories.ts";
import { buildOf } from "../source.ts";
import { unitTypes } from "./declare.ts";
import type { UnitSource } from "../types.ts";

/** A unit and the module that its types go to. */
export interface TypedUnit extends UnitSource {
  /** Relative to the unit's `from`. */
  readonly out: string;
  /** Of the type; default the name of the top. */
  readonly name?: string;
}

/** The interface of a plug-in of vite and rollup. */
export interface TypesPlugin {
  readonly name: string;
  readonly buildStart: (this: { addWatchFile?: (id: string) => void }) => Promise<void>;
  readonly watchChange: (id: string) => Promise<void>;
}

/** `plugins: [rtlTypes([{ top: "adder", sources: ["rtl"], out: "adder.ts" }])]`. */
export function rtlTypes(units: readonly TypedUnit[]): TypesPlugin {
  const writeAll = async (): Promise<void> => {
    for (const unit of units) await writeTypes(unit);
  };
  return {
    name: "neardata-rtl-types",
    async buildStart() {
      for (const unit of units) {
        for (const file of buildOf(unit).sources) this.addWatchFile?.(file);
      }
      await writeAll();
    },
    watchChange: async (id) => {
      if (/\.(?:sv|svh|v|vlt)$/.test(id)) await writeAll();
    },
  };
}

/** Writes the types of a unit if they differ from the existing file. @returns whether they did */
export async function writeTypes({ out, name, ...unit }: TypedUnit): Promise<boolean> {
  const text = await unitTypes(unit, name);
  const path = resolve(unit.from ?? ".", out);
  if (existsSync(path) && readFileSync(path, "utf8") === text) return false;
  makeDirectories(dirname(path));
  writeFileSync(path, text);
  return true;
}
