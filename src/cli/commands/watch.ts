// SPDX-License-Identifier: Apache-2.0
// `neardata watch`: runs a scenario, and repeats the run after a change of the scenario, its unit,
// neardata's RTL or its program; prints the changed numbers. Each run is a separate process, so that it
// has the changed program.

import { existsSync, watch as watchPath, type FSWatcher } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import process from "node:process";
import type { Command } from "commander";
import type { CustomUnit } from "../../native/custom-unit-choice.ts";
import { NeardataError } from "../../base/errors.ts";
import { inRepository } from "../../base/paths.ts";
import { changeLines, type WatchedRun } from "../../report/change-lines.ts";
import { runNeardata } from "../child.ts";
import { readText } from "../../run/files.ts";
import { interruptible } from "../terminal/interrupt.ts";
import { fidelityOption, inputPath, wholeNumber } from "../options/options.ts";
import { printText } from "../terminal/output.ts";
import { remark } from "../../run/remark.ts";
import { example } from "../options/help.ts";
import { tmpdir } from "node:os";
import { mkdtemp, rm } from "node:fs/promises";
import { resolveConfig } from "../../scenario/resolve.ts";
import { parseScenario } from "../../scenario/parse.ts";

interface WatchOptions {
  readonly fidelity?: string;
  readonly runs?: number;
  readonly area: boolean;
}

export function register(command: Command): void {
  command
    .argument("<scenario>", "A scenario file (YAML).", inputPath)
    .addOption(fidelityOption("The fidelity, in place of the key of the scenario."))
    .option("--runs <n>", "Stop after n runs.", wholeNumber("--runs", 1, 1_000_000))
    .option("--no-area", "Do not synthesize changed modules.")
    .addHelpText("after", example("neardata watch scenarios/cold-expert.yaml --fidelity cycle"))
    .action(watchScenario);
}

async function watchScenario(file: string, options: WatchOptions): Promise<void> {
  const scenario = parseScenario(file, readText(file));
  const { ownUnit, ownEngine } = resolveConfig(file, scenario, {});
  const overlay = scenario.rtl === undefined ? null : resolve(dirname(file), scenario.rtl);
  await interruptible(async (signal) => {
    const changes = changesOf(placesOf(file, [ownUnit, ownEngine]), signal);
    try {
      const before = new Map<string, number>();
      let last: WatchedRun | null = null;
      for (let run = 0; run !== options.runs; run += 1) {
        const changed = run === 0 ? [] : await changes.next();
        const began = performance.now();
        const watchedRun = await runOnce(file, options.fidelity, signal);
        const seconds = `${((performance.now() - began) / 1000).toFixed(1)} s`;
        const why = changed.map((path) => relative(process.cwd(), path)).join(", ");
        printText(
          `${run === 0 ? file : why}: ${changeLines(last, watchedRun).join("\n  ")} (${seconds})`,
        );
        last = watchedRun ?? last;
        if (options.area) await sayAreas(changed, before, overlay, signal);
      }
    } finally {
      changes.close();
    }
  });
}

/** Files and directories whose changes can change the result. */
function placesOf(file: string, customUnits: readonly (CustomUnit | null)[]): readonly string[] {
  const units = customUnits.flatMap((unit) => (unit === null ? [] : [unit.directory]));
  const ours = [inRepository("rtl"), inRepository("build", "js")];
  return [resolve(file), ...units, ...ours].filter((path) => existsSync(path));
}

/** Null if the run ended with an error, which the run has reported. */
async function runOnce(
  file: string,
  fidelity: string | undefined,
  signal: AbortSignal,
): Promise<WatchedRun | null> {
  const directory = await mkdtemp(resolve(tmpdir(), "neardata-watch-"));
  try {
    const out = resolve(directory, "run");
    const rung = fidelity === undefined ? [] : ["--fidelity", fidelity];
    const args = ["run", file, "--json", "--out", out, ...rung];
    const { stdout } = await runNeardata(args, signal);
    if (signal.aborted) throw new NeardataError("cancelled", "watching was stopped.");
    const document = JSON.parse(stdout) as WatchedRun & { readonly outcome: string };
    return document.outcome === "error" ? null : document;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Prints the area of changed modules, and their previous area. */
async function sayAreas(
  changed: readonly string[],
  before: Map<string, number>,
  overlay: string | null,
  signal: AbortSignal,
): Promise<void> {
  const sources = changed.filter((path) => path.endsWith(".sv") && !path.endsWith("_pkg.sv"));
  for (const path of sources) {
    const module = basename(path, ".sv");
    const rtl = overlay !== null && dirname(path) === overlay ? ["--rtl", overlay] : [];
    const { code, stdout } = await runNeardata(
      ["area", module, "--target", "asic", "--json", ...rtl],
      signal,
    );
    if (code !== 0) {
      remark(`${module}: its area is not known (neardata area ${module} says why).`);
      continue;
    }
    const { totals } = JSON.parse(stdout) as { totals: { areaMm2: { total: number } } };
    const area = totals.areaMm2.total;
    const was = before.get(module);
    before.set(module, area);
    const text = was === undefined ? "" : `, was ${was.toFixed(6)}`;
    printText(`  area of ${module}: ${area.toFixed(6)} mm2${text}`);
  }
}

interface Changes {
  /** The changed files, once no further change has followed for a moment. */
  readonly next: () => Promise<readonly string[]>;
  readonly close: () => void;
}

/** Editors write a file in several steps, and several files at a time. */
const settleMs = 200;

/** Watches files and folders until it is closed. */
export function changesOf(places: readonly string[], signal: AbortSignal): Changes {
  const changed = new Set<string>();
  let wake: () => void = () => undefined;
  const watchers: FSWatcher[] = places.map((place) => {
    const isFile = /\.ya?ml$/.test(place);
    // The replacement of a file by an editor is an event of its directory.
    const folder = isFile ? dirname(place) : place;
    return watchPath(folder, { recursive: !isFile }, (_, name) => {
      const path = resolve(folder, name ?? "");
      const counts = isFile ? path === place : /\.(?:sv|svh|vlt|yaml|js|ts)$/.test(path);
      if (!counts || basename(path).startsWith(".")) return;
      changed.add(path);
      wake();
    });
  });
  return {
    next: async () => {
      if (changed.size === 0 && !signal.aborted) {
        await new Promise<void>((go) => {
          wake = go;
          signal.addEventListener("abort", () => {
            go();
          });
        });
      }
      if (signal.aborted) throw new NeardataError("cancelled", "watching was stopped.");
      await new Promise((go) => setTimeout(go, settleMs));
      const all = [...changed];
      changed.clear();
      return all;
    },
    close: () => {
      for (const watcher of watchers) watcher.close();
    },
  };
}
