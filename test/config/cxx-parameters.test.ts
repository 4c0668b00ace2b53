// SPDX-License-Identifier: Apache-2.0

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { mostParameters, parameterProblems } from "./cxx-parameters.ts";

const folders = ["sim", "native", "testbench", "test"];
const sources = folders.flatMap((folder) =>
  readdirSync(inRepository(folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(h|cc)$/.test(name))
    .map((name) => join(folder, name)),
);

test("every function of the C++ has five parameters at most", () => {
  expect(sources.length).toBeGreaterThan(300);
  const problems = sources.flatMap((path) =>
    parameterProblems(readFileSync(inRepository(path), "utf8")).map((one) => `${path}, ${one}`),
  );
  expect(problems).toEqual([]);
});

test("a sixth parameter of a function of the sources is found", () => {
  const path = "sim/flash/bit_errors.h";
  const text = readFileSync(inRepository(path), "utf8");
  const more = text.replace("std::uint32_t attempt);", "std::uint32_t attempt, bool retried);");
  expect(more).not.toBe(text);
  expect(parameterProblems(text)).toEqual([]);
  expect(parameterProblems(more)).toEqual([
    expect.stringMatching(/^line \d+: sense has 6 parameters$/),
  ]);
});

const five = "int a, const std::map<int, Row>& b, std::span<const T> c, Half* d, bool e";

test.each([
  ["a declaration", `void f(${five}, int g);`, "f"],
  ["a default value", `void f(${five}, std::uint64_t g = std::uint64_t{1} << 20U);`, "f"],
  ["a definition on two lines", `\nint Page::read(${five},\n  int g) const {`, "Page::read"],
  ["a constructor", `explicit Page(${five}, int g) : a_(a) {}`, "Page"],
  ["a lambda", `const auto f = [&](${five}, auto&&... g) { return a; };`, "a lambda"],
  ["a pointer to a function", `bool (*step)(${five}, int g);`, "step"],
  ["a parameter that is a function", `void f(${five}, bool (*go)(void* a, int b));`, "f"],
  ["a parameter that is a member", `void f(${five}, std::deque<Run> Half::*runs);`, "f"],
  ["an attribute", `void f(${five}, [[maybe_unused]] int g) {`, "f"],
  ["parameters without names", "void f(int, int, int, int, int, const Page&);", "f"],
  ["a comment between", `void f(${five}, /* the sixth */ int g);`, "f"],
])("%s with a sixth parameter is found", (_, text, name) => {
  expect(parameterProblems(text)).toEqual([
    `line ${String(text.startsWith("\n") ? 2 : 1)}: ${name} has 6 parameters`,
  ]);
});

test.each([
  ["five parameters", `void f(${five});`],
  ["a call", "f(a, b * c, *d, std::move(e), g[1], h);"],
  ["a call with names alone", "subsystem.add(name, clock, contents, limits, pauses, dram);"],
  ["a call with products alone", "f(a * b, c * d, e * g, h * i, j * k, l * m);"],
  ["a type with six arguments", "void f(std::tuple<int, int, int, int, int, int> a, int b);"],
  [
    "a callback with a list of its own",
    "void f(std::function<void(int a, int b)> c, int d, int e);",
  ],
  ["a comment", `// f(${five}, int g)`],
  ["a text", `const char* text = "f(${five}, int g)";`],
])("%s is no problem", (_, text) => {
  expect(mostParameters).toBe(5);
  expect(parameterProblems(text)).toEqual([]);
});
