// SPDX-License-Identifier: Apache-2.0
// `neardata coverage`: joins what the models of a test run counted (NEARDATA_COVERAGE) to a page.
// Exit code 1 when a line or a cover point was never reached and has no reason, or when a
// waiver outlived its reason.

import { existsSync, readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import process from "node:process";
import type { Command } from "commander";
import { type CoveragePoint, addPoints } from "../../../tools/coverage/points.ts";
import { type Coverage, summarise } from "../../../tools/coverage/summary.ts";
import { inputError } from "../../../base/errors.ts";
import { checkOutput } from "../../../base/files/output.ts";
import { inRepository } from "../../../base/paths.ts";
import { readText } from "../../../run/files.ts";
import { failCheck, printJson, printText } from "../../terminal/output.ts";
import { version } from "../../../base/version.ts";
import { example } from "../../options/help.ts";
import { parseWaivers } from "../../../tools/coverage/waivers.ts";
import { renderPage } from "../../../report/html.ts";
import { percent, coveragePage } from "../../../tools/coverage/page.ts";

interface CoverageOptions {
  readonly out?: string;
  readonly waivers: string;
  readonly json?: boolean;
}

export function register(command: Command): void {
  command
    .argument("<directory>", "The directory with the counts that models wrote.")
    .option("--out <file>", "Write the page here (default: coverage.html).")
    .option(
      "--waivers <file>",
      "Waivers, each with its reason.",
      inRepository("rtl", "lint", "coverage.txt"),
    )
    .option("--json", "Print the shares as JSON and write no page.")
    .addHelpText("after", example("neardata coverage build/coverage --out coverage.html"))
    .action(cover);
}

function cover(directory: string, options: CoverageOptions): void {
  const { out = "coverage.html" } = options;
  if (options.json === true && options.out !== undefined) {
    throw inputError("--out", "with --json no page is written.");
  }
  const output = options.json === true ? null : checkOutput("--out", out, [options.waivers]);
  const coverage = readCoverage(directory, options.waivers);
  const open = coverage.misses.filter((m) => m.reason === null);
  if (output === null) {
    const { files, quiet, total } = coverage;
    printJson({ total, files, open: open.map((m) => m.point), quiet });
  } else {
    const page = coveragePage(coverage, [["neardata", version]]);
    output.write(renderPage(page));
    const files = coverage.files
      .filter((f) => f.file.startsWith("rtl/"))
      .map((f) => `${percent(f.shares.line).toFixed(1).padStart(6)} %  ${f.file}`);
    const places = open.map(
      ({ point, source }) =>
        `never reached: ${point.file}:${String(point.line)}: ${source || point.what}`,
    );
    const stale = coverage.stale.map((w) => `${w.at}: this waiver waives nothing.`);
    const path = relative(process.cwd(), resolve(out));
    printText([...files, ...places, ...stale, page.lead, `report: ${path}`].join("\n"));
  }
  if (open.length > 0 || coverage.stale.length > 0) failCheck();
}

function readCoverage(directory: string, waiverFile: string): Coverage {
  if (!existsSync(directory)) throw inputError(directory, "there is no such directory.");
  const names = readdirSync(directory).filter((name) => name.endsWith(".dat"));
  if (names.length === 0) throw inputError(directory, "there are no coverage counts (.dat) in it.");
  const points = new Map<string, CoveragePoint>();
  for (const name of names) {
    addPoints(points, name, readText(join(directory, name)), inRepository());
  }
  const sources = new Map<string, readonly string[]>();
  return summarise(
    [...points.values()],
    parseWaivers(waiverFile, readText(waiverFile)),
    (file, line) => {
      const known = sources.get(file) ?? readText(inRepository(file)).split("\n");
      sources.set(file, known);
      return known.at(line - 1) ?? "";
    },
  );
}
