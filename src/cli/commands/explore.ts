// SPDX-License-Identifier: Apache-2.0
// `neardata explore`: searches the parameters of our own hardware for the designs that no other
// beats in time and area, and runs those on the RTL. Exit code 1 when one of them differs there.
// A file with the key `serving` searches pools of servers.

import { counted } from "../../base/format-value.ts";
import { dirname, relative, resolve } from "node:path";
import process from "node:process";
import type { Command } from "commander";
import { NeardataError } from "../../base/errors.ts";
import { plotPackages, requirePackages } from "../options/packages.ts";
import { addExecutorOptions, checkExecutorOptions, executorOf } from "../options/executors.ts";
import type { ExecutorOptions } from "../options/executors.ts";
import { readText } from "../../run/files.ts";
import { inputPath } from "../options/options.ts";
import { interruptible } from "../terminal/interrupt.ts";
import { failCheck, printJson, printText } from "../terminal/output.ts";
import { remark } from "../../run/remark.ts";
import {
  checkStoreOutputs,
  defaultStore,
  withStore,
  writeStoreOutputs,
} from "../explore/store-outputs.ts";
import type { StoreOutputs } from "../explore/store-outputs.ts";
import { sweepLine } from "../explore/sweep-line.ts";
import { version } from "../../base/version.ts";
import { type ExploreSpec, parseExplore, designsOf } from "../../explore/explore-spec.ts";
import type { ExploreResult } from "../../explore/explore.ts";
import type { SweepStore } from "../../explore/store.ts";
import { example } from "../options/help.ts";
import { renderPage } from "../../report/html.ts";
import { exploreServing } from "../explore/explore-serving.ts";
import { exploresServing } from "../../papers/serving/explore-spec.ts";
import { hashOfValue } from "../../base/hash.ts";
import { areasOf, buildable } from "../explore/design-area.ts";
import { parseYaml } from "../../base/yaml.ts";
import { checkMetricNames } from "../../explore/table.ts";
import { checkEveryPoint, checkSettings } from "../../explore/settings-issues.ts";

interface ExploreOptions extends ExecutorOptions {
  readonly out?: string;
  readonly resume?: boolean;
  readonly json?: boolean;
}

export function register(command: Command): void {
  command
    .argument("<spec>", "An exploration file (YAML).", inputPath)
    .option(
      "--out <file>",
      "The results, a DuckDB file (default: NAME.duckdb, in the directory runs if it exists).",
    )
    .option("--resume", "Continue with the points that the results lack.")
    .option("--json", "Print the result as JSON.")
    .addHelpText(
      "after",
      example("neardata explore scenarios/explore-ndp.yaml --out runs/ndp.duckdb"),
    )
    .action(run);
  addExecutorOptions(command);
}

async function run(file: string, options: ExploreOptions): Promise<void> {
  const { explore, limitIds } = await import("../../explore/explore.ts");
  const issues = checkExecutorOptions(options);
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  const given = readText(file);
  if (exploresServing(parseYaml(file, given))) {
    return exploreServing(file, parseYaml(file, given), options);
  }
  const spec = parseExplore(file, given);
  checkSettings(file, Object.keys(spec.space));
  checkMetricNames(`${file}: atMost`, Object.keys(spec.atMost ?? {}), limitIds);
  const { atMost: _judged, ...searched } = spec;
  const scenarioFile = resolve(dirname(file), spec.scenario);
  const text = readText(scenarioFile);
  const scenario = parseYaml(scenarioFile, text);
  const out = options.out ?? defaultStore(spec.name);
  const outputs = checkStoreOutputs(out, [], [file, scenarioFile]);
  requirePackages("@duckdb/node-api", "@jax-js/jax", ...plotPackages);
  const space = designsOf(spec);
  checkEveryPoint(
    scenarioFile,
    scenario,
    space.map((settings) => ({ settings })),
  );
  const { designs, refused } = buildable(scenarioFile, scenario, space);
  remark(`${String(designs.length)} designs can be built, ${String(refused)} cannot.`);
  const areas = await areasOf(spec.unit, scenarioFile, scenario, designs);
  // An invalid limit is detected after the run of the scenario's own design.
  await withStore(outputs, 2, async (store) => {
    const identity = {
      name: spec.name,
      hash: hashOfValue({ spec: searched, scenario: text }),
      points: designs.length,
      versions: { neardata: version, node: process.versions.node },
    };
    const resume = options.resume === true;
    const executor = executorOf(options, {
      spool: `${resolve(out).replace(/\.duckdb$/, "")}.slurm`,
      identity: JSON.stringify([identity.hash, identity.versions]),
      resume,
    });
    const done = await store.claim(identity, resume);
    const result = await interruptible((signal) =>
      explore({
        spec,
        designs,
        executor,
        store,
        done,
        signal,
        areas: areas.values,
        areaUnit: areas.unit,
        context: { file: scenarioFile, scenario, fidelity: null },
        onProgress: sweepLine(spec.name),
      }).then((r) => {
        if (!signal.aborted) return r;
        const message = `the exploration was stopped; ${out} has what was done (--resume goes on).`;
        throw new NeardataError("cancelled", message);
      }),
    );
    await finish({
      spec,
      store,
      outputs,
      result,
      space: { refused, ...areas },
      json: options.json === true,
    });
  });
}

interface FinishedSearch {
  readonly spec: ExploreSpec;
  readonly store: SweepStore;
  readonly outputs: StoreOutputs;
  readonly result: ExploreResult;
  readonly space: { readonly refused: number; readonly unit: string; readonly note: string };
  readonly json: boolean;
}

/** The area of a design; in brackets with memories at their least and at their most. */
function areaText({ area, band }: ExploreResult["front"][number], unit: string): string {
  const range = band === null ? "" : ` (${band.low.toFixed(4)} to ${band.high.toFixed(4)})`;
  return `${area.toFixed(4)} ${unit}${range}`;
}

async function finish({
  spec,
  store,
  outputs,
  result,
  space,
  json,
}: FinishedSearch): Promise<void> {
  const { explorePage, finding } = await import("../../explore/explore-page.ts");
  const { out, page } = outputs;
  const metrics = await store.metrics();
  const html = renderPage(explorePage(spec, await store.points(), metrics, result, space));
  await writeStoreOutputs(store, outputs, html);
  if (json) printJson({ name: spec.name, ...result, results: out, report: page.path });
  else {
    const line = (d: ExploreResult["front"][number]): string =>
      `  ${areaText(d, space.unit)}  ${d.time.toFixed(3)} us  ${JSON.stringify(d.settings)}`;
    printText(
      [
        `${spec.name}: ${counted(result.simulated.length, "design")} simulated, ` +
          `${String(result.front.length)} that no other beats:`,
        ...result.front.map(line),
        finding(result, space.unit),
        ...result.verified.map((v) => `RTL of design ${String(v.design)}: ${v.detail}`),
        `results: ${relative(process.cwd(), resolve(out))}`,
        `report: ${relative(process.cwd(), resolve(page.path))}`,
      ].join("\n"),
    );
  }
  if (result.verified.some((v) => !v.pass)) failCheck();
}
