// SPDX-License-Identifier: Apache-2.0
// Optional packages (`npm install --omit=optional`), and the commands that need them. A module that imports one is
// loaded on demand, so that all other commands work without it.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { NeardataError } from "../../base/errors.ts";
import { inRepository } from "../../base/paths.ts";
import type { Requirement } from "../../native/requirements.ts";

const purposes = {
  "@duckdb/node-api": "keeps the results of sweeps and explorations",
  "@jax-js/jax": "learns what explorations and LLMShare's searches try next",
  "@observablehq/plot": "draws the plots of pages",
  highs: "solves FlexGen's placement",
  linkedom: "draws the plots of pages",
} as const;

export type OptionalPackage = keyof typeof purposes;

/** Packages for plots. */
export const plotPackages = ["@observablehq/plot", "linkedom"] as const;

function isOptional(name: string): name is OptionalPackage {
  return name in purposes;
}

/** Every optional package as a line of `doctor`. */
export function packageFindings(): readonly Requirement[] {
  const names = Object.keys(purposes).filter(isOptional);
  const absent = absentOf(names);
  return names.map((name) => {
    const fits = !absent.includes(name);
    return {
      name,
      needed: false,
      status: fits ? "installed" : null,
      fits,
      purpose: purposes[name],
      howToGet: `npm install ${wantedOf(name)}`,
    };
  });
}

/** One sentence: the purpose of the package, and how to install it. */
export function absenceOf(name: string): string {
  const purpose = isOptional(name) ? purposes[name] : "is needed for this";
  return `the package ${name}, which ${purpose}, is not installed: npm install ${wantedOf(name)}`;
}

/** The package with the version of package.json. */
function wantedOf(name: string): string {
  const text = readFileSync(inRepository("package.json"), "utf8");
  const { optionalDependencies } = JSON.parse(text) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const version = optionalDependencies[name];
  return version === undefined ? name : `${name}@${version}`;
}

/** The packages that are not installed. */
export function absentOf(names: readonly OptionalPackage[]): readonly OptionalPackage[] {
  const { resolve } = createRequire(import.meta.url);
  return names.filter(
    (name) =>
      !(resolve.paths(name) ?? []).some((folder) => existsSync(join(folder, name, "package.json"))),
  );
}

/** Looked at before long work. @throws NeardataError `tool-missing` with every package that lacks */
export function requirePackages(...names: readonly OptionalPackage[]): void {
  const absent = absentOf(names);
  if (absent.length === 0) return;
  throw new NeardataError(
    "tool-missing",
    absent.map((name) => ({ where: "", message: absenceOf(name) })),
  );
}
