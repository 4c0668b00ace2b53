// SPDX-License-Identifier: Apache-2.0
// Devices of the user's own in the papers' machines: a file with the paper's own rates changes nothing,
// every documented field of a policy changes one of its numbers, and faults of all files are reported at once.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { deviceExperiments, deviceUses } from "../../src/papers/reproduction/own-devices.ts";
import type { Numbers } from "../../src/papers/experiment/own-device-rows.ts";
import { study } from "../../src/papers/trimoe/figures/run.ts";
import { present } from "../../src/base/present.ts";
import { curveTime } from "../../src/machine/host/curve.ts";
import { parseDevices, type UnitMeasure } from "../../src/machine/host/near-device-file.ts";
import { inRepository } from "../../src/base/paths.ts";
import type { Paper } from "../../src/papers/experiment/fact.ts";
import { bytesPerSecond, flopsPerSecond } from "../../src/base/units.ts";
import { cli, inTemporary } from "../helpers/cli.ts";
import { rejection } from "../helpers/rejection.ts";
import { full } from "../helpers/tier.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";

type Fields = Readonly<Record<string, string | number>>;

const named = { title: "mine", source: "a test" };
const gpu: Fields = {
  kind: "gpu",
  ...named,
  compute: "100 TFLOPS",
  bandwidth: "400 GB/s",
  memory: "24 GiB",
  power: "200 W",
  link: "20 GB/s",
};
const cpu: Fields = {
  kind: "cpu",
  ...named,
  compute: "10 TFLOPS",
  bandwidth: "100 GB/s",
  memory: "64 GiB",
  power: "200 W",
};
/** Of a host that has room for LIA's loads. */
const roomy: Fields = { ...cpu, memory: "512 GiB" };
const ndp: Fields = {
  kind: "ndp",
  ...named,
  compute: "100 GFLOPS",
  bandwidth: "40 GB/s",
  memory: "64 GiB",
  count: 8,
  hostBandwidth: "20 GB/s",
  link: "5 GB/s",
};
const csd: Fields = {
  kind: "csd",
  ...named,
  compute: "3 GFLOPS",
  bandwidth: "4 GB/s",
  memory: "300 GB",
  count: 2,
  write: "1 GB/s",
  link: "2 GB/s",
};

const noUnit: UnitMeasure = () => Promise.reject(new Error("no device has a unit"));

/**
 * Results that were requested before: those of a policy without a device, and with the device
 * above.
 */
const known = new Map<string, Promise<Numbers>>();

async function numbersOf(paper: Paper, ...files: readonly Fields[]): Promise<Numbers> {
  const use = deviceUses.find((one) => one.paper === paper);
  const texts = files.map((file, i) => [`${i}.yaml`, stringify(file)] as const);
  const key = `${paper} ${JSON.stringify(texts)}`;
  const devices = await parseDevices(texts, noUnit);
  const found = known.get(key) ?? use?.numbers(devices) ?? Promise.resolve([]);
  known.set(key, found);
  return found;
}

/** A field and another value of it, which changes a number if the other fields are those above. */
type Change = readonly [paper: Paper, device: Fields, field: string, value: string | number];
const changes: readonly Change[] = [
  ["lia", gpu, "compute", "200 TFLOPS"],
  ["lia", gpu, "bandwidth", "800 GB/s"],
  ["lia", gpu, "memory", "80 GiB"],
  ["lia", gpu, "power", "400 W"],
  ["lia", gpu, "link", "40 GB/s"],
  ["lia", cpu, "compute", "20 TFLOPS"],
  ["lia", cpu, "bandwidth", "200 GB/s"],
  ["lia", roomy, "power", "400 W"],
  ["trimoe", gpu, "compute", "20 TFLOPS"],
  ["trimoe", gpu, "bandwidth", "4 GB/s"],
  ["trimoe", gpu, "memory", "80 GiB"],
  ["trimoe", gpu, "link", "40 GB/s"],
  ["trimoe", cpu, "compute", "20 TFLOPS"],
  ["trimoe", cpu, "bandwidth", "200 GB/s"],
  ["trimoe", ndp, "compute", "50 GFLOPS"],
  ["trimoe", ndp, "bandwidth", "80 GB/s"],
  ["trimoe", ndp, "count", 16],
  ["trimoe", ndp, "hostBandwidth", "40 GB/s"],
  ["trimoe", ndp, "link", "25 GB/s"],
  ["instinfer", gpu, "compute", "200 TFLOPS"],
  ["instinfer", gpu, "bandwidth", "800 GB/s"],
  ["instinfer", gpu, "memory", "96 GiB"],
  ["instinfer", cpu, "memory", "512 GiB"],
  ["instinfer", csd, "compute", "6 GFLOPS"],
  ["instinfer", csd, "bandwidth", "2 GB/s"],
  ["instinfer", csd, "memory", "100 GB"],
  ["instinfer", csd, "count", 4],
  ["instinfer", csd, "link", "1 GB/s"],
  ["flexgen", gpu, "compute", "10 TFLOPS"],
  ["flexgen", gpu, "bandwidth", "40 GB/s"],
  ["flexgen", gpu, "memory", "48 GiB"],
  ["flexgen", gpu, "link", "5 GB/s"],
  ["flexgen", cpu, "bandwidth", "1 GB/s"],
  ["flexgen", cpu, "memory", "512 GiB"],
  ["flexgen", csd, "bandwidth", "1 GB/s"],
  ["flexgen", csd, "link", "1 GB/s"],
  ["flexgen", csd, "memory", "30 GB"],
  ["flexgen", csd, "count", 1],
  ["flexgen", csd, "write", "20 MB/s"],
  ["llmshare", gpu, "compute", "10 TFLOPS"],
  ["llmshare", gpu, "bandwidth", "100 GB/s"],
  ["llmshare", gpu, "memory", "80 GiB"],
  ["llmshare", gpu, "link", "1 GB/s"],
];

describe("a device of the user's own", () => {
  const cases = changes.map(
    ([p, device, f, value]) => [p, device["kind"], f, device, value] as const,
  );

  // By default one rate of each kind of device, of one paper.
  const tried = cases.filter(([, kind], i) => full || cases.findIndex(([, k]) => k === kind) === i);
  it.each(tried)("%s reads of a %s its %s", async (paper, _, field, device, value) => {
    const before = await numbersOf(paper, device);
    const after = await numbersOf(paper, { ...device, [field]: value });
    expect(before.length).toBeGreaterThan(2);
    expect(after).not.toEqual(before);
  });

  it("is read by every policy that has a use for its kind, in words too", () => {
    const covered = new Set(changes.map(([paper, { kind }]) => `${paper} ${String(kind)}`));
    const said = deviceUses.flatMap((u) => Object.keys(u.reads).map((k) => `${u.paper} ${k}`));
    expect([...covered].toSorted()).toEqual(said.toSorted());
  });

  it("with the paper's own rates changes nothing", async () => {
    const { kind, title, source } = { ...named, kind: "csd" };
    const same: readonly (readonly [Paper, Fields])[] = [
      ["trimoe", { ...ndp, compute: "256 GFLOPS", bandwidth: "153.6 GB/s", count: 16 }],
      [
        "instinfer",
        { kind, title, source, bandwidth: "11.2 GB/s", link: "3.9 GB/s", memory: "2000 GB" },
      ],
      [
        "flexgen",
        { kind, title, source, bandwidth: "2.806 GB/s", link: "3.9 GB/s", memory: "1500 GiB" },
      ],
      [
        "lia",
        { ...cpu, compute: "20 TFLOPS", bandwidth: "199 GB/s", memory: "512 GiB", power: "330 W" },
      ],
    ];
    for (const [paper, device] of same) {
      const links = { hostBandwidth: "38.4 GB/s", link: "25 GB/s" };
      const theirs = await numbersOf(paper);
      const numbers = await numbersOf(
        paper,
        device["kind"] === "ndp" ? { ...device, ...links } : device,
      );
      expect(numbers.length).toBe(theirs.length);
      for (const [i, [what, , value]] of numbers.entries()) {
        // FlexGen in LIA's figures computes with AVX only, a user's own CPU does not.
        if (paper === "lia" && what.startsWith("FlexGen")) continue;
        const expected = theirs[i]?.[2] ?? NaN;
        if (typeof value === "number") expect(value / Number(expected), what).toBeCloseTo(1, 9);
        else expect(value, what).toBe(expected);
      }
    }
  });
});

describe("a DIMM with slower rates", () => {
  const layers = (relayout: boolean): readonly number[] =>
    (
      [
        [153.6e9, 256e9],
        [150e9, 256e9],
        [140e9, 256e9],
        [140e9, 255e9],
        [120e9, 250e9],
      ] as const
    ).map(([bandwidth, rate]) => {
      const rates = { ndpBandwidth: bytesPerSecond(bandwidth), ndpRate: flopsPerSecond(rate) };
      const results = study(
        { model: "qwen3-235b-a22b", batch: 512, relayout, machine: { rates }, steps: 4 },
        ["MoNDE"],
      );
      return present(results.get("MoNDE")).time;
    });

  it("makes a layer of MoNDE slower where no expert moves", () => {
    const times = layers(false);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(times).size).toBe(times.length);
  });

  it("changes a layer of MoNDE by a few percent where the relayout finds other places", () => {
    const [published = NaN, ...slower] = layers(true);
    for (const time of slower) expect(Math.abs(time / published - 1)).toBeLessThan(0.05);
  });
});

describe("the devices of data/devices", () => {
  const folder = inRepository("data", "devices");
  const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  const measure: UnitMeasure = (_, unit) => {
    expect(existsSync(inRepository(unit, "unit.yaml"))).toBe(true);
    const rates = { bandwidth: bytesPerSecond(1e9), compute: flopsPerSecond(1e9) };
    return Promise.resolve({ ...rates, digest: unit });
  };
  const read = async (name: string): ReturnType<typeof parseDevices> =>
    parseDevices([[name, readFileSync(join(folder, name), "utf8")]], measure);

  it.each(files)("%s is read, and named in the README", async (name) => {
    expect(Object.keys(await read(name))).toHaveLength(1);
    expect(readFileSync(join(folder, "README.md"), "utf8")).toContain(`\`${name}\``);
  });

  it.each(["plain-gemv-dimm.yaml", "finite-filter-csd.yaml"])(
    "%s has what its RTL unit reaches on every page that reads it",
    async (name) => {
      const experiments = deviceExperiments(await read(name), undefined);
      expect(experiments.length).toBeGreaterThan(0);
      for (const { id, run } of experiments) {
        const texts = (await run()).blocks.map((block) =>
          block.kind === "prose" ? block.text : "",
        );
        expect(texts.join(" "), id).toContain(
          "Its RTL unit, simulated behind its memory, reads 1.00 GB/s",
        );
      }
    },
  );

  it("have figure 5's shape in the measured core: flat while weights come, then in proportion", async () => {
    const curve = (await read("xeon-core.yaml")).cpu?.processor.expert?.times ?? [];
    const rate = (n: number): number => n / curveTime(curve, n);
    expect(rate(8) / rate(1)).toBeGreaterThan(4);
    expect(rate(1024) / rate(128)).toBeGreaterThan(0.9);
    expect(rate(1024) / rate(128)).toBeLessThan(1.2);
  });
});

describe("files of devices", () => {
  const parse = (...files: readonly (readonly [string, string])[]): Promise<unknown> =>
    parseDevices(files, noUnit);

  it("have the faults of all told at once", async () => {
    const faulty = parse(
      ["a.yaml", stringify({ ...ndp, bandwidth: "fast", channels: 3 })],
      ["b.yaml", stringify({ ...csd, link: undefined })],
      ["c.yaml", stringify({ ...cpu, kind: "tpu" })],
      ["d.yaml", stringify({ ...gpu, power: "2" })],
      ["e.yaml", stringify({ ...ndp, unit: "u", memory: 3 })],
      ["f.yaml", stringify({ ...csd, unit: "u", memory: 3 })],
    );
    const places = [
      ...["a.yaml: bandwidth", "a.yaml: channels", "b.yaml: link", "c.yaml: kind"],
      ...["d.yaml: power", "e.yaml: memory", "e.yaml: bandwidth", "e.yaml: compute"],
      ...["f.yaml: memory", "f.yaml: bandwidth", "f.yaml: compute"],
    ];
    await expect(faulty).rejects.toThrow(rejection("bad-input", ...places));
    const twice = parse(["a.yaml", stringify(gpu)], ["b.yaml", stringify(gpu)]);
    await expect(twice).rejects.toThrow(rejection("bad-input", /^--device: .*a\.yaml and b\.yaml/));
    for (const text of ["[]", "kind: csd\nkind: ndp\n"]) {
      await expect(parse(["a.yaml", text])).rejects.toThrow(rejection("bad-input", "a.yaml"));
    }
  });

  it("may name an RTL unit in place of rates, simulated when every file is sound", async () => {
    const asked: string[] = [];
    const measure: UnitMeasure = (kind, folder, file) => {
      asked.push(`${kind} ${folder} ${file}`);
      const rates = { bandwidth: bytesPerSecond(7e9), compute: flopsPerSecond(9e9) };
      return Promise.resolve({ ...rates, digest: folder });
    };
    const text = ({ bandwidth: _, compute: __, ...rest }: Fields): string =>
      stringify({ ...rest, unit: "my/unit" });
    const files = [["n.yaml", text(ndp)] as const, ["c.yaml", text(csd)] as const];
    const devices = await parseDevices(files, measure);
    expect(asked).toEqual(["ndp my/unit n.yaml", "csd my/unit c.yaml"]);
    expect(devices.ndp).toMatchObject({
      bandwidth: 7e9,
      compute: 9e9,
      hostBandwidth: 20e9,
      digest: "my/unit",
    });
    expect(devices.csd).toMatchObject({ bandwidth: 7e9, compute: 9e9, write: 1e9 });
    await expect(parse(["n.yaml", stringify({ ...ndp, unit: "my/unit" })])).rejects.toThrow(
      rejection("bad-input", "n.yaml: bandwidth", "n.yaml: compute"),
    );
    const neither = stringify({ ...csd, bandwidth: undefined });
    await expect(parse(["c.yaml", neither])).rejects.toThrow(
      rejection("bad-input", "c.yaml: bandwidth"),
    );
  });

  it("stand in the page, in the hash and in JSON; a paper without a use says so", () =>
    inTemporary(async (directory) => {
      const file = (name: string, fields: Fields): string => {
        const path = join(directory, name);
        writeFileSync(path, stringify(fields));
        return path;
      };
      const [mine, other] = [file("csd.yaml", csd), file("ndp.yaml", ndp)];
      const options = ["--only", "instinfer/device", "--out", directory, "--json"];
      const { code, stdout } = await cli("reproduce", "instinfer", "--device", mine, ...options);
      expect(code).toBe(0);
      const found = JSON.parse(stdout) as {
        devices: string[];
        experiments: { rows: { what: string; own: unknown }[] }[];
      };
      expect(found.devices).toHaveLength(1);
      expect(found.experiments[0]?.rows.length).toBeGreaterThan(10);
      const html = readFileSync(join(directory, "instinfer.html"), "utf8");
      expect(html).toContain(found.devices[0]);
      const all = ["--device", mine, "--device", other];
      const useless = await cli("reproduce", "instinfer", ...all);
      expect(useless).toEqual(rejectedAt(/--device: .*instinfer.* ndp.*trimoe/));
    }));
});
