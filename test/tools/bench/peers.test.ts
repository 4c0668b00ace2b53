// SPDX-License-Identifier: Apache-2.0
// MQSim beside neardata, and how a peer is found: with substitutes of MQSim, and with an installed MQSim.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { temporaryDirectory, type TemporaryDirectory } from "../../../src/base/files/temporary.ts";
import { benchCocotb } from "../../../src/tools/bench/cocotb.ts";
import { pageReads, traceDevice } from "../../../src/tools/bench/flash-trace.ts";
import { benchMqsim } from "../../../src/tools/bench/mqsim.ts";
import { cocotbPeer, mqsimPeer, peerPath, runPeer } from "../../../src/tools/bench/peer.ts";
import { benchRows, rowNamed, type BenchRows } from "../../../src/tools/bench/rows.ts";
import type { BenchFigure } from "../../../src/tools/bench/result.ts";
import { needs } from "../../helpers/needs.ts";
import { rejection } from "../../helpers/rejection.ts";

let directory: TemporaryDirectory;
beforeEach(() => {
  directory = temporaryDirectory("peers-test");
});
afterEach(() => {
  vi.unstubAllEnvs();
  directory.remove();
});

/** Writes a shell script as a program. */
function program(name: string, script: string): string {
  const path = join(directory.path, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe("a peer", () => {
  it("is the program that its variable names", () => {
    const path = program("own-build", "");
    vi.stubEnv("MQSIM", path);
    expect(peerPath(mqsimPeer)).toBe(path);
  });

  it("is the first program of its name on PATH", () => {
    vi.stubEnv("MQSIM", "");
    const folder = join(directory.path, "MQSim");
    mkdirSync(folder);
    vi.stubEnv("PATH", `${directory.path}${delimiter}${folder}`);
    // A directory of this name is not a program.
    expect(() => peerPath(mqsimPeer)).toThrow(rejection("tool-missing", /MQSim is not installed/));
    writeFileSync(join(folder, "MQSim"), "");
    // Nor is a file that cannot be executed, also for root.
    expect(() => peerPath(mqsimPeer)).toThrow(rejection("tool-missing"));
    chmodSync(join(folder, "MQSim"), 0o755);
    expect(peerPath(mqsimPeer)).toBe(join(folder, "MQSim"));
  });

  it("is an error if its variable names no program", () => {
    vi.stubEnv("COCOTB_CONFIG", directory.path);
    expect(() => peerPath(cocotbPeer)).toThrow(
      rejection("tool-missing", /COCOTB_CONFIG names .*, which is not a program/),
    );
  });

  it("is timed by its processor time, without the time that it waits", async () => {
    const busy = program("busy", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo done");
    const idle = program("idle", "sleep 0.3; echo done");
    const run = async (path: string): Promise<{ output: string; seconds: number }> =>
      runPeer(mqsimPeer, [path], directory.path);
    const [worked, waited] = [await run(busy), await run(idle)];
    expect(worked.output).toMatch(/^done\n/);
    expect(worked.seconds).toBeGreaterThan(0);
    expect(waited.seconds).toBeLessThan(0.2);
  });
});

describe("rows of the bench", () => {
  const figure: BenchFigure = { name: "figure", value: 1, unit: "ratio" };
  const rows: BenchRows = {
    alone: { measure: async () => Promise.resolve([figure]) },
    beside: {
      peer: mqsimPeer,
      measure: async (repeats, path) =>
        Promise.resolve([{ ...figure, name: `${path} ${String(repeats)}` }]),
    },
  };
  const measure = async (
    ...only: readonly string[]
  ): Promise<{ names: readonly string[]; skipped: readonly string[] }> => {
    const skipped: string[] = [];
    const onSkip = (sentence: string): void => {
      skipped.push(sentence);
    };
    const figures = await benchRows(rows, { repeats: 3, only, onSkip });
    return { names: figures.map(({ name }) => name), skipped };
  };

  it("run beside an installed peer", async () => {
    const path = program("MQSim", "");
    vi.stubEnv("MQSIM", path);
    expect(await measure()).toEqual({ names: ["figure", `${path} 3`], skipped: [] });
    expect(await measure("beside")).toEqual({ names: [`${path} 3`], skipped: [] });
  });

  it("are skipped with one line without their peer, and are an error if they are named", async () => {
    vi.stubEnv("MQSIM", "");
    vi.stubEnv("PATH", directory.path);
    const { names, skipped } = await measure();
    expect(names).toEqual(["figure"]);
    expect(skipped).toEqual([expect.stringMatching(/^beside is skipped: MQSim is not installed/)]);
    expect(await measure("alone")).toEqual({ names: ["figure"], skipped: [] });
    await expect(measure("beside")).rejects.toThrow(rejection("tool-missing"));
  });

  it("that are named are an error that names every absent peer", async () => {
    vi.stubEnv("MQSIM", "");
    vi.stubEnv("COCOTB_CONFIG", directory.path);
    vi.stubEnv("PATH", directory.path);
    const other = { peer: cocotbPeer, measure: async () => Promise.resolve([figure]) };
    const options = { repeats: 1, only: ["beside", "other"], onSkip: vi.fn() };
    await expect(benchRows({ ...rows, other }, options)).rejects.toThrow(
      rejection("tool-missing", /^MQSim is not installed/, /^COCOTB_CONFIG names/),
    );
  });

  it("are selected by names that exist", () => {
    const only = rowNamed(rows);
    expect(only("alone", only("beside", []))).toEqual(["beside", "alone"]);
    expect(() => only("beyond", [])).toThrow(rejection("bad-input", "--only"));
  });
});

/** The result file of a program in the place of MQSim. */
interface Results {
  readonly requests: number;
  readonly commands: number;
  readonly microseconds: number;
}

describe("MQSim", () => {
  // One read of an idle device: a command of 290 ns, 3,020 ns of sensing, and 4,096 bytes at 1 GB/s.
  const oneRead: Results = { requests: 1, commands: 1, microseconds: 7 };
  const substitute = ({ requests, commands, microseconds }: Results): string => {
    const times = ["", "Min_", "Max_"].map(
      (kind) => `<${kind}Device_Response_Time>${microseconds}</${kind}Device_Response_Time>`,
    );
    const text = `<Request_Count>${requests}</Request_Count>${times.join("")}<FTL Issued_Flash_Read_CMD="${commands}"/>`;
    return program("MQSim", `echo '${text}' > "\${4%.xml}_scenario_1.xml"`);
  };
  const bench = async (path: string, requests = 1): Promise<readonly BenchFigure[]> =>
    benchMqsim(path, { repeats: 1, requests });

  it("with the same results has its rate beside the rates of neardata", async () => {
    const figures = await bench(substitute(oneRead));
    expect(figures.map(({ unit }) => unit)).toEqual([
      "requests/s",
      "requests/s",
      "requests/s",
      "ratio",
      "ratio",
    ]);
  });

  it("gets the reads and the device of neardata in its formats", async () => {
    const path = program(
      "MQSim",
      `cp "$2" "$4" "\${4%/*}/reads.trace" ${directory.path}; echo no results`,
    );
    await expect(bench(path, 3)).rejects.toThrow(rejection("check-failed", /wrote no results/));
    const copied = (name: string): string => readFileSync(join(directory.path, name), "utf8");
    const lines = pageReads(3).map((read) => `${read.arrival} 0 ${8 * read.logicalPage} 8 1\n`);
    expect(copied("reads.trace")).toBe(lines.join(""));
    expect(copied("load.xml")).toMatch(/<File_Path>.*reads\.trace<\/File_Path>/);
    for (const [tag, value] of [
      ["Flash_Channel_Count", traceDevice.channels],
      ["Chip_No_Per_Channel", traceDevice.dies_per_channel],
      ["Page_Capacity", traceDevice.page_bytes],
      ["Page_Read_Latency_LSB", traceDevice.tR_ns],
    ]) {
      expect(copied("device.xml")).toContain(`<${String(tag)}>${String(value)}</${String(tag)}>`);
    }
  });

  it.each([
    ["other requests", { ...oneRead, requests: 2 }, ["requests"]],
    ["merged commands", { ...oneRead, commands: 0 }, ["read commands of the flash"]],
    [
      "other latencies",
      { ...oneRead, microseconds: 9 },
      ["min", "mean", "max"].map((name) => `microseconds of the ${name} latency`),
    ],
  ])("with %s is an error", async (_, results, places) => {
    await expect(bench(substitute(results))).rejects.toThrow(rejection("check-failed", ...places));
  });

  it("that fails is an error with its output", async () => {
    const path = program("MQSim", "echo the device has no blocks; exit 3");
    await expect(bench(path)).rejects.toThrow(
      rejection("build-failed", /^MQSim failed with exit status 3:\nthe device has no blocks/),
    );
  });

  it("itself replays the trace with the latencies of neardata", needs("MQSim"), async () => {
    const figures = await bench(peerPath(mqsimPeer), 20_000);
    for (const { value } of figures) expect(value).toBeGreaterThan(0);
  });
});

describe("cocotb", () => {
  it("that is too old is an error with its version", async () => {
    const path = program("cocotb-config", "echo 1.9.2");
    await expect(benchCocotb(path, { repeats: 1, pages: 1 })).rejects.toThrow(
      rejection("tool-missing", /cocotb 2\.1 or newer .* cocotb 1\.9\.2/),
    );
  });

  it("whose cocotb-config warns has its version", async () => {
    const path = program("cocotb-config", "echo a warning of Python >&2; sleep 0.1; echo 1.9.2");
    await expect(benchCocotb(path, { repeats: 1, pages: 1 })).rejects.toThrow(
      rejection("tool-missing", / this is cocotb 1\.9\.2/),
    );
  });

  it.each(["echo no Python", "echo no Python >&2"])(
    "whose cocotb-config fails with `%s` is an error with its output",
    async (says) => {
      const path = program("cocotb-config", `${says}; exit 1`);
      await expect(benchCocotb(path, { repeats: 1, pages: 1 })).rejects.toThrow(
        rejection("build-failed", /^cocotb failed with exit status 1:\nno Python/),
      );
    },
  );
});
