// SPDX-License-Identifier: Apache-2.0

import { describe, expect, it } from "vitest";
import { parseScenario } from "../../src/scenario/parse.ts";
import { resolveConfig } from "../../src/scenario/resolve.ts";
import { rejection } from "../helpers/rejection.ts";

const resolve = (text: string): unknown =>
  resolveConfig("s.yaml", parseScenario("s.yaml", `name: s\nfidelity: cycle\n${text}`));

const small = "expert: { hidden: 64, intermediate: 64 }\n";
const timing = (text: string): string => `${small}memory: { timing: { ${text} } }`;
const heads = (text: string): string => `attention: { heads: 2, headWidth: 64, ${text} }`;

describe("what the models refuse is refused with the scenario: ", () => {
  it.each([
    ["no time between refreshes", timing("nRFC1: 1000000"), "memory.timing.nREFI"],
    ["no time for a burst", timing("nBL: 0"), /: memory\.timing\.nBL: 0 .* 1,/],
    ["a burst of half its time", timing("nBL: 4"), /: memory\.timing\.nBL: 4 .* 8 /],
    ["a row cycle below its row's", timing("nRC: 1"), "memory.timing.nRC"],
    ["bursts at once", timing("nCCDS: 7"), "memory.timing.nCCDS"],
    ["a queue of 4097", `${small}memory: { queueEntries: 4097 }`, /: memory\.queueEntries: 4097 /],
    [
      "a queue of 4097 with its spare entry",
      `${small}memory: { queueEntries: 4096, semantics: ramulator-2.0 }`,
      /: memory\.queueEntries: 4096 .*spare/,
    ],
    ["a slow clock", `${small}ndp: { clock: 0.0001 Hz }`, /: ndp\.clock: .*whole/],
    ["a clock of days", `${small}ndp: { clock: 999999 Hz }`, /: ndp\.clock: .*1 MHz to 1 THz/],
    ["65537 bursts", `${small}ndp: { queueBursts: 131072 }`, "ndp.queueBursts"],
    [
      "biases for which the buffer has no room",
      "expert: { hidden: 2816, intermediate: 64, biases: true }\nndp: { buffer: 8 KiB }",
      /: ndp\.buffer: one token of 2817 inputs /,
    ],
    ["a row of 10^9", "expert: { hidden: 1000000000, intermediate: 1 }", "ndp.buffer"],
    [
      "more than the ranks hold",
      "expert: { hidden: 400000, intermediate: 400000 }\nndp: { buffer: 2 MiB }",
      /: expert: .* 268435456 bursts/,
    ],
    [
      "more than a computer holds",
      "expert: { hidden: 40000, intermediate: 40000 }",
      /: expert: .* 4800080000 .* 1073741824/,
    ],
    [
      "more than 9 s of simulated time",
      `${small}ndp: { clock: 1 MHz }\ntokens: [65535]`,
      /: tokens: .* 25\.2 s/,
    ],
    ["too many dies", heads("diesPerChannel: 1000000"), "attention.diesPerChannel"],
    ["too many heads", "attention: { heads: 1000000, headWidth: 64 }", /: attention: this has /],
    ["heads of 48", "attention: { heads: 1, headWidth: 48 }", /: attention: .* 8 to 128 /],
    ["too many tokens", heads("length: 40000"), /: attention: .* 1 to 32768 /],
    [
      "a shared link that nobody simulates",
      heads("fidelity: analytic, sharedLink: 14 GB/s"),
      /: attention\.sharedLink: .*rtl or cycle/,
    ],
    [
      "a shared link too narrow",
      heads("sharedLink: 0.9 MB/s"),
      /: attention\.sharedLink: .*1 MB\/s to 1 PB\/s/,
    ],
    ["r beyond the head", heads("r: 65"), "attention.r"],
    [
      "seeds beyond the last",
      heads("source: { generator: hta1, firstSeed: 2147483647 }"),
      "attention.source.firstSeed",
    ],
  ])("%s", (_, text, where) => {
    const place = typeof where === "string" ? `s.yaml: ${where}` : where;
    expect(() => resolve(text)).toThrow(rejection("bad-input", place));
  });

  it.each([
    timing("nBL: 8, nCCDS: 8, nRFC1: 9312"),
    `${small}memory: { queueEntries: 4095, semantics: ramulator-2.0 }`,
    `${small}ndp: { clock: 1.1 GHz, queueBursts: 65536 }`,
    heads("length: 32768, r: 64, diesPerChannel: 256"),
    heads("sharedLink: 1 MB/s"),
    heads("sharedLink: 1000 TB/s"),
  ])("nothing at the limits: %s", (text) => {
    expect(() => resolve(text)).not.toThrow();
  });
});
