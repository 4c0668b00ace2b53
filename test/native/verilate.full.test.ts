// SPDX-License-Identifier: Apache-2.0
// Building Verilated units: the cache, builders at once, and what is said when a build cannot be.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

import { exitCodeOf } from "../../src/base/errors.ts";
import { withLock } from "../../src/base/files/lock.ts";
import { currentOwner } from "../../src/base/files/owner.ts";
import { processorOf } from "../../src/native/compile/processor.ts";
import { hashOf, sourceClosure } from "../../src/native/compile/source-hash.ts";
import { verilate, type RtlBuild } from "../../src/native/unit/verilate.ts";
import { rejection } from "../helpers/rejection.ts";

let directory = "";
const file = (name: string): string => join(directory, name);

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "neardata-verilate-"));
  writeFileSync(
    file("counter.sv"),
    `module counter #(parameter int unsigned Width = 8) (
      input logic clk_i, output logic [Width-1:0] count_o);
      if (Width > 32) begin : gen_bad_width
        $error("counter: Width is at most 32");
      end
      always_ff @(posedge clk_i) count_o <= count_o + 1'b1;
    endmodule`,
  );
  writeFileSync(file("steps.h"), "constexpr int kSteps = 20;\n");
  writeFileSync(
    file("main.cc"),
    `#include "Vcounter.h"
#include "steps.h"
#include <cstdio>
int main() {
  VerilatedContext context;
  Vcounter model{&context};
  for (int i = 0; i < kSteps; ++i) {
    model.clk_i = 0;
    model.eval();
    model.clk_i = 1;
    model.eval();
  }
  std::printf("%d %d", int{model.count_o}, RTL_PARAMETER_Width);
}`,
  );
});

beforeEach(() => {
  vi.stubEnv("NEARDATA_CACHE", file("cache"));
  return () => {
    vi.unstubAllEnvs();
  };
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

const counter = (width: number): RtlBuild => ({
  top: "counter",
  parameters: { Width: width },
  sources: [file("counter.sv")],
  harness: [file("main.cc")],
  kind: "executable",
  trace: false,
});

test("builders at once build once, and the parameter reaches both sides", async () => {
  const [first, second] = await Promise.all([verilate(counter(4)), verilate(counter(4))]);
  expect(second).toBe(first);
  expect(execFileSync(first, { encoding: "utf8" })).toBe("4 4");
  // Nothing else is left but Verilator's run time: no lock, no directory of a build.
  const names = readdirSync(file("cache/rtl")).map((name) => name.replace(/-[0-9a-f]{24}$/, ""));
  expect(names.toSorted()).toEqual(["counter", "runtime"]);
});

test("the run time of the first build is that of the next", async () => {
  await verilate(counter(4));
  const cache = file("cache/rtl");
  const runtime = readdirSync(cache).find((name) => name.startsWith("runtime-")) ?? "";
  const objects = readdirSync(join(cache, runtime));
  expect(objects).toContain("verilated.o");
  // The file is not a valid object, so a build that uses it cannot be linked.
  writeFileSync(join(cache, runtime, "verilated.o"), "");
  await expect(verilate(counter(6))).rejects.toMatchObject({ code: "build-failed" });
  rmSync(join(cache, runtime), { recursive: true });
  expect(execFileSync(await verilate(counter(6)), { encoding: "utf8" })).toBe("20 6");
});

test("a model in many files is compiled by file and linked", async () => {
  const split = await verilate({ ...counter(5), outputSplit: 1, optimise: "-O0" });
  expect(execFileSync(split, { encoding: "utf8" })).toBe("20 5");
});

test("a lock of a process that ended does not hold up, though its number is in use again", async () => {
  const path = file("lock");
  const [, , machine] = currentOwner().split("-");
  for (const owner of [
    `${process.pid}-1-${String(machine)}`,
    `${2 ** 22 + 1}-1-${String(machine)}`,
  ]) {
    mkdirSync(path);
    writeFileSync(join(path, owner), "");
    let ran = false;
    await withLock(path, () => {
      expect(readdirSync(path)).toEqual([currentOwner()]);
      ran = true;
      return Promise.resolve();
    });
    expect(ran).toBe(true);
    expect(existsSync(path)).toBe(false);
  }
});

test("a lock is held by one at a time, and by nobody afterwards", async () => {
  const path = file("lock");
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 5 }, () =>
      withLock(path, async () => {
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside -= 1;
      }),
    ),
  );
  expect({ most, left: existsSync(path) }).toEqual({ most: 1, left: false });
});

test("another parameter and another header are other artifacts", () => {
  const closure = sourceClosure([file("main.cc")], []);
  expect(closure.map((path) => path.split("/").at(-1))).toEqual(["main.cc", "steps.h"]);
  const before = hashOf({ Width: 4 }, closure);
  expect(hashOf({ Width: 5 }, closure)).not.toBe(before);
  writeFileSync(file("steps.h"), "constexpr int kSteps = 21;\n");
  expect(hashOf({ Width: 4 }, closure)).not.toBe(before);
  writeFileSync(file("steps.h"), "constexpr int kSteps = 20;\n");
  expect(hashOf({ Width: 4 }, closure)).toBe(before);
});

test("what was built for another processor is built anew", async () => {
  // A g++ that reports another processor.
  const bin = file("other-processor");
  mkdirSync(bin);
  const real = execFileSync("which", ["g++"], { encoding: "utf8" }).trim();
  const script = [
    "#!/bin/sh",
    `for a; do [ "$a" = --help=target ] && echo "-march= neverseen" && exit; done`,
    `exec ${real} "$@"`,
  ];
  writeFileSync(join(bin, "g++"), script.join("\n"), { mode: 0o755 });
  const native = { ...counter(4), optimise: "-O0 -march=native" };
  const [here, path] = [await verilate(native), process.env["PATH"] ?? ""];
  vi.stubEnv("PATH", `${bin}:${path}`);
  const there = await verilate(native);
  expect(there).not.toBe(here);
  expect(await verilate(native)).toBe(there);
  expect(await processorOf("-O1 -march=native")).toBe("-march= neverseen\n");
  expect(await processorOf("-O1")).toBe("");
  vi.stubEnv("PATH", path);
  expect(await verilate(native)).toBe(here);
});

test("an illegal parameter fails the build in the words of the module", async () => {
  await expect(verilate(counter(33))).rejects.toThrow(
    rejection("bad-input", /counter: Width .*32/),
  );
});

test("a source that is not there is named", async () => {
  const build = verilate({ ...counter(4), sources: [file("absent.sv")] });
  await expect(build).rejects.toThrow(rejection("bad-input", file("absent.sv")));
});

test("without verilator the error says how to get it, with exit code 3", async () => {
  vi.stubEnv("PATH", directory);
  const error: unknown = await verilate(counter(4)).catch((cause: unknown) => cause);
  expect(error).toEqual(rejection("tool-missing", /apt-get install verilator/));
  expect(exitCodeOf(error)).toBe(3);
});
