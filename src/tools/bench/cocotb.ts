// SPDX-License-Identifier: Apache-2.0
// Cycles per second of the filter of one flash channel, driven by an installed cocotb and from TypeScript. Both get
// the same pages, and the words of the outputs and their cycles must be equal. Verilator compiles both models from the
// same RTL with the same flags; the model of cocotb also has the Verilog Procedural Interface, for its ports only.
// Timed are the cycles, in processor seconds: neither compilation nor the start of a simulation nor files.

import { readFileSync, rmSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import process from "node:process";

import { NeardataError } from "../../base/errors.ts";
import { temporaryDirectory } from "../../base/files/temporary.ts";
import { inRepository } from "../../base/paths.ts";
import { present } from "../../base/present.ts";
import { verilate } from "../../native/unit/verilate.ts";
import { filterSource, filterTop, openFilter, writePages, type DrivenFilter } from "./filter.ts";
import { interleave, processorSeconds } from "./measure.ts";
import { cocotbPeer, runPeer } from "./peer.ts";
import type { BenchFigure } from "./result.ts";

/** Runs a program, and prints its stderr only if it fails: Python may warn before the answer. */
const withoutWarnings = '"$@" 2>warnings || { status=$?; cat warnings; exit $status; }';
/** Runs of the driven unit in one measurement: a run takes milliseconds. */
const drivenRuns = 20;
/** Versions from this one on have the settings below. */
const oldestVersion = [2, 1] as const;

export interface CocotbOptions {
  readonly repeats: number;
  /** Pages that pass the filter, of 8,192 beats each. */
  readonly pages: number;
}

/** The record of a run of cocotb (testbench/nfc_filter_cocotb.py). */
interface CocotbRecord {
  readonly cycles: number;
  readonly seconds: number;
  readonly outputCycles: readonly number[];
  /** Four words for each output: data, row_last, last. */
  readonly outputWords: Uint32Array;
}

/**
 * Cycles per second under cocotb, from TypeScript, and their ratio. `config` is the path of `cocotb-config`.
 * @throws NeardataError `tool-missing` for an older cocotb, `build-failed` if it fails, `check-failed` if its outputs
 * differ
 */
export async function benchCocotb(
  config: string,
  { repeats, pages }: CocotbOptions,
): Promise<readonly BenchFigure[]> {
  const directory = temporaryDirectory("cocotb");
  try {
    const ask = async (...words: readonly string[]): Promise<string> => {
      const command = ["sh", "-c", withoutWarnings, "sh", config, ...words];
      const { output } = await runPeer(cocotbPeer, command, directory.path);
      return present(output.split("\n")[0]).trim();
    };
    const version = await ask("--version");
    requireVersion(version);
    const input = join(directory.path, "pages");
    const result = join(directory.path, "result");
    writePages(input, pages);
    const testbench = inRepository("testbench", "nfc_filter_cocotb.py");
    const settings = {
      NFC_PAGES: input,
      NFC_RESULT: result,
      GPI_USERS: `${await ask("--libpython")};${await ask("--pygpi-entry-point")}`,
      PYGPI_PYTHON_BIN: await ask("--python-bin"),
      PYTHONPATH: [dirname(testbench), ...ofUser("PYTHONPATH")].join(delimiter),
      PYTHONDONTWRITEBYTECODE: "1",
      COCOTB_TEST_MODULES: basename(testbench, ".py"),
      COCOTB_TOPLEVEL: filterTop,
      TOPLEVEL_LANG: "verilog",
      COCOTB_TRUST_INERTIAL_WRITES: "0",
    };
    const library = await ask("--lib-name-path", "vpi", "verilator");
    const command = [
      "env",
      ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
      await simulator(),
      library,
    ];
    const filter = await openFilter(pages);
    let cycles = Number.NaN;
    const underCocotb = async (): Promise<number> => {
      rmSync(result, { force: true });
      const { output } = await runPeer(cocotbPeer, command, directory.path);
      const recorded = readRecord(result, output);
      compare(recorded, filter);
      cycles = recorded.cycles;
      return recorded.seconds;
    };
    const driven = async (): Promise<number> => {
      let seconds = 0;
      for (let run = 0; run < drivenRuns; run += 1) {
        filter.send();
        seconds += await processorSeconds(filter.drive);
      }
      return seconds / drivenRuns;
    };
    const { medians, ratio } = await interleave({ driven, underCocotb }, repeats);
    const rate = (name: string, seconds: number): BenchFigure => ({
      name: `a filter of one flash channel, ${name}`,
      value: cycles / seconds,
      unit: "cycles/s",
    });
    return [
      rate(`cocotb ${version}`, medians.underCocotb),
      rate("driven from TypeScript", medians.driven),
      {
        name: "a filter of one flash channel, cocotb / driven from TypeScript, time per cycle",
        value: ratio("underCocotb", "driven"),
        unit: "ratio",
      },
    ];
  } finally {
    directory.remove();
  }
}

/** The value of an environment variable, if it has one. */
function ofUser(variable: string): readonly string[] {
  const value = process.env[variable] ?? "";
  return value === "" ? [] : [value];
}

function requireVersion(version: string): void {
  const [major, minor] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = oldestVersion;
  if (major !== undefined && major > oldestMajor) return;
  if (major === oldestMajor && minor !== undefined && minor >= oldestMinor) return;
  const message = `cocotb ${oldestVersion.join(".")} or newer is needed; this is cocotb ${version}.`;
  throw new NeardataError("tool-missing", message);
}

/** The filter with the Verilog Procedural Interface. */
async function simulator(): Promise<string> {
  return verilate({
    top: filterTop,
    parameters: {},
    sources: [inRepository("testbench", "nfc_filter_ports.vlt"), filterSource()],
    kind: "executable",
    harness: [inRepository("testbench", "nfc_filter_cocotb_main.cc")],
    vpi: true,
  });
}

const [headerBytes, outputBytes] = [16, 20];

/** @throws NeardataError `check-failed` if the testbench failed, so that there is no record, or only a part of it */
function readRecord(path: string, output: string): CocotbRecord {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    const message = `the testbench failed under cocotb:\n${output}`;
    throw new NeardataError("check-failed", message, { cause });
  }
  const count = (bytes.length - headerBytes) / outputBytes;
  if (count < 0 || !Number.isInteger(count)) {
    const message = `the testbench under cocotb wrote a record of ${bytes.length} bytes, which ends early:\n${output}`;
    throw new NeardataError("check-failed", message);
  }
  const outputCycles: number[] = [];
  const outputWords = new Uint32Array(4 * count);
  for (let i = 0; i < count; i += 1) {
    const at = headerBytes + i * outputBytes;
    outputCycles.push(bytes.readUInt32LE(at));
    for (let word = 0; word < 4; word += 1) {
      outputWords[4 * i + word] = bytes.readUInt32LE(at + 4 * (word + 1));
    }
  }
  return {
    cycles: Number(bytes.readBigUInt64LE(0)),
    seconds: Number(bytes.readBigUInt64LE(8)) / 1e9,
    outputCycles,
    outputWords,
  };
}

/** @throws NeardataError `check-failed` if a word of an output differs, or its cycle */
function compare(record: CocotbRecord, filter: DrivenFilter): void {
  const driven = filter.outputs();
  if (sameOutputs(record, driven)) return;
  const message = `cocotb has ${record.outputCycles.length} outputs and the driven unit ${driven.cycles.length}, and they or their cycles differ.`;
  throw new NeardataError("check-failed", message);
}

/** Whether the words of all outputs are equal, and their cycles from the first output on. */
function sameOutputs(
  { outputCycles, outputWords }: CocotbRecord,
  { words, cycles }: ReturnType<DrivenFilter["outputs"]>,
): boolean {
  if (outputWords.length !== words.length) return false;
  const first = present(outputCycles[0]) - present(cycles[0]);
  return (
    outputWords.every((word, i) => word === words[i]) &&
    outputCycles.every((cycle, i) => cycle - first === cycles[i])
  );
}
