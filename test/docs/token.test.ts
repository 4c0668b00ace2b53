// SPDX-License-Identifier: Apache-2.0
// docs/results/token.md has the figures of its recorded results: the token of the scenario with its variations,
// and the bits per byte of all windows.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { qualityChange, recordedRun, type RecordedQuality } from "../helpers/recorded.ts";

const page = readFileSync(inRepository("docs", "results", "token.md"), "utf8").replaceAll(
  /\s+/g,
  " ",
);

/** Fails with the text alone, not with the whole page. */
function expectOnPage(text: string): void {
  expect(page.includes(text) ? text : "not on the page").toBe(text);
}

interface Steps {
  readonly tokenUs: number;
  readonly critical: Readonly<Record<string, number>>;
  readonly sensitivity: readonly {
    readonly changed: string;
    readonly to: string;
    readonly relative: number;
  }[];
}

const steps = recordedRun("token-8-steps").result as Steps;
const signed = (value: number, digits: number): string =>
  `${value < 0 ? "" : "+"}${value.toFixed(digits)}`;

describe("docs/results/token.md", () => {
  it("has the time of the token and the parts of its critical path", () => {
    const { attention = Number.NaN, experts = Number.NaN } = steps.critical;
    expectOnPage(`A token needs [${steps.tokenUs.toFixed(1)} us](headline.md): `);
    expectOnPage(`${(100 * attention).toFixed(0)} % of this time the token waits for attention, `);
    expectOnPage(`in ${(100 * experts).toFixed(0)} % for experts,`);
  });

  it.each([
    ["the link of the host has four times the rate", "link of the host", "4x"],
    ["one DIMM", "DIMMs", "1"],
    ["one storage device", "storage devices", "1"],
    ["SparF at 1/16", "ratio", "1/16"],
    ["SparF at 1/2", "ratio", "1/2"],
    ["dense attention", "ratio", "dense"],
  ])("has the time with %s", (row, changed, to) => {
    const found = steps.sensitivity.find((one) => one.changed === changed && one.to === to);
    expectOnPage(`| ${row} | ${signed(100 * ((found?.relative ?? Number.NaN) - 1), 1)} |`);
  });

  const dense = recordedRun("tinymoe-dense").result as RecordedQuality;
  it.each([
    ["FP16, SparF at 1/8", "tinymoe-sparf-8"],
    ["MXFP4, dense", "tinymoe-mxfp4"],
    ["MXFP4, SparF at 1/8", "tinymoe-mxfp4-sparf-8"],
  ])("has the change in bits per byte of %s, and its standard error", (row, name) => {
    const { mean, error } = qualityChange(recordedRun(name).result as RecordedQuality, dense);
    expectOnPage(`| ${row} | ${signed(mean, 4)} | ${error.toFixed(4)} |`);
  });
});
