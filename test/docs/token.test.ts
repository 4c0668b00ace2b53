// SPDX-License-Identifier: Apache-2.0
// docs/results/token.md has the figures of its recorded results: the token of the scenario with its variations and its
// energy, and the bits per byte of all windows.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";

const page = readFileSync(inRepository("docs", "results", "token.md"), "utf8").replaceAll(
  /\s+/g,
  " ",
);

/** Fails with the text alone, not with the whole page. */
function expectOnPage(text: string): void {
  expect(page.includes(text) ? text : "not on the page").toBe(text);
}

const recorded = (name: string): unknown =>
  (
    JSON.parse(readFileSync(inRepository("data", "recorded", `${name}.json`), "utf8")) as {
      result: unknown;
    }
  ).result;

interface Steps {
  readonly tokenUs: number;
  readonly critical: Readonly<Record<string, number>>;
  readonly energy: {
    readonly joules: number;
    readonly parts: readonly { readonly part: string; readonly joules: number }[];
  };
  readonly sensitivity: readonly {
    readonly changed: string;
    readonly to: string;
    readonly relative: number;
  }[];
}

interface Quality {
  readonly bitsPerByte: number;
  readonly windows: readonly { readonly window: number; readonly bits: number }[];
}

const steps = recorded("token-8-steps") as Steps;
const percent = (share: number): string =>
  `${share < 0 ? "-" : "+"}${Math.abs(100 * share).toFixed(1)} %`;

describe("docs/results/token.md", () => {
  it("has the time of the token and the parts of its critical path", () => {
    const { attention = Number.NaN, experts = Number.NaN } = steps.critical;
    const share = (part: number): string => `${(100 * part).toFixed(1)} %`;
    expectOnPage(`A token needs ${steps.tokenUs.toFixed(1)} us.`);
    expectOnPage(
      `waits for attention ${share(attention)} of this time, for experts ${share(experts)}`,
    );
    expectOnPage(`link ${share(1 - attention - experts)}.`);
  });

  it.each([
    ["four times the rate of the host's link", "link of the host", "4x"],
    ["one DIMM instead of four", "DIMMs", "1"],
    ["one storage device instead of two", "storage devices", "1"],
    ["SparF at 1/16", "ratio", "1/16"],
    ["SparF at 1/2", "ratio", "1/2"],
    ["dense attention", "ratio", "dense"],
  ])("has the time with %s", (row, changed, to) => {
    const found = steps.sensitivity.find((one) => one.changed === changed && one.to === to);
    expectOnPage(`| ${row} | ${percent((found?.relative ?? Number.NaN) - 1)} |`);
  });

  it("has the energy of the eight steps", () => {
    const sum = (names: readonly string[]): number =>
      1000 *
      steps.energy.parts
        .filter(({ part }) => names.includes(part))
        .reduce((all, { joules }) => all + joules, 0);
    const host = sum(["host at work", "host waiting"]);
    const idle = sum(["DIMMs: refresh", "DIMMs: standby"]);
    const rest = 1000 * steps.energy.joules - host - idle;
    expectOnPage(
      `the host ${host.toFixed(1)} mJ, standby and refresh of the DIMMs ${idle.toFixed(1)} mJ, all other parts ${rest.toFixed(1)} mJ.`,
    );
  });

  const dense = recorded("tinymoe-dense") as Quality;
  it.each([
    ["FP16, dense", "tinymoe-dense"],
    ["FP16, SparF 1/8", "tinymoe-sparf-8"],
    ["MXFP4, dense", "tinymoe-mxfp4"],
    ["MXFP4, SparF 1/8", "tinymoe-mxfp4-sparf-8"],
  ])(
    "has the bits per byte of %s and their difference to FP16 and dense attention",
    (row, name) => {
      const { bitsPerByte, windows } = recorded(name) as Quality;
      // Scored bytes of a window.
      const bytes = 512;
      const differences = windows.map(
        ({ bits }, i) => (bits - (dense.windows[i]?.bits ?? Number.NaN)) / bytes,
      );
      const mean = differences.reduce((sum, one) => sum + one, 0) / differences.length;
      const spread =
        differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (differences.length - 1);
      const error = Math.sqrt(spread / differences.length);
      const difference =
        name === "tinymoe-dense"
          ? ""
          : `${mean < 0 ? "" : "+"}${mean.toFixed(4)} (${error.toFixed(4)}) `;
      expectOnPage(`| ${row} | ${bitsPerByte.toFixed(4)} | ${difference}|`);
    },
  );
});
