// SPDX-License-Identifier: Apache-2.0
// `neardata sweep`: runs every point of a sweep file into one DuckDB file and draws its page.
// --resume continues a killed sweep. Exit code 1 if a point failed; its row has the reason.

import { counted } from "../../base/format-value.ts";
import { dirname, relative, resolve } from "node:path";
import process from "node:process";
import type { Command } from "commander";
import { NeardataError, type Issue } from "../../base/errors.ts";
import {
  type SweepSpec,
  parseSweep,
  pointsOf,
  settingNames,
  sweepHash,
} from "../../explore/spec.ts";
import type { SweepStore } from "../../explore/store.ts";
import { type SweepSummary, runSweep } from "../../explore/sweep.ts";
import { plotPackages, requirePackages } from "../options/packages.ts";
import { addExecutorOptions, checkExecutorOptions, executorOf } from "../options/executors.ts";
import type { ExecutorOptions } from "../options/executors.ts";
import { readText } from "../../run/files.ts";
import { collect, inputPath } from "../options/options.ts";
import { interruptible } from "../terminal/interrupt.ts";
import { failCheck, printJson, printText } from "../terminal/output.ts";
import {
  checkStoreOutputs,
  defaultStore,
  withStore,
  writeStoreOutputs,
} from "../explore/store-outputs.ts";
import type { StoreOutputs } from "../explore/store-outputs.ts";
import { sweepLine } from "../explore/sweep-line.ts";
import { version } from "../../base/version.ts";
import { example } from "../options/help.ts";
import { renderPage } from "../../report/html.ts";
import { parseYaml } from "../../base/yaml.ts";
import { checkMetricNames } from "../../explore/table.ts";
import { checkEveryPoint, checkSettings } from "../../explore/settings-issues.ts";

interface SweepOptions extends ExecutorOptions {
  readonly out?: string;
  readonly resume?: boolean;
  readonly export: readonly string[];
  readonly json?: boolean;
}

export function register(command: Command): void {
  command
    .argument("<spec>", "A sweep file (YAML).", inputPath)
    .option(
      "--out <file>",
      "The results, a DuckDB file (default: NAME.duckdb, in the directory runs if it exists).",
    )
    .option("--resume", "Continue with the points that the results lack.")
    .option(
      "--export <file>",
      "Also write one row per point, as .csv or .parquet; repeatable.",
      collect,
      [],
    )
    .option("--json", "Print the summary as JSON.")
    .addHelpText(
      "after",
      example("neardata sweep scenarios/sweep-formats.yaml --export formats.csv"),
    )
    .action(sweep);
  addExecutorOptions(command);
}

async function sweep(file: string, options: SweepOptions): Promise<void> {
  const spec = parseSweep(file, readText(file));
  checkSettings(file, settingNames(spec));
  const asked = (spec.objectives ?? []).map(({ metric }) => metric);
  checkMetricNames(`${file}: objectives`, asked);
  const scenarioFile = resolve(dirname(file), spec.scenario);
  const text = readText(scenarioFile);
  const out = options.out ?? defaultStore(spec.name);
  checkOptions(options);
  const outputs = checkStoreOutputs(out, options.export, [file, scenarioFile]);
  const points = pointsOf(spec);
  const scenario = parseYaml(scenarioFile, text);
  checkEveryPoint(scenarioFile, scenario, points);
  requirePackages("@duckdb/node-api", ...plotPackages);
  await withStore(outputs, 1, async (store) => {
    const identity = {
      name: spec.name,
      hash: sweepHash(spec, text),
      points: points.length,
      versions: { neardata: version, node: process.versions.node },
    };
    const resume = options.resume === true;
    const executor = executorOf(options, {
      spool: `${resolve(out).replace(/\.duckdb$/, "")}.slurm`,
      identity: JSON.stringify([identity.hash, identity.versions]),
      resume,
    });
    const done = await store.claim(identity, resume);
    const context = {
      file: scenarioFile,
      scenario,
      fidelity: spec.fidelity ?? null,
    };
    const summary = await interruptible((signal) =>
      runSweep(points, {
        done,
        context,
        executor,
        store,
        onProgress: sweepLine(spec.name),
        signal,
      }).then((s) => {
        if (signal.aborted) {
          const message = `the sweep was stopped; ${out} has what was done (--resume goes on).`;
          throw new NeardataError("cancelled", message);
        }
        return s;
      }),
    );
    await finish(spec, store, outputs, summary, options.json === true);
  });
}

async function finish(
  spec: SweepSpec,
  store: SweepStore,
  outputs: StoreOutputs,
  summary: SweepSummary,
  json: boolean,
): Promise<void> {
  const { sharesText, sweepPage } = await import("../../explore/page.ts");
  const outcomes = await store.outcomes();
  const { out, page } = outputs;
  const html = renderPage(sweepPage(spec, await store.points(), await store.metrics(), summary));
  await writeStoreOutputs(store, outputs, html);
  if (json) {
    printJson({ name: spec.name, outcomes, ...summary, results: out, report: page.path });
  } else {
    const counts = Object.entries(outcomes).map(([name, n]) => `${String(n)} ${name}`);
    printText(
      `${spec.name}: ${counts.join(", ")}\n` +
        `${counted(summary.ran, "point")} in ${summary.seconds.toFixed(1)} s (measured)` +
        `${sharesText(summary)}\n` +
        `results: ${relative(process.cwd(), resolve(out))}\n` +
        `report: ${relative(process.cwd(), resolve(page.path))}`,
    );
  }
  if (Object.keys(outcomes).some((name) => name !== "completed")) failCheck();
}

/** @throws NeardataError `bad-input` with every option that is wrong. */
function checkOptions(options: SweepOptions): void {
  const issues: Issue[] = [...checkExecutorOptions(options)];
  for (const file of options.export) {
    if (/\.(csv|parquet)$/.test(file)) continue;
    issues.push({ where: "--export", message: `${file} ends neither in .csv nor in .parquet.` });
  }
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
}
