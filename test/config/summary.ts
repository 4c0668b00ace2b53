// SPDX-License-Identifier: Apache-2.0
// A vitest reporter that ends the output with a summary: each project's files, tests and time, what this
// machine lacks with the number of tests that it would enable, and one line of counts for scripts.

import process from "node:process";
import type { Reporter, TestModule } from "vitest/node";

interface Project {
  files: number;
  tests: number;
  /** Of imports and of tests, in milliseconds of all workers. */
  imports: number;
  running: number;
}

/** Prints the summary when the run ends; its last line is `tests: N passed, N failed, N skipped`. */
export default class Summary implements Reporter {
  private readonly began = performance.now();

  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = [
      ...projectLines(modules, (performance.now() - this.began) / 1000),
      ...absentLines(modules),
      countsOf(modules),
    ];
    process.stdout.write(`\n${lines.join("\n")}\n`);
  }
}

function projectLines(modules: readonly TestModule[], wall: number): readonly string[] {
  const projects = new Map<string, Project>();
  for (const module of modules) {
    const name = module.project.name;
    const project = projects.get(name) ?? { files: 0, tests: 0, imports: 0, running: 0 };
    const { collectDuration, duration } = module.diagnostic();
    project.files += 1;
    project.tests += [...module.children.allTests()].length;
    project.imports += collectDuration;
    project.running += duration;
    projects.set(name, project);
  }
  const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(0)} s`;
  return [
    ...[...projects].map(
      ([name, { files, tests, imports, running }]) =>
        `${name.padEnd(5)} ${files} files, ${tests} tests: ` +
        `${seconds(imports)} of imports and ${seconds(running)} of tests in all workers`,
    ),
    `all   ${wall.toFixed(0)} s from start to end`,
  ];
}

/** Requirements that tests of the run declared with `needs` and that are absent. */
function absentLines(modules: readonly TestModule[]): readonly string[] {
  const absent = new Map<string, number>();
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      for (const name of test.meta().absent ?? []) absent.set(name, (absent.get(name) ?? 0) + 1);
    }
  }
  if (absent.size === 0) return [];
  return [
    "absent, with the tests that it would enable:",
    ...[...absent]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, tests]) => `  ${name.padEnd(20)} ${tests.toString().padStart(4)} tests`),
  ];
}

function countsOf(modules: readonly TestModule[]): string {
  const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
  let brokenFiles = 0;
  for (const module of modules) {
    if (module.state() === "failed" && module.errors().length > 0) brokenFiles += 1;
    for (const test of module.children.allTests()) counts[test.result().state] += 1;
  }
  const broken = brokenFiles === 0 ? "" : `, ${brokenFiles} files did not load`;
  const { passed, failed, skipped, pending } = counts;
  return `tests: ${passed} passed, ${failed} failed, ${skipped + pending} skipped${broken}`;
}
