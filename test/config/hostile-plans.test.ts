// SPDX-License-Identifier: Apache-2.0
// Plans and command lines of any contents are refused in sentences that name what is wrong.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, inTemporary } from "../helpers/cli.ts";
import { expectPlainWords, feed, type HostileFile } from "../helpers/hostile.ts";

const plan: HostileFile = { name: "p.yaml", args: (path) => ["policy", "plan", path] };
const load = "batch: 1\ninput: 1\noutput: 2\n";

describe("a plan is refused with", () => {
  it.each<[string, string, readonly RegExp[]]>([
    [
      "names that every object has",
      `model: opt-13b\nhost: { cpu: constructor, gpu: __proto__, link: toString }\n${load}`,
      [/host\.cpu: "constructor" is/, /host\.gpu: "__proto__" is/, /host\.link: "toString" is/],
    ],
    [
      "long names, all of them told",
      `model: ${"x".repeat(5000)}\nhost: { cpu: ${"y".repeat(5000)}, gpu: [], link: pcie4 }\n${load}`,
      [/model: there is no model "x+\.\.\."/, /host\.cpu: "y+\.\.\."/, /host\.gpu: a list/],
    ],
    [
      "groups and lists where rates belong",
      "model: opt-13b\nhost: { cpu: spr-amx, link: pcie4, gpu: { kind: gpu, title: t, source: s, " +
        `compute: [1], bandwidth: { a: 1 }, memory: 1 GB, power: 3 W } }\n${load}`,
      [/host\.gpu\.compute: a list is not a rate/, /host\.gpu\.bandwidth: a group is not a rate/],
    ],
    [
      "numbers out of range",
      "model: opt-13b\nhost: { cpu: spr-amx, gpu: t4 }\nbatch: -1\ninput: 1e30\noutput: .nan\n",
      [/batch: -1 is less/, /input: 1e\+30 is more/, /output: NaN is not/],
    ],
  ])("%s", async (_, text, rules) => {
    const { code, stderr } = await feed(plan, text);
    expect(code).toBe(2);
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(rules.length);
    rules.forEach((rule, i) => {
      expect(lines[i]).toMatch(rule);
      expect(lines[i]).toContain("p.yaml: ");
    });
    expectPlainWords(stderr);
  });
});

it.each([[["doctor", "stray"]], [["schema", "--json", "more"]], [["run", "q".repeat(5000)]]])(
  "a command line that is none takes one line of bounded length",
  async (words) => {
    const { code, stderr } = await cli(...words);
    expect(code).toBe(2);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expectPlainWords(stderr);
  },
);

it("a file whose name has a line end is named on one line", async () => {
  await inTemporary(async (directory) => {
    const file = join(directory, "a\nb.yaml");
    writeFileSync(file, "name: [");
    for (const command of [["run"], ["sweep"], ["explore"], ["policy", "plan"]]) {
      const { code, stderr } = await cli(...command, file);
      expect(code).toBe(2);
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
      expect(stderr).toContain("a\\u000ab.yaml: ");
    }
  });
});

it("a recorded layer without tokens takes no time, of which no share is busy", async () => {
  await inTemporary(async (directory) => {
    const file = join(directory, "t.csv");
    writeFileSync(file, "step,layer,expert,tokens\n0,0,0,0\n");
    const { code, stdout } = await cli("policy", "layer", file, "--model", "deepseek-v2", "--json");
    expect(code).toBe(0);
    expect(stdout).toContain('"gpu": 0');
    expect(stdout).not.toContain("null");
  });
});

it("what a scenario's files lack is said of the scenario", async () => {
  await inTemporary(async (directory) => {
    const file = join(directory, "s.yaml");
    writeFileSync(file, "name: s\nfidelity: analytic\nexpert: { weights: w.safetensors }\n");
    const { code, stderr } = await cli("run", file, "--out", join(directory, "out"));
    expect(code).toBe(2);
    expect(stderr).toContain(`neardata: ${file}: ${directory}/w.safetensors: `);
  });
});
