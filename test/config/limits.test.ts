// SPDX-License-Identifier: Apache-2.0

import { describe, expect, it } from "vitest";
import { parseScenario } from "../../src/config/parse.ts";
import { resolveConfig } from "../../src/config/resolve.ts";
import { NeardataError } from "../../src/errors.ts";

/** What is said against a scenario, a line a problem; nothing where it is taken. */
function said(text: string): string {
  try {
    resolveConfig("s.yaml", parseScenario("s.yaml", `name: s\nfidelity: cycle\n${text}`));
    return "";
  } catch (error) {
    if (error instanceof NeardataError && error.code === "bad-input") return error.message;
    throw error;
  }
}

const small = "expert: { hidden: 64, intermediate: 64 }\n";
const timing = (text: string): string => `${small}memory: { timing: { ${text} } }`;
const heads = (text: string): string => `attention: { heads: 2, headWidth: 64, ${text} }`;

describe("what the models refuse is refused with the scenario: ", () => {
  it.each([
    ["no time between refreshes", timing("nRFC1: 1000000"), "memory.timing.nREFI: 9347 is less"],
    ["no time for a burst", timing("nBL: 0"), "memory.timing.nBL: 0 is less than 1, the least."],
    ["a burst of half its time", timing("nBL: 4"), "memory.timing.nBL: 4 is less than the 8"],
    ["a row cycle below its row's", timing("nRC: 1"), "memory.timing.nRC: 1 is less than nRAS, 7"],
    ["bursts at once", timing("nCCDS: 7"), "memory.timing.nCCDS: 7 is less than nBL, 8: two"],
    ["a queue of 4097", `${small}memory: { queueEntries: 4097 }`, "memory.queueEntries: 4097 is"],
    [
      "a queue of 4097 with its spare entry",
      `${small}memory: { queueEntries: 4096, semantics: ramulator-2.0 }`,
      "memory.queueEntries: 4096 and the spare entry",
    ],
    ["a slow clock", `${small}ndp: { clock: 0.0001 Hz }`, "ndp.clock: a frequency is a whole"],
    ["a clock of days", `${small}ndp: { clock: 999999 Hz }`, "is not from 1 MHz to 1 THz."],
    ["65537 bursts", `${small}ndp: { queueBursts: 131072 }`, "ndp.queueBursts: 131072 is not a"],
    ["a row of 10^9", "expert: { hidden: 1000000000, intermediate: 1 }", "ndp.buffer: one token"],
    [
      "more than the ranks hold",
      "expert: { hidden: 400000, intermediate: 400000 }\nndp: { buffer: 2 MiB }",
      "expert: a rank holds 268435456 bursts",
    ],
    [
      "more than a computer holds",
      "expert: { hidden: 40000, intermediate: 40000 }",
      "expert: this has 4800080000 values; a simulation holds at most 1073741824.",
    ],
    [
      "more than 9 s of simulated time",
      `${small}ndp: { clock: 1 MHz }\ntokens: [65535]`,
      "tokens: 65535 tokens take at least 25.2 s",
    ],
    [
      "too many dies",
      heads("diesPerChannel: 1000000"),
      "attention.diesPerChannel: 1000000 is more",
    ],
    ["too many heads", "attention: { heads: 1000000, headWidth: 64 }", "attention: this has"],
    [
      "heads of 48",
      "attention: { heads: 1, headWidth: 48 }",
      "attention: the engine takes 8 to 128",
    ],
    ["too many tokens", heads("length: 40000"), "attention: the engine takes heads of 1 to 32768"],
    [
      "a shared link that nobody simulates",
      heads("fidelity: analytic, sharedLink: 14 GB/s"),
      "attention.sharedLink: what devices share is simulated, at fidelity rtl or cycle.",
    ],
    [
      "a shared link too narrow",
      heads("sharedLink: 0.9 MB/s"),
      "attention.sharedLink: a shared link has 1 MB/s to 1 PB/s.",
    ],
    ["r beyond the head", heads("r: 65"), "attention.r: 65 dimensions are more than the 64"],
    [
      "seeds beyond the last",
      heads("source: { generator: hta1, firstSeed: 2147483647 }"),
      "attention.source.firstSeed: seeds of 2 heads",
    ],
  ])("%s", (_, text, message) => {
    expect(said(text)).toContain("s.yaml: ");
    expect(said(text)).toContain(message);
  });

  it("nothing at the limits", () => {
    expect(said(timing("nBL: 8, nCCDS: 8, nRFC1: 9312"))).toBe("");
    expect(said(`${small}memory: { queueEntries: 4095, semantics: ramulator-2.0 }`)).toBe("");
    expect(said(`${small}ndp: { clock: 1.1 GHz, queueBursts: 65536 }`)).toBe("");
    expect(said(heads("length: 32768, r: 64, diesPerChannel: 256"))).toBe("");
    expect(said(heads("sharedLink: 1 MB/s"))).toBe("");
    expect(said(heads("sharedLink: 1000 TB/s"))).toBe("");
  });
});
