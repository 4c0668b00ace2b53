// SPDX-License-Identifier: Apache-2.0
// cocotb beside the driven filter: with a substitute of cocotb's library that writes a given record of a run, and with
// an installed cocotb.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import { temporaryDirectory } from "../../../src/base/files/temporary.ts";
import { runTool } from "../../../src/native/compile/process.ts";
import { benchCocotb } from "../../../src/tools/bench/cocotb.ts";
import { openFilter, pageBeats } from "../../../src/tools/bench/filter.ts";
import { cocotbPeer, peerPath } from "../../../src/tools/bench/peer.ts";
import type { BenchFigure } from "../../../src/tools/bench/result.ts";
import { needs } from "../../helpers/needs.ts";
import { rejection } from "../../helpers/rejection.ts";

/** Writes a given file as the result of the testbench, and registers no callback. */
const substitute = `
#include <cstdlib>
#include <fstream>
extern "C" void vlog_startup_routines_bootstrap() {
  std::ifstream record(std::getenv("SUBSTITUTE_RECORD"), std::ios::binary);
  if (record) std::ofstream(std::getenv("NFC_RESULT"), std::ios::binary) << record.rdbuf();
}
`;

const directory = temporaryDirectory("cocotb-test");
const inDirectory = (name: string): string => join(directory.path, name);
const library = inDirectory("substitute.so");

/** A program that answers as cocotb-config does. */
function configOf(libraryPath: string): string {
  const path = inDirectory("cocotb-config");
  const answer = `case $1 in --version) echo 2.1.0;; --lib-name-path) echo ${libraryPath};; *) echo none;; esac`;
  writeFileSync(path, `#!/bin/sh\n${answer}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** The record of a run of one page that takes a millisecond. */
async function recordOf(): Promise<DataView> {
  const filter = await openFilter(1);
  filter.send();
  await filter.drive();
  const { words, cycles } = filter.outputs();
  const record = new DataView(new ArrayBuffer(16 + 20 * cycles.length));
  record.setBigUint64(0, BigInt(pageBeats + 1), true);
  record.setBigUint64(8, 1_000_000n, true);
  cycles.forEach((cycle, i) => {
    // The testbench may begin to count at another cycle.
    record.setUint32(16 + 20 * i, cycle + 3, true);
    for (let word = 0; word < 4; word += 1) {
      record.setUint32(20 + 20 * i + 4 * word, words[4 * i + word] ?? 0, true);
    }
  });
  return record;
}

describe("cocotb", () => {
  let record: DataView;
  beforeAll(async () => {
    const source = inDirectory("substitute.cc");
    writeFileSync(source, substitute);
    await runTool("g++", ["-shared", "-fPIC", "-o", library, source]);
    record = await recordOf();
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  afterAll(() => {
    directory.remove();
  });

  const bench = async (
    bytes: DataView | undefined,
    of = library,
  ): Promise<readonly BenchFigure[]> => {
    const file = inDirectory("record");
    vi.stubEnv("SUBSTITUTE_RECORD", bytes === undefined ? inDirectory("absent") : file);
    if (bytes !== undefined) writeFileSync(file, bytes);
    return benchCocotb(configOf(of), { repeats: 1, pages: 1 });
  };
  const changed = (offset: number): DataView => {
    const copy = new DataView(record.buffer.slice(0));
    copy.setUint32(offset, copy.getUint32(offset, true) ^ 1, true);
    return copy;
  };

  it("with the outputs of the driven unit has its rate in cycles per second", async () => {
    const [cocotb, driven, ratio] = await bench(record);
    expect(cocotb?.value).toBeCloseTo((pageBeats + 1) / 0.001);
    expect(driven?.value).toBeGreaterThan(0);
    expect(ratio?.value).toBeGreaterThan(0);
  });

  it.each([
    ["another cycle", 16 + 20 * 7],
    ["another word of data", 20 + 20 * 7 + 4],
    ["another mark", 20 + 20 * 7 + 12],
  ])("with %s of an output is an error", async (_, offset) => {
    await expect(bench(changed(offset))).rejects.toThrow(rejection("check-failed"));
  });

  it("with too few outputs, or none, is an error", async () => {
    const short = new DataView(record.buffer.slice(0, -20));
    await expect(bench(short)).rejects.toThrow(rejection("check-failed"));
    const header = new DataView(record.buffer.slice(0, 16));
    await expect(bench(header)).rejects.toThrow(rejection("check-failed"));
  });

  it.each([
    ["header", 0, 7],
    ["output", 0, -1],
  ])("whose record ends within its %s is an error", async (_, from, to) => {
    const part = new DataView(record.buffer.slice(from, to));
    await expect(bench(part)).rejects.toThrow(rejection("check-failed", /record .* bytes/));
  });

  it("whose testbench fails is an error with its output", async () => {
    await expect(bench(undefined)).rejects.toThrow(
      rejection("check-failed", /testbench failed under cocotb/),
    );
  });

  it("whose library does not load is an error with the reason", async () => {
    mkdirSync(inDirectory("empty"), { recursive: true });
    await expect(bench(record, inDirectory("empty"))).rejects.toThrow(
      rejection("build-failed", /^cocotb failed with exit status 2:\n.*empty/),
    );
  });

  it(
    "itself drives the filter to the same outputs in the same cycles",
    needs("cocotb"),
    async () => {
      const figures = await benchCocotb(peerPath(cocotbPeer), { repeats: 1, pages: 1 });
      for (const { value } of figures) expect(value).toBeGreaterThan(0);
    },
  );
});
