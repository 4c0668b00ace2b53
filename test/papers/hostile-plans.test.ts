// SPDX-License-Identifier: Apache-2.0
// Plans and command lines of any contents are refused with the file and every place in it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, inTemporary } from "../helpers/cli.ts";
import { expectPlainWords, feed, type HostileFile } from "../helpers/hostile.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";

const plan: HostileFile = { name: "p.yaml", args: (path) => ["policy", "plan", path] };
const load = "batch: 1\ninput: 1\noutput: 2\n";

describe("a plan is refused with", () => {
  it.each<[string, string, readonly (string | RegExp)[]]>([
    [
      "names that every object has",
      `model: opt-13b\nhost: { cpu: constructor, gpu: __proto__, link: toString }\n${load}`,
      ["p.yaml: host.cpu", "p.yaml: host.gpu", "p.yaml: host.link"],
    ],
    [
      "long names, all of them told",
      `model: ${"x".repeat(5000)}\nhost: { cpu: ${"y".repeat(5000)}, gpu: [], link: pcie4 }\n${load}`,
      [/p\.yaml: model: .*"x+\.\.\."/, /p\.yaml: host\.cpu: "y+\.\.\."/, "p.yaml: host.gpu"],
    ],
    [
      "groups and lists where rates belong",
      "model: opt-13b\nhost: { cpu: spr-amx, link: pcie4, gpu: { kind: gpu, title: t, source: s, " +
        `compute: [1], bandwidth: { a: 1 }, memory: 1 GB, power: 3 W } }\n${load}`,
      ["p.yaml: host.gpu.compute", "p.yaml: host.gpu.bandwidth"],
    ],
    [
      "numbers out of range",
      "model: opt-13b\nhost: { cpu: spr-amx, gpu: t4 }\nbatch: -1\ninput: 1e30\noutput: .nan\n",
      ["p.yaml: batch", "p.yaml: input", "p.yaml: output"],
    ],
  ])("%s", async (_, text, places) => {
    const result = await feed(plan, text);
    expect(result).toEqual(rejectedAt(...places));
    expectPlainWords(result.stderr);
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
      expect(await cli(...command, file)).toEqual(rejectedAt("a\\u000ab.yaml"));
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
    const refused = await cli("run", file, "--out", join(directory, "out"));
    expect(refused).toEqual(rejectedAt(`${file}: ${directory}/w.safetensors`));
  });
});
