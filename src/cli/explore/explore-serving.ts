// SPDX-License-Identifier: Apache-2.0
// `neardata explore` on pools of a serving file: LLMShare's search for cost against a rate.

import { counted } from "../../base/format-value.ts";
import { dirname, relative, resolve } from "node:path";
import process from "node:process";
import { inputError, NeardataError } from "../../base/errors.ts";
import { hashOfValue } from "../../base/hash.ts";
import { version } from "../../base/version.ts";
import { parseYaml } from "../../base/yaml.ts";
import type { SweepStore } from "../../explore/store.ts";
import type { Compared, PoolDesign, PoolSearchResult } from "../../papers/serving/explore.ts";
import {
  type ExploreServingSpec,
  exploreServingOf,
  poolDesigns,
} from "../../papers/serving/explore-spec.ts";
import { readText } from "../../run/files.ts";
import { remark } from "../../run/remark.ts";
import { plotPackages, requirePackages } from "../options/packages.ts";
import type { ExecutorOptions } from "../options/executors.ts";
import { interruptible } from "../terminal/interrupt.ts";
import { printJson, printText } from "../terminal/output.ts";
import { readerNextTo, traceOf } from "./serving-files.ts";
import { checkStoreOutputs, defaultStore, withStore, writeStoreOutputs } from "./store-outputs.ts";
import type { StoreOutputs } from "./store-outputs.ts";
import { sweepLine } from "./sweep-line.ts";
import { renderPage } from "../../report/html.ts";
import { runSweep } from "../../explore/sweep.ts";
import { servingOf } from "../../papers/serving/spec.ts";

interface PoolOptions extends ExecutorOptions {
  readonly out?: string;
  readonly resume?: boolean;
  readonly json?: boolean;
}

/** Runs an exploration of pools. @throws NeardataError `bad-input` with every problem. */
export async function exploreServing(
  file: string,
  content: unknown,
  options: PoolOptions,
): Promise<void> {
  const { comparedOf, explorePools, legalDesigns, servingExecutor } =
    await import("../../papers/serving/explore.ts");
  if (options.executor !== "local" || options.workers !== undefined) {
    const where = options.executor === "local" ? "--workers" : "--executor";
    throw inputError(where, "designs of a serving file run one after the other in this process.");
  }
  const spec = exploreServingOf(file, content);
  const servingFile = resolve(dirname(file), spec.serving);
  const serving = parseYaml(servingFile, readText(servingFile));
  const read = readerNextTo(servingFile);
  const servingSpec = servingOf(servingFile, serving, read);
  const trace = await traceOf(servingSpec);
  const base = { file: servingFile, content: serving, read, spec: servingSpec, trace };
  const compared = comparedOf(file, spec, base);
  const out = options.out ?? defaultStore(spec.name);
  const outputs = checkStoreOutputs(out, [], [file, servingFile, ...(trace ? [trace.file] : [])]);
  const learns = spec.search === undefined ? [] : (["@jax-js/jax"] as const);
  requirePackages("@duckdb/node-api", ...learns, ...plotPackages);
  const { designs, refused } = legalDesigns(base, poolDesigns(spec));
  remark(`${String(designs.length)} designs are legal, ${String(refused)} are not.`);
  await withStore(outputs, 2, async (store) => {
    const identity = {
      name: spec.name,
      hash: hashOfValue({ spec, own: servingSpec, requests: trace?.requests ?? null }),
      points: designs.length,
      versions: { neardata: version, node: process.versions.node },
    };
    const known = new Set(await store.claim(identity, options.resume === true));
    const executor = servingExecutor(base, compared);
    const context = { file: servingFile, scenario: serving, fidelity: null };
    const result = await interruptible(async (signal) => {
      const poolSearchResult = await explorePools({
        spec,
        base,
        designs,
        compared,
        metrics: () => store.metrics(),
        evaluate: async (points) => {
          const line = sweepLine(spec.name);
          await runSweep(points, {
            done: known,
            context,
            executor,
            store,
            onProgress: line,
            signal,
          });
          if (signal.aborted) {
            const message = `the exploration was stopped; ${out} has the finished designs (--resume continues).`;
            throw new NeardataError("cancelled", message);
          }
          for (const { index } of points) known.add(index);
        },
      });
      return poolSearchResult;
    });
    await finish({
      spec,
      store,
      outputs,
      compared,
      result: { ...result, refused },
      json: options.json === true,
    });
  });
}

interface FinishedSearch {
  readonly spec: ExploreServingSpec;
  readonly store: SweepStore;
  readonly outputs: StoreOutputs;
  readonly compared: Compared;
  readonly result: PoolSearchResult & { readonly refused: number };
  readonly json: boolean;
}

async function finish({
  spec,
  store,
  outputs,
  compared,
  result,
  json,
}: FinishedSearch): Promise<void> {
  const { sweepSections } = await import("../../explore/page.ts");
  const { simulated, front, unfit, refused } = result;
  const { out, page } = outputs;
  const objectives = [
    { metric: `serving.${compared.cost}` },
    { metric: `serving.${compared.rate}`, largest: true },
  ];
  const counts =
    `${counted(simulated.length, "design")} simulated, ${String(front.length)} of them Pareto-optimal in ` +
    `${compared.cost} and ${compared.rate}; ${String(unfit.length)} cannot serve the requests`;
  const html = renderPage({
    title: `Exploration ${spec.name}`,
    lead: `${counts}; ${String(refused)} combinations break a rule of serving files.`,
    provenance: [
      ["serving file", spec.serving],
      ["rates", "simulation of the requests (measured)"],
      ["config hash", hashOfValue(spec)],
    ],
    sections: sweepSections({ objectives }, await store.points(), await store.metrics()),
  });
  await writeStoreOutputs(store, outputs, html);
  if (json) {
    printJson({ name: spec.name, compared, ...result, results: out, report: page.path });
    return;
  }
  const unit = compared.rate === "tokenRate" ? "tokens/s" : "requests/s";
  const line = ({ cost, rate, settings }: PoolDesign): string => {
    const price = compared.cost === "cost" ? `${cost.toFixed(0)} $` : counted(cost, "device");
    return `  ${price.padStart(12)}  ${rate.toPrecision(4)} ${unit}  ${JSON.stringify(settings)}`;
  };
  printText(
    [
      `${spec.name}: ${counts}.`,
      ...front.map(line),
      `results: ${relative(process.cwd(), resolve(out))}`,
      `report: ${relative(process.cwd(), resolve(page.path))}`,
    ].join("\n"),
  );
}
