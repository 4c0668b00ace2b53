// SPDX-License-Identifier: Apache-2.0
// A vitest reporter that ends the output with one plain line of counts, for people and scripts.

import process from "node:process";
import type { Reporter, TestModule } from "vitest/node";

/** Prints `tests: N passed, N failed, N skipped` when the run ends. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    let brokenFiles = 0;
    for (const module of modules) {
      if (module.state() === "failed" && module.errors().length > 0) brokenFiles += 1;
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
    }
    const broken = brokenFiles === 0 ? "" : `, ${brokenFiles.toString()} files did not load`;
    const { passed, failed, skipped, pending } = counts;
    process.stdout.write(
      `\ntests: ${passed.toString()} passed, ${failed.toString()} failed, ` +
        `${(skipped + pending).toString()} skipped${broken}\n`,
    );
  }
}
