// SPDX-License-Identifier: Apache-2.0
// A device file that names an RTL unit, from the command line to the page: the unit is compiled at its full
// size, simulated behind its memory, and its rates are what the paper's policy decides with.

import { expect, it } from "vitest";
import { inRepository } from "../../src/base/paths.ts";
import { cli } from "../helpers/cli.ts";

interface Found {
  readonly devices: readonly string[];
  readonly experiments: readonly {
    readonly rows: readonly {
      readonly what: string;
      readonly paper: number;
      readonly own: number;
    }[];
  }[];
}

it("TriMoE decides with a DIMM whose unit is the user's RTL", async () => {
  const file = inRepository("data", "devices", "plain-gemv-dimm.yaml");
  const options = ["--device", file, "--only", "trimoe/device", "--json"];
  const { code, stdout, stderr } = await cli("reproduce", "trimoe", ...options);
  expect(code, stderr).toBe(0);
  const { devices, experiments } = JSON.parse(stdout) as Found;
  // The file's content and the unit's sources.
  expect(devices).toHaveLength(2);
  const rows = experiments[0]?.rows ?? [];
  const row = (what: string): Found["experiments"][number]["rows"][number] | undefined =>
    rows.find((one) => one.what === what);
  // Slower than the published unit, as it waits for refresh; systems without NDP do not use its rates. Relayout is a
  // greedy search, which may find better places with a slower DIMM, so that a layer is not always slower.
  // `test/papers/own-device.test.ts` shows that it is without relayout.
  for (const system of ["MoNDE", "TriMoE"]) {
    const layer = row(`${system}, a layer's experts`);
    expect(layer?.own).not.toBe(layer?.paper);
    expect(Math.abs((layer?.own ?? NaN) / (layer?.paper ?? NaN) - 1)).toBeLessThan(0.02);
  }
  const without = row("Klotski, a layer's experts");
  expect(without?.own).toBe(without?.paper);
}, 900_000);
