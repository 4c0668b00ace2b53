// SPDX-License-Identifier: Apache-2.0
// `neardata report`: shows a finished run on the terminal, or compares several runs on a page. It
// refuses results that were changed after the run, and results whose page, timeline or waveform was
// changed.

import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import process from "node:process";
import type { Command } from "commander";
import { inputError, NeardataError } from "../../base/errors.ts";
import { checkOutput } from "../../base/files/output.ts";
import type { NamedRun } from "../../report/compare.ts";
import { type SavedRun, parseSavedRun } from "../../report/saved/saved.ts";
import { readText } from "../../run/files.ts";
import { printJson, printText } from "../terminal/output.ts";
import { remark } from "../../run/remark.ts";
import { example } from "../options/help.ts";
import { fileChanges } from "../../report/saved/digests.ts";
import { renderPage } from "../../report/html.ts";
import { plainTable } from "../../report/text.ts";

interface ReportOptions {
  readonly out?: string;
  readonly json?: boolean;
}

export function register(command: Command): void {
  command
    .argument("<directory...>", "Run directories; the first is the baseline.")
    .option("--out <file>", "Write the page of a comparison here (default: compare.html).")
    .option("--json", "Print the tables as JSON and write no page.")
    .addHelpText("after", example("neardata report runs/before runs/after --out compare.html"))
    .action(report);
}

async function report(directories: readonly string[], options: ReportOptions): Promise<void> {
  rejectUnusedOut(directories, options);
  const out = options.out ?? "compare.html";
  const output =
    options.json === true || directories.length === 1
      ? null
      : checkOutput("--out", out, directories.flatMap(filesOfRun));
  const runs = await readRuns(directories);
  const { comparePage } = await import("../../report/compare.ts");
  const page = comparePage(runs);
  const tables = page.sections.flatMap((s) => s.blocks.filter((b) => b.kind === "table"));
  if (options.json === true) {
    printJson({
      runs: runs.map(({ name, run }) => ({ name, ...run, cases: undefined })),
      tables: tables.map(({ id, rows }) => ({ id, rows })),
    });
    return;
  }
  const [only] = directories;
  if (output === null && only !== undefined) {
    const text = tables.filter((t) => t.id !== "run-table").map(plainTable);
    printText(`${page.lead}\n\n${text.join("\n\n")}\n\nreport: ${join(only, "report.html")}`);
    return;
  }
  output?.write(renderPage(page));
  const shown = tables.filter((t) => t.id !== "numbers-all").map(plainTable);
  const path = relative(process.cwd(), resolve(out));
  printText(`${page.lead}\n\n${shown.join("\n\n")}\n\nreport: ${path}`);
}

/** @throws NeardataError `bad-input` where no page is written */
function rejectUnusedOut(directories: readonly string[], { out, json }: ReportOptions): void {
  if (out === undefined) return;
  if (json === true) throw inputError("--out", "with --json no page is written.");
  if (directories.length > 1) return;
  throw inputError("--out", "the page of a single run is report.html in its directory.");
}

/** All runs, or every reason why not. */
async function readRuns(directories: readonly string[]): Promise<readonly NamedRun[]> {
  const names = namesOf(directories);
  const issues: NeardataError["issues"][number][] = [];
  const runs: NamedRun[] = [];
  for (const [i, directory] of directories.entries()) {
    try {
      runs.push({ name: names[i] ?? directory, run: await readRun(directory) });
    } catch (error) {
      if (!(error instanceof NeardataError)) throw error;
      issues.push(...error.issues);
    }
  }
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  return runs;
}

/** @throws NeardataError `bad-input` if the results or a file of the directory were changed */
async function readRun(directory: string): Promise<SavedRun> {
  const file = resultsFile(directory);
  const run = parseSavedRun(file, readText(file));
  const { changed, missing } = await fileChanges(directory, run.files);
  for (const name of missing) remark(`${join(directory, name)}: the run wrote it; it is gone.`);
  if (changed.length === 0) return run;
  const message =
    "this is not the file that the run wrote, or it cannot be read: results.json has another hash.";
  const issues = changed.map((name) => ({ where: join(directory, name), message }));
  throw new NeardataError("bad-input", issues);
}

function resultsFile(directory: string): string {
  if (!existsSync(directory)) throw inputError(directory, "there is no such directory.");
  if (!statSync(directory).isDirectory()) throw inputError(directory, "this is not a directory.");
  const file = join(directory, "results.json");
  if (!existsSync(file)) {
    throw inputError(directory, "there is no results.json in it: no run was finished here.");
  }
  return file;
}

/** The files of a run; a page of several runs does not replace the page of one. */
function filesOfRun(directory: string): readonly string[] {
  return ["results.json", "report.html", "timeline.json"].map((name) => join(directory, name));
}

/** The last part of each path, or the whole path where two are alike. */
function namesOf(directories: readonly string[]): readonly string[] {
  const short = directories.map((d) => basename(resolve(d)));
  return directories.map((d, i) => {
    const summary = short[i] ?? d;
    if (short.filter((s) => s === summary).length === 1) return summary;
    return join(basename(dirname(resolve(d))), summary);
  });
}
