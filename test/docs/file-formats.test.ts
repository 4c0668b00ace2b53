// SPDX-License-Identifier: Apache-2.0
// docs/reference/file-formats.md has the defaults of a replay config and the keys of results.json, and
// docs/explanation/flash.md the presets of flash.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { parseDramReplayConfig } from "../../src/kernels/dram/config.ts";
import { dramSemantics } from "../../src/machine/dram/semantics.ts";
import { flashPresets } from "../../src/machine/flash/presets.ts";
import { cli, inTemporary } from "../helpers/cli.ts";

const scenario = "scenarios/cold-expert.yaml";

const read = (...path: readonly string[]): string =>
  readFileSync(inRepository("docs", ...path), "utf8");

describe("the table of a replay config", () => {
  const [, rest = ""] = read("reference", "file-formats.md").split("### Keys of a replay config");
  const [section = ""] = rest.split("\n#");
  const rows = [...section.matchAll(/^\| `([\w.]+)` \| [^|]+ \|[^|]*\| `([^`|]+)`[^|]*\|/gm)];
  const defaults = new Map(rows.map(([, key = "", value = ""]) => [key, value]));
  const config = parseDramReplayConfig({ preset: "TriMoE" }, "a replay");

  it("has the defaults of the reader", () => {
    expect(Object.fromEntries(defaults)).toEqual({
      "organization.device_width": "4",
      semantics: "ramulator-2.0",
      address_mapper: config.mapping,
      scheduler: "FRFCFS",
      row_policy: config.rowPolicy,
      closed_row_cap: String(config.closedRowCap),
      refresh: config.refresh,
      "queues.nominal_size": String(config.queues.nominal),
      write_low_watermark: String(config.writeLowWatermark),
      write_high_watermark: String(config.writeHighWatermark),
      "injection.policy": config.injection,
      "injection.max_accepts_per_cycle": config.acceptsPerCycle === 0 ? "unlimited" : "limited",
      ecc_devices: String(config.eccDevices),
      power_down: String(config.powerDown),
    });
    expect(config.semantics).toEqual(dramSemantics("ramulator-2.0"));
  });

  it("has only keys that the reader knows", () => {
    for (const key of defaults.keys()) {
      const [first = "", second] = key.split(".");
      // A value that no key accepts: a known key is refused for its value, an unknown key is ignored or suggested.
      const document = { preset: "TriMoE", [first]: second === undefined ? [] : { [second]: [] } };
      expect(() => parseDramReplayConfig(document, "a replay"), key).toThrow(key);
    }
  });
});

describe("the table of flash presets", () => {
  const page = read("explanation", "flash.md");
  it.each(Object.values(flashPresets))("has $name", (device) => {
    const row = page.split("\n").find((line) => line.startsWith(`| \`${device.name}\``)) ?? "";
    const size = `${String(device.page_bytes / 1024)} KB`;
    const gigabytes = (2 * device.ticks_per_ns) / device.bus_ticks_per_2_bytes;
    expect(row).toContain(`| ${String(device.channels)}, ${String(gigabytes)} GB/s |`);
    expect(row).toContain(
      `| ${String(device.dies_per_channel)}, ${String(device.planes_per_die)} |`,
    );
    expect(row).toContain(
      `| ${size} | ${String(device.tR_ns / 1000)} us | ${String(device.tPROG_ns / 1000)} us |`,
    );
    expect(page).toContain(`(\`${device.arbitration}\`, the default)`);
  });
});

it("has the keys of the results.json that a run writes", () =>
  inTemporary(async (directory) => {
    const out = join(directory, "run");
    const { code } = await cli("run", scenario, "--fidelity", "analytic", "--out", out);
    expect(code).toBe(0);
    const written = JSON.parse(readFileSync(join(out, "results.json"), "utf8")) as object;
    const [, section = ""] = read("reference", "file-formats.md").split(
      "## Results of a run (JSON)",
    );
    const keys = [...section.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, key = ""]) => key),
    );
    expect(keys).toEqual(Object.keys(written));
  }));
