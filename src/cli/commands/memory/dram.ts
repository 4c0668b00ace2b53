// SPDX-License-Identifier: Apache-2.0
// `neardata dram`: replays a request trace on the DDR5 model and writes commands and completions; tests the edges
// of every timing constraint on each backend; measures requests per second; checks command traces against a
// standard.

import { counted } from "../../../base/format-value.ts";
import process from "node:process";

import { Option, type Command } from "commander";

import { memoryBackends, type MemoryBackend } from "../../../machine/dram/backends.ts";
import {
  type EdgeColumn,
  edgeCounts,
  edgeTable,
  pairTable,
} from "../../../kernels/dram/edges/table.ts";
import { type TraceSource, type Writer, replayTrace } from "../../../kernels/dram/replay.ts";
import { standardNames } from "../../../machine/dram/standards/standards.ts";
import { memoryFormatNames } from "../../../kernels/traces/detect.ts";
import { type CheckedMemory, presetMemory } from "../../../kernels/dram/check/memory.ts";
import { inputError, NeardataError } from "../../../base/errors.ts";
import { checkOutputs, commitTogether } from "../../../base/files/output.ts";
import { exitOnSignal, interruptible } from "../../terminal/interrupt.ts";
import { readText } from "../../../run/files.ts";
import { memoryBackendOption, wholeNumber } from "../../options/options.ts";
import { failCheck, printJson, printText } from "../../terminal/output.ts";
import { remark } from "../../../run/remark.ts";
import { example } from "../../options/help.ts";
import { OutputStream } from "../../../base/files/stream.ts";
import { readMemoryTrace } from "../../../kernels/traces/convert.ts";
import { openTrace } from "../../../kernels/dram/trace-file.ts";
import { replayText, summarize } from "../../../kernels/dram/summary.ts";
import { contradictions } from "../../../machine/dram/timing-rules.ts";
import { timingWithoutRefsb } from "../../../machine/dram/timing.ts";
import { parseReplayConfigFile } from "../../../kernels/dram/config-file.ts";
import { dramPreset } from "../../../machine/dram/presets.ts";
import { commandPairs, hasEdge } from "../../../kernels/dram/edges/pairs.ts";
import { runEdges } from "../../../kernels/dram/edges/run.ts";
import { edges } from "../../../kernels/dram/edges/rows.ts";
import { ramulatorMissing, ramulatorVersion } from "../../../native/ramulator.ts";
import { loadDram } from "../../../native/dram-binding.ts";
import { benchDram } from "../../../kernels/dram/bench.ts";
import { parseCheckedMemory } from "../../../kernels/dram/check/config.ts";
import { checkJson, checkText } from "../../../kernels/dram/check/text.ts";
import { checkTrace } from "../../../kernels/dram/check/check.ts";
import { linesOf } from "../../../base/files/lines.ts";
import { openPieces } from "../../../base/files/pieces.ts";
import { edgeMemory, edgeText, tableEdges } from "../../../kernels/dram/check/edges.ts";
import { namedStandard } from "../../../kernels/dram/check/standard-of.ts";
import { readRequests } from "../../../kernels/dram/check/requests.ts";

interface ReplayOptions {
  readonly config: string;
  readonly requests: string;
  readonly traceFormat?: string;
  readonly traceClock?: number;
  readonly commands?: string;
  readonly completions?: string;
  readonly memoryBackend: MemoryBackend;
  readonly json?: boolean;
}

export function register(dram: Command): void {
  dram.addHelpText("after", example("neardata dram edges"));
  dram
    .command("replay")
    .description("Replay a request trace, and compute the cycle of every command and completion.")
    .requiredOption(
      "--config <file>",
      `The memory and its traffic: JSON of a memory standard (${standardNames.join(", ")}), or a configuration of Ramulator 2.0 or 2.1 (YAML) or DRAMsim3 (ini).`,
    )
    .requiredOption(
      "--requests <file>",
      "The trace: columns id, arrival, op, addr, or a format of Ramulator, DRAMsim3 or DRAMSys; plain or gzip. Arrivals ascend, under per_channel_fifo within each channel.",
    )
    .addOption(
      new Option(
        "--trace-format <name>",
        "The format of the trace (default: detected from its first line).",
      ).choices(memoryFormatNames),
    )
    .option(
      "--trace-clock <MHz>",
      "The clock of a DRAMSys trace (default: the clock of the memory).",
      wholeNumber("--trace-clock", 1, 100_000),
    )
    .option("--commands <file>", "Write the commands here; a name that ends in .gz selects gzip.")
    .option(
      "--completions <file>",
      "Write the completions here; a name that ends in .gz selects gzip.",
    )
    .addOption(
      memoryBackendOption("The DDR5 model: native, or an installed Ramulator 2.0 or 2.1.").default(
        "native",
      ),
    )
    .option("--json", "Print the statistics as JSON.")
    .addHelpText(
      "after",
      example(
        "neardata dram replay --config memory.json --requests requests.csv --completions completions.csv",
      ),
    )
    .action(replay);
  dram
    .command("bench")
    .description(
      "Measure requests per second of processor time on five kinds of traffic, beside an installed Ramulator.",
    )
    .option(
      "--requests <n>",
      "Requests of each kind.",
      wholeNumber("--requests", 1, maxRequests),
      200_000,
    )
    .option(
      "--repeats <n>",
      "Runs of each kind; the command prints medians.",
      wholeNumber("--repeats", 1, maxRepeats),
      5,
    )
    .option("--json", "Print the rows as JSON.")
    .addHelpText("after", example("neardata dram bench --requests 100000"))
    .action(bench);
  dram
    .command("edges")
    .description(
      "Test every timing constraint of JESD79-5 at its limit, on each backend: rejected at t - 1, accepted at t.",
    )
    .addOption(
      memoryBackendOption("Test one DDR5 model (default: native and an installed Ramulator)."),
    )
    .addOption(
      new Option(
        "--standard <name>",
        "Test the constraints of this memory standard with the checker of command traces instead.",
      )
        .choices(standardNames)
        .conflicts(["memoryBackend", "pairs"]),
    )
    .option("--preset <name>", "With --standard: a memory by name (default: one of the standard).")
    .option(
      "--pairs",
      "List every pair of commands with its minimum distance in cycles (preset TriMoE) and its test.",
    )
    .option("--json", "Print the rows as JSON.")
    .addHelpText("after", example("neardata dram edges --pairs"))
    .action(showEdges);
  dram
    .command("check")
    .description("Check a command trace against the rules of a memory standard.")
    .argument(
      "<trace>",
      "The trace: CSV with the columns cycle, ch, cmd, pc, rank, bg, bank, row, col, req, or without pc as dram replay writes it; plain or gzip.",
    )
    .addOption(
      new Option("--standard <name>", "The standard (default: the standard of --config).").choices(
        standardNames,
      ),
    )
    .option("--preset <name>", "A memory of the standard by name (default: one of the standard).")
    .addOption(
      new Option(
        "--config <file>",
        "The memory: JSON with standard and timings, or a configuration of dram replay, Ramulator 2 (YAML) or DRAMsim3 (ini).",
      ).conflicts("preset"),
    )
    .option(
      "--requests <file>",
      "The requests that the trace serves: columns id, arrival, op, addr. Needs the address map of --config.",
    )
    .option(
      "--show <n>",
      "Violations of each rule that the command prints in full.",
      wholeNumber("--show", 0, maxRequests),
      3,
    )
    .option("--json", "Print every violation as JSON.")
    .addHelpText("after", example("neardata dram check commands.csv --standard DDR5"))
    .action(check);
}

interface CheckOptions {
  readonly standard?: string;
  readonly preset?: string;
  readonly config?: string;
  readonly requests?: string;
  readonly show: number;
  readonly json?: boolean;
}

async function check(trace: string, options: CheckOptions): Promise<void> {
  const memory = checkedMemory(options);
  const lines = (file: string): ReturnType<typeof linesOf> => linesOf(file, openPieces(file));
  if (options.requests !== undefined && memory.addresses === undefined) {
    const keys = "address_mapper, address_bits and tx_offset_bits";
    throw inputError("--requests", `needs ${keys} in a JSON file of --config.`);
  }
  const { requests: file } = options;
  const result = await exitOnSignal(async () => {
    const requests = file === undefined ? undefined : await readRequests(file, lines(file));
    return checkTrace(memory, trace, lines(trace), requests);
  });
  if (options.json === true) printJson(checkJson(memory, result));
  else printText(checkText(memory, result, options.show));
  if (result.violations.length > 0) failCheck();
}

function checkedMemory({ standard, preset, config }: CheckOptions): CheckedMemory {
  if (config === undefined) {
    if (standard === undefined) {
      throw inputError("dram check", "--standard or --config must be given.");
    }
    const table = namedStandard(standard, "--standard");
    return presetMemory(table, preset ?? table.defaultPreset, "--preset");
  }
  const { memory, ignored } = parseCheckedMemory(config, readText(config));
  if (ignored.length > 0) remark(`${config}: ignores ${ignored.join(", ")}`);
  if (standard === undefined || standard === memory.standard.name) return memory;
  const message = `--standard is ${standard}, but the memory is ${memory.standard.name}.`;
  throw inputError(config, message);
}

/** Requests that fit in memory together with the records of both models. */
const maxRequests = 10_000_000;
const maxRepeats = 1000;

interface BenchOptions {
  readonly requests: number;
  readonly repeats: number;
  readonly json?: boolean;
}

/** Processor time instead of wall-clock time: it depends less on other load of the machine. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function bench(options: BenchOptions): Promise<void> {
  const backends = [{ name: "native", dram: loadDram() }];
  if (ramulatorMissing() === undefined) {
    backends.push({ name: "ramulator2", dram: loadDram("ramulator2") });
  }
  const semantics = ramulatorVersion() === "2.1" ? "jedec" : "ramulator-2.0";
  const task = { ...options, backends, semantics, now: processorSeconds } as const;
  const rows = await exitOnSignal(() => benchDram(task));
  if (options.json === true) {
    printJson({ rows });
    return;
  }
  for (const { traffic, requests, backends: measured } of rows) {
    for (const { name, requestsPerSecond, cyclesPerSecond, ratio } of measured) {
      printText(
        `${traffic.padEnd(20)} ${name.padEnd(10)} ${counted(requests, "request")}: ` +
          `${(requestsPerSecond / 1e3).toFixed(0).padStart(6)} thousand/s, ` +
          `${(cyclesPerSecond / 1e6).toFixed(1).padStart(8)} Mcycle/s` +
          (name === "native" ? "" : `, native is ${ratio.toFixed(1)} times as fast`),
      );
    }
  }
}

interface EdgesOptions {
  readonly memoryBackend?: MemoryBackend;
  readonly standard?: string;
  readonly preset?: string;
  readonly pairs?: boolean;
  readonly json?: boolean;
}

async function showEdges(options: EdgesOptions): Promise<void> {
  if (options.standard !== undefined) {
    showTableEdges(options.standard, options);
    return;
  }
  if (options.preset !== undefined) throw inputError("--preset", "needs --standard.");
  if (options.pairs === true) {
    showPairs(options);
    return;
  }
  const missing = options.memoryBackend === undefined ? ramulatorMissing() : undefined;
  if (missing !== undefined) remark(`without Ramulator: ${missing}`);
  const named = options.memoryBackend === undefined ? memoryBackends : [options.memoryBackend];
  const columns: EdgeColumn[] = [];
  for (const backend of named) {
    if (backend === "ramulator2" && missing !== undefined) continue;
    const dram = loadDram(backend);
    const version = backend === "ramulator2" ? ramulatorVersion() : undefined;
    const semantics = version === "2.0" ? "ramulator-2.0" : "jedec";
    const name = version === undefined ? backend : `Ramulator ${version}`;
    columns.push({ backend: name, results: await runEdges(dram, edges, semantics) });
  }
  if (options.json === true) printJson({ columns });
  else {
    const counts = columns.map(({ backend, results }) => `${backend}: ${edgeCounts(results)}`);
    printText([...edgeTable(columns), "", ...counts].join("\n"));
  }
  const wrong = columns.some(({ backend, results }) => {
    return backend === "native" && results.some(({ verdict }) => verdict !== "right");
  });
  if (wrong) failCheck();
}

/** The edges of a standard's table, with which the checker of command traces is tested. */
function showTableEdges(name: string, { preset, json }: EdgesOptions): void {
  const standard = namedStandard(name, "--standard");
  const chosen = preset ?? standard.defaultPreset;
  const results = tableEdges(edgeMemory(standard, chosen, "--preset"));
  const edges = results.map(({ edge, verdict }) => ({ ...edge, verdict }));
  if (json === true) printJson({ standard: name, preset: chosen, edges });
  else printText(edgeText(results).join("\n"));
  if (results.some(({ verdict }) => verdict !== "right")) failCheck();
}

function showPairs(options: EdgesOptions): void {
  const { timing } = dramPreset("TriMoE", "--pairs");
  if (options.json !== true) {
    printText(pairTable(edges, timing).join("\n"));
    return;
  }
  const pairs = commandPairs.map((pair) => ({
    from: pair.from,
    to: pair.to,
    near: pair.near,
    needs: pair.between,
    cycles: pair.wait(timing),
    rules: pair.rows.map((row) => ({ rule: row.rule, edge: hasEdge(edges, pair, row) })),
  }));
  printJson({ preset: "TriMoE", pairs });
}

async function replay(options: ReplayOptions): Promise<void> {
  const { commands: commandsPath, completions: completionsPath } = options;
  const requests = [
    ...(commandsPath === undefined ? [] : [{ option: "--commands", path: commandsPath }]),
    ...(completionsPath === undefined ? [] : [{ option: "--completions", path: completionsPath }]),
  ];
  const outputs = checkOutputs(requests, [options.config, options.requests]);
  const dram = loadDram(options.memoryBackend);
  const { config, keyOf, rules } = parseReplayConfigFile(options.config, readText(options.config));
  if (config.ignored.length > 0) {
    remark(`${options.config}: ignores ${config.ignored.join(", ")}`);
  }
  if (rules !== undefined) remark(`${options.config}: ${rules}`);
  const trace = await readMemoryTrace(openTrace(options.requests), config, {
    format: options.traceFormat,
    clock: options.traceClock,
  });
  const files = outputs.map((output) => new OutputStream(output));
  const writer = (option: string): Writer | undefined => {
    const file = files[requests.findIndex((request) => request.option === option)];
    return file && ((piece): Promise<void> => file.write(piece));
  };
  try {
    const { standard, timing, organization } = config;
    const issues =
      standard.name === "DDR5"
        ? contradictions(timingWithoutRefsb(timing), organization.burstLength)
        : [];
    const problems = issues.map(({ message, where }) => ({ message, where: keyOf(where) }));
    const result = await interruptible((signal) =>
      replayTrace(
        dram,
        config,
        { ...trace, pieces: until(signal, trace.pieces) },
        { commands: writer("--commands"), completions: writer("--completions") },
        problems,
      ),
    );
    for (const f of files) await f.end();
    commitTogether(files.map((f) => f.file));
    for (const sentence of trace.remarks()) remark(sentence);
    const summary = summarize(config, result);
    if (options.json === true) printJson(summary);
    else printText(replayText(summary));
  } catch (error) {
    for (const f of files) await f.discard();
    throw error;
  }
}

/** A trace that ends with an error when the user stops the command. */
async function* until(signal: AbortSignal, pieces: TraceSource["pieces"]): TraceSource["pieces"] {
  for await (const piece of pieces) {
    if (signal.aborted) throw new NeardataError("cancelled", "the replay was stopped.");
    yield piece;
  }
}
