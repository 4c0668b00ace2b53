// SPDX-License-Identifier: Apache-2.0
// Requests per second of an installed MQSim and of neardata, for the same trace of page reads on the same device
// (flash-trace.ts). The rounds alternate. The figures are valid only if both models simulated the same: MQSim must
// issue one read command for each request, and its shortest, mean and longest device response must be the latencies
// of neardata to within a microsecond. MQSim prints whole microseconds, and includes the transfers of its host
// interface.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { NeardataError } from "../../base/errors.ts";
import { temporaryDirectory } from "../../base/files/temporary.ts";
import { readJson } from "../../base/json.ts";
import { replayOnce, type LatencySummary } from "../../kernels/flash/replay.ts";
import { parseFacts } from "../../machine/flash/facts.ts";
import { loadFlash } from "../../native/flash-binding.ts";
import {
  asciiTraceOf,
  factsOf,
  mqsimDevice,
  mqsimWorkload,
  pageReads,
  traceDevice,
} from "./flash-trace.ts";
import { interleave, processorSeconds } from "./measure.ts";
import { mqsimPeer, runPeer } from "./peer.ts";
import { atLeast, type BenchFigure } from "./result.ts";

/** Microseconds of a latency by which the two models may differ. */
const tolerance = 1;
/** The aim of the rate of neardata, with the requests in memory, over the rate of MQSim. */
const leastSpeedUp = 5;

export interface MqsimOptions {
  readonly repeats: number;
  /** Requests of the trace. */
  readonly requests: number;
}

/** Results of MQSim about its single flow. Times in whole microseconds, rounded down. */
interface MqsimResult {
  readonly requests: number;
  readonly readCommands: number;
  readonly latency: Readonly<Record<LatencyName, number>>;
}

const latencyNames = ["min", "mean", "max"] as const;
type LatencyName = (typeof latencyNames)[number];

/**
 * Requests per second of MQSim end to end, of neardata end to end (from the text of a facts file), and of neardata
 * with the requests in memory.
 * @throws NeardataError `build-failed` if MQSim fails, `check-failed` if its results differ from neardata's
 */
export async function benchMqsim(
  path: string,
  { repeats, requests }: MqsimOptions,
): Promise<readonly BenchFigure[]> {
  const directory = temporaryDirectory("mqsim");
  try {
    const reads = pageReads(requests);
    const file = (name: string, text: string): string => {
      const place = join(directory.path, name);
      writeFileSync(place, text);
      return place;
    };
    const device = file("device.xml", mqsimDevice());
    const workload = file("load.xml", mqsimWorkload(file("reads.trace", asciiTraceOf(reads))));
    const results = join(directory.path, "load_scenario_1.xml");
    const text = JSON.stringify(factsOf(reads));
    const replayed = replayText(text);

    const mqsim = async (): Promise<number> => {
      rmSync(results, { force: true });
      const words = [path, "-i", device, "-w", workload];
      const { seconds } = await runPeer(mqsimPeer, words, directory.path);
      compare(readResult(results), replayed.latency, requests);
      return seconds;
    };
    const timed = (run: () => unknown) => async (): Promise<number> =>
      processorSeconds(async () => Promise.resolve(run()));
    const { medians, ratio } = await interleave(
      {
        mqsim,
        whole: timed(() => replayText(text)),
        inMemory: timed(() => replayOnce(loadFlash(), replayed.facts, traceDevice.arbitration)),
      },
      repeats,
    );
    const rate = (name: string, seconds: number): BenchFigure => ({
      name: `flash trace, ${name}`,
      value: requests / seconds,
      unit: "requests/s",
    });
    return [
      rate("MQSim end to end", medians.mqsim),
      rate("neardata end to end", medians.whole),
      rate("neardata with requests in memory", medians.inMemory),
      {
        name: "flash trace, MQSim / neardata end to end, time per request",
        value: ratio("mqsim", "whole"),
        unit: "ratio",
      },
      {
        name: "flash trace, MQSim / neardata with requests in memory, time per request",
        unit: "ratio",
        ...atLeast(ratio("mqsim", "inMemory"), leastSpeedUp),
      },
    ];
  } finally {
    directory.remove();
  }
}

function replayText(text: string): {
  readonly facts: ReturnType<typeof parseFacts>;
  readonly latency: LatencySummary;
} {
  const read = readJson(text);
  const facts = parseFacts(read.ok ? read.value : undefined);
  const outcome = replayOnce(loadFlash(), facts, traceDevice.arbitration);
  return { facts, latency: outcome.latency_ns };
}

/** Reads the result file of MQSim. Values that the file lacks are NaN. */
function readResult(file: string): MqsimResult {
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    const message = "MQSim ended without an error and wrote no results.";
    throw new NeardataError("check-failed", message, { cause });
  }
  const number = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? Number.NaN);
  return {
    requests: number(/<Request_Count>(\d+)</),
    readCommands: number(/Issued_Flash_Read_CMD="(\d+)"/),
    latency: {
      min: number(/<Min_Device_Response_Time>(\d+)</),
      mean: number(/<Device_Response_Time>(\d+)</),
      max: number(/<Max_Device_Response_Time>(\d+)</),
    },
  };
}

/** @throws NeardataError `check-failed` with every difference between the models */
function compare(result: MqsimResult, latency: LatencySummary, requests: number): void {
  const rows: readonly Compared[] = [
    { what: "requests", mqsim: result.requests, own: requests, most: 0 },
    { what: "read commands of the flash", mqsim: result.readCommands, own: requests, most: 0 },
    ...latencyNames.map((name) => ({
      what: `microseconds of the ${name} latency`,
      mqsim: result.latency[name],
      own: Math.floor(latency[name] / 1000),
      most: tolerance,
    })),
  ];
  const issues = rows
    .filter(({ mqsim, own, most }) => !(Math.abs(mqsim - own) <= most))
    .map(({ what, mqsim, own }) => ({
      where: what,
      message: `MQSim has ${String(mqsim)}, neardata has ${String(own)}`,
    }));
  if (issues.length > 0) throw new NeardataError("check-failed", issues);
}

/** A number of both models, and the difference that is allowed. */
interface Compared {
  readonly what: string;
  readonly mqsim: number;
  readonly own: number;
  readonly most: number;
}
