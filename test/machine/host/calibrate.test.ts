// SPDX-License-Identifier: Apache-2.0
// `neardata calibrate` and devices of the user's own: the measurements are written as a device that
// `policy plan` accepts; a wrong field is refused with its place.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calibratedDevice } from "../../../src/machine/host/reading.ts";
import { deviceText, parseDevice } from "../../../src/machine/host/device-file.ts";
import { cli, inTemporary } from "../../helpers/cli.ts";
import { rejection } from "../../helpers/rejection.ts";

const expertBytes = 3 * 4096 * 1536 * 2;

/** A card of 600 TFLOPS and 3 TB/s, as the script would report it. */
const measured = {
  format: "neardata-calibration",
  version: 1,
  device: { kind: "gpu", name: "Test card", memory_bytes: 80 * 2 ** 30, power_watts: 350 },
  software: { torch: "2.9.0", driver: "580.1", date: "2025-01-31" },
  expert: {
    hidden: 4096,
    intermediate: 1536,
    bytes: expertBytes,
    points: [1, 16, 256, 4096].map((tokens) => ({
      tokens,
      seconds: 15e-6 + (tokens * expertBytes) / 500e12,
    })),
  },
  rates: {
    gemm_flops_per_second: 600e12,
    gemv_bytes_per_second: 2.9e12,
    memory_bytes_per_second: 3e12,
  },
  link: { to_device_bytes_per_second: 55e9, to_host_bytes_per_second: 54e9 },
};

describe("calibration", () => {
  it("keeps rates, curve and provenance through the device file", () => {
    const device = calibratedDevice(measured, "m.json", {});
    const { processor, link } = parseDevice("d.yaml", deviceText(device));
    expect(processor.compute.effective).toMatchObject({ value: 600e12, class: "measured" });
    expect(processor.compute.effective.source).toMatch(/2025-01-31 .*2\.9\.0, driver 580\.1/);
    expect(processor.bandwidth.effective.value).toBe(3e12);
    expect(link?.rate.effective.value).toBe(55e9);
    expect(processor.memory).toBe(80 * 2 ** 30);
    expect(processor.expert?.times.map(([n]) => n)).toEqual([1, 16, 256, 4096]);
    const last = processor.expert?.times.at(-1)?.[1] ?? NaN;
    expect(last / (measured.expert.points.at(-1)?.seconds ?? NaN)).toBeCloseTo(1, 5);
  });

  it("says under which conditions a CPU was measured, and what was given by hand", () => {
    const conditions = {
      threads: 1,
      cores: 2,
      clock: "processor time",
      statistic: "best",
      load: 10.24,
      frequency_hz: 2.3e9,
    };
    const cpu = { ...measured, device: { ...measured.device, kind: "cpu" }, conditions };
    const { source } = calibratedDevice(cpu, "m.json", { watts: 6 });
    expect(source).toMatch(
      /1 thread of 2 cores at 2\.3 GHz, best processor time.* load .*10\.2; power given by hand$/,
    );
  });

  it("never takes longer for fewer tokens", () => {
    const points = [40e-6, 30e-6, 35e-6].map((seconds, i) => ({ tokens: 2 ** i, seconds }));
    const device = calibratedDevice(
      { ...measured, expert: { ...measured.expert, points } },
      "m",
      {},
    );
    expect(device.expert?.times).toEqual([
      [1, 30e-6],
      [2, 30e-6],
      [4, 35e-6],
    ]);
  });

  it("finds an expert that was read faster than the memory gives", () => {
    const points = [1, 2].map((tokens) => ({ tokens, seconds: 5e-6 }));
    const wrong = { ...measured, expert: { ...measured.expert, points } };
    expect(() => calibratedDevice(wrong, "m.json", {})).toThrow(
      rejection("check-failed", "m.json: expert.points[0]", "m.json: expert.points[1]"),
    );
  });
});

describe("neardata calibrate", () => {
  const run = (document: unknown, ...flags: string[]): ReturnType<typeof cli> =>
    inTemporary((directory) => {
      const path = join(directory, "m.json");
      writeFileSync(path, JSON.stringify(document));
      return cli("calibrate", path, ...flags);
    });

  it("prints a device", async () => {
    const { code, stdout } = await run(measured, "--title", "My card");
    expect(code).toBe(0);
    expect(parseDevice("-", stdout).processor.title).toBe("My card");
  });

  it("asks for what was not measured, and takes it", async () => {
    const cpu = { kind: "cpu", name: "Test CPU", memory_bytes: null, power_watts: null };
    const bare = { ...measured, device: cpu, link: null };
    const refused = await run(bare);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/device\.memory_bytes: .*--memory/);
    expect(refused.stderr).toMatch(/device\.power_watts: .*--power/);
    const taken = await run(bare, "--memory", "512 GiB", "--power", "330 W", "--json");
    expect(taken.code).toBe(0);
    expect(JSON.parse(taken.stdout)).toMatchObject({ kind: "cpu", memory: 2 ** 39, power: 330 });
    const unit = await run(bare, "--memory", "512", "--power", "330 W");
    expect(unit.code).toBe(2);
    expect(unit.stderr).toMatch(/--memory: .*512/);
  });

  it.each([
    ["another document", { format: "x" }, /format: /],
    ["no points", { ...measured, expert: { bytes: 1, points: [] } }, /expert\.points: /],
    [
      "a rate of nothing",
      { ...measured, rates: { gemm_flops_per_second: 0 } },
      /rates\.gemm_flops_per_second: /,
    ],
  ])("refuses %s", async (_, document, where) => {
    const { code, stderr } = await run(document);
    expect(code).toBe(2);
    expect(stderr).toMatch(where);
  });

  it("exits 1 when times contradict rates", async () => {
    const rates = { ...measured.rates, gemm_flops_per_second: 1e12 };
    expect((await run({ ...measured, rates })).code).toBe(1);
  });
});

describe("neardata policy layer", () => {
  it("takes measured experts in place of the paper's devices", async () => {
    const times = await inTemporary(async (directory) => {
      const trace = join(directory, "t.csv");
      writeFileSync(trace, "step,layer,expert,tokens\n0,0,0,300\n0,0,1,40\n");
      const card = join(directory, "card.yaml");
      writeFileSync(card, deviceText(calibratedDevice(measured, "m", {})));
      const time = async (...flags: string[]): Promise<unknown> => {
        const model = ["--model", "qwen3-235b-a22b", "--json"];
        const { stdout, code } = await cli("policy", "layer", trace, ...model, ...flags);
        expect(code).toBe(0);
        return (JSON.parse(stdout) as { layers: unknown }).layers;
      };
      const wrong = await cli("policy", "layer", trace, "--model", "glm-4.5-air", "--cpu", card);
      expect(wrong.code).toBe(2);
      expect(wrong.stderr).toMatch(/--cpu: .*gpu/);
      const none = await cli("policy", "layer", trace, "--model", "glm-4.5-air", "--gpu", "t4");
      expect(none.stderr).toMatch(/--gpu: T4 /);
      return [await time(), await time("--gpu", card)];
    });
    expect(times[0]).not.toEqual(times[1]);
  });
});

describe("neardata policy plan", () => {
  const plan = (host: string): Promise<Awaited<ReturnType<typeof cli>>> =>
    inTemporary(async (directory) => {
      const device = deviceText(calibratedDevice(measured, "m", {}));
      writeFileSync(join(directory, "card.yaml"), device);
      const path = join(directory, "plan.yaml");
      writeFileSync(path, `model: opt-30b\nbatch: 64\ninput: 256\noutput: 32\nhost: ${host}\n`);
      return cli("policy", "plan", path, "--json");
    });
  const systems = (stdout: string): unknown => (JSON.parse(stdout) as { systems: unknown }).systems;

  it("takes built-in names, a calibrated file with its link, and a device in place", async () => {
    const named = await plan("{cpu: spr-amx, gpu: a100-40, link: pcie4}");
    expect(named.code).toBe(0);
    expect(systems(named.stdout)).toMatchObject([
      { system: "LIA", prefill: "000000", decode: "111111" },
      { system: "IPEX", prefill: "111111" },
      { system: "FlexGen", decode: "011000" },
    ]);
    const cliResult = await plan("{cpu: spr-amx, gpu: card.yaml}");
    expect(cliResult.code).toBe(0);
    const text = deviceText(calibratedDevice(measured, "m", {})).replaceAll("\n", "\n    ");
    const inPlace = await plan(`\n  cpu: spr-amx\n  gpu:\n    ${text.trimEnd()}`);
    expect(systems(inPlace.stdout)).toEqual(systems(cliResult.stdout));
  });

  it.each([
    ["{cpu: spr-amx, gpu: a100, link: pcie4}", /host\.gpu: "a100"/],
    ["{cpu: spr-amx, gpu: a100-40}", /host\.link: .*missing/],
    ["{cpu: card.yaml, gpu: a100-40, link: pcie4}", /host\.cpu: .*gpu/],
    ["{cpu: {kind: cpu}, gpu: a100-40, link: pcie9}", /host\.cpu\.compute[\s\S]*host\.link/],
    ["{cpu: spr-amx, gpu: none.yaml}", /none\.yaml: /],
  ])("refuses %s", async (host, where) => {
    const { code, stderr } = await plan(host);
    expect(code).toBe(2);
    expect(stderr).toMatch(where);
  });

  it("solves the plan that ships", async () => {
    const path = join(import.meta.dirname, "../../../scenarios/plan-opt-175b.yaml");
    expect(readFileSync(path, "utf8")).toContain("opt-175b");
    const { stdout, code } = await cli("policy", "plan", path);
    expect(code).toBe(0);
    expect(stdout).toMatch(/LIA +prefill 000000, decode 011000/);
  });
});
