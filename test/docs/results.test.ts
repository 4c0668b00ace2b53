// SPDX-License-Identifier: Apache-2.0
// Pages of results have the figures of recorded files and recorded costs, and the number of properties that are proven.

import { describe, expect, it } from "vitest";

import { present } from "../../src/base/present.ts";
import type { Estimate } from "../../src/explore/search/score.ts";
import { summariesOf, type SeedScore } from "../../src/papers/llmshare/figures/seeds.ts";
import { partGains } from "../../src/papers/trimoe/constants/published.ts";
import {
  activationFunctions,
  type ActivationFunction,
  type GateFunction,
} from "../../src/golden/names.ts";
import { activationOperation } from "../../src/machine/operands.ts";
import { chosen } from "../../src/tools/prove/list.ts";
import { floorOf } from "../../src/tools/area/summary.ts";
import { memoryEstimate } from "../../src/machine/memories/memory.ts";
import { foundryArray } from "../../src/machine/memories/macros.ts";
import { combinedResources } from "../../src/tools/synth/area.ts";
import { readLibrary, builtInLibrary } from "../../src/tools/synth/cells/liberty.ts";
import { instInferMissing, instInferTable } from "../../src/tools/synth/papers.ts";
import { readCost } from "../../src/tools/synth/record.ts";
import { utilisation } from "../../src/tools/synth/resources.ts";
import { enginePeriod } from "../../src/tools/synth/sta/claims.ts";
import { cornersOf } from "../../src/tools/synth/sta/corners.ts";
import { picturePoints, type PicturePoint } from "../helpers/picture-points.ts";
import { recordedRun } from "../helpers/recorded.ts";
import { repositoryText, sectionRows, tableRows } from "../helpers/pages.ts";

const page = (name: string): string => repositoryText("docs", "results", `${name}.md`);

interface Finding {
  readonly what: string;
  readonly published: number | string;
  readonly ours: number;
  readonly note: string;
  readonly tried: readonly { readonly what: string; readonly value: number }[];
}

interface Result {
  readonly bitsPerByte: number;
  readonly experiments: readonly {
    readonly findings: readonly Finding[];
    readonly rows: readonly {
      readonly model: string;
      readonly reading: string;
      readonly trace: string;
      readonly time: number;
      readonly part: boolean;
      readonly agree: number;
      readonly layers: number;
    }[];
  }[];
}

const recorded = (name: string): Result => recordedRun(name).result as Result;

interface PathEnd {
  readonly module: string;
  readonly instance: string;
  readonly name: string;
}

const withSign = (value: number): string => `${value < 0 ? "" : "+"}${value.toFixed(4)}`;

describe("docs/results/token.md", () => {
  const dense = recorded("tinymoe-dense").bitsPerByte;

  it.each([
    ["FP16, SparF at 1/8", "tinymoe-sparf-8"],
    ["MXFP4, dense", "tinymoe-mxfp4"],
    ["MXFP4, SparF at 1/8", "tinymoe-mxfp4-sparf-8"],
  ])("has the change in bits per byte of %s", (run, file) => {
    const changes = tableRows(page("token")).filter(([own]) => own === run);
    expect(changes.map(([, change]) => change)).toContain(
      withSign(recorded(file).bitsPerByte - dense),
    );
  });
});

describe("docs/results/papers.md", () => {
  const rows = tableRows(page("papers"));

  it.each([
    ["tinylm with 4-bit weights and caches", "flexgen-4-bits", "flexgen-16-bits"],
    ["tinymoe with SparF at 1/8", "tinymoe-sparf-8", "tinymoe-dense"],
    ["tinymoe with a local window at 1/8", "tinymoe-local-8", "tinymoe-dense"],
    ["tinymoe with H2O at 1/8", "tinymoe-h2o-8", "tinymoe-dense"],
  ])("has the increase of %s", (run, file, reference) => {
    const shown = rows.find(([own]) => own === run)?.[1] ?? "";
    const increase = recorded(file).bitsPerByte / recorded(reference).bitsPerByte - 1;
    expect(shown).toBe((100 * increase).toFixed(/\.(\d+)/.exec(shown)?.[1]?.length ?? 0));
  });

  it("has the gains by planner", () => {
    const runs = recorded("trimoe-planners").experiments.flatMap((one) => one.rows);
    const gain = (model: string, reading: string, trace: string): string => {
      const of = (name: string): number =>
        runs.find((one) => one.model === model && one.reading === name && one.trace.endsWith(trace))
          ?.time ?? Number.NaN;
      return (of("KTransformers") / of(reading)).toFixed(2);
    };
    const readings = [
      ["equations 5 to 7, six tokens", "73 %", ["equations 5 to 7", "6", "73 %"]],
      ["channels, six tokens", "73 %", ["channels", "6", "73 %"]],
      ["channels, 12 tokens", "73 %", ["channels", "12", "73 %"]],
      ["channels, balanced", "78 %", ["channels", "balanced", "78 %"]],
      ["channels, balanced", "83 %", ["channels", "balanced", "83 %"]],
      ["channels, 14 tokens, perfect placement", "73 %", ["channels", "14", "perfect"]],
      ["channels, 20 tokens, perfect placement", "73 %", ["channels", "20", "perfect"]],
    ] as const;
    for (const [reading, trace, cells] of readings) {
      const models = ["qwen3-235b-a22b", "deepseek-v2"];
      expect(rows).toContainEqual([...cells, ...models.map((one) => gain(one, reading, trace))]);
    }
  });

  it("has the simulated parts of figure 8 beside the published gains, and the products of both", () => {
    const parts = recorded("trimoe-planners")
      .experiments.flatMap((one) => one.rows)
      .filter(({ part }) => part);
    expect(parts).toHaveLength(partGains.length + 1);
    const gains = parts.map(({ time }, i) => (parts[i - 1]?.time ?? Number.NaN) / time);
    parts.forEach(({ reading, time }, i) => {
      const cells = i === 0 ? ["---", "---"] : [gains[i]?.toFixed(2), partGains[i - 1]?.[1]];
      expect(rows).toContainEqual([reading, (1e3 * time).toFixed(2), ...cells]);
    });
    const product = (list: readonly number[]): string => list.reduce((a, b) => a * b, 1).toFixed(2);
    expect(page("papers")).toContain(
      `The product of the three gains is ${product(gains.slice(1))} in these layers and ${product(partGains.map(([, gain]) => Number(gain)))} in the paper.`,
    );
  });

  it("has the number of conclusions that hold on a trained router", () => {
    const conclusions = recorded("trimoe-router").experiments.flatMap((one) => one.rows);
    const count = (test: (agree: number, layers: number) => boolean): number =>
      conclusions.filter(({ agree, layers }) => test(agree, layers)).length;
    const all = count((agree, layers) => agree === layers);
    const none = count((agree) => agree === 0);
    const text = page("papers");
    expect(text).toContain(`The run tests ${conclusions.length} of these conclusions`);
    expect(text).toContain(`${all} conclusions are true in all four layers`);
    expect(text).toContain(`${none} conclusions in no layer`);
    expect(conclusions.length - all - none).toBe(1);
  });

  it("has the gains of three steps, with their intervals", () => {
    const findings = recorded("trimoe-steps").experiments.flatMap((one) => one.findings);
    for (const model of ["DeepSeek-V2", "Qwen3-235B", "GLM-4.5-Air"]) {
      const own = findings.find(({ what }) => what.startsWith(`figure 6, ${model}`));
      const interval = /interval ([\d.]+) to ([\d.]+)/.exec(own?.note ?? "")?.slice(1) ?? [];
      const equation = own?.tried.find(({ what }) => what.startsWith("equation 7"))?.value;
      expect(rows).toContainEqual([
        model,
        own?.ours.toFixed(2),
        interval.map((end) => Number(end).toFixed(2)).join(" to "),
        equation?.toFixed(2),
      ]);
    }
  });

  it("has the gains of the parts of figure 8 in three steps", () => {
    const findings = recorded("trimoe-steps").experiments.flatMap((one) => one.findings);
    for (const [part, what] of [
      ["+CPU", "figure 8: adding the CPU"],
      ["+Refinement", "figure 8: refinement"],
      ["+Relayout", "figure 8: relayout"],
    ] as const) {
      const own = present(findings.find((finding) => finding.what.startsWith(what)));
      const [, interval] = /interval ([\d.]+ to [\d.]+)/.exec(own.note) ?? [];
      expect(rows).toContainEqual([part, own.ours.toFixed(2), interval, String(own.published)]);
    }
  });

  it("has the scores of every method of search and its paired tests", () => {
    const scores = recorded("llmshare-seeds").experiments.flatMap((one) => one.rows);
    const summaries = summariesOf(scores as unknown as readonly SeedScore[]);
    const names: Readonly<Record<SeedScore["role"], string>> = {
      svr: "SVR",
      adaBoost: "AdaBoost",
      fist: "FIST",
      boom: "BOOM-Explorer",
      llmShare: "**LLMShare**",
      withoutTree: "LLMShare without the tree kernel",
      withoutMemory: "LLMShare without the memory-centric start",
    };
    const estimateText = ({ mean, margin }: Estimate): string =>
      `${mean.toFixed(3)} +- ${margin.toFixed(3)}`;
    const pText = (p: number): string => (p < 0.001 ? "< 0.001" : p.toFixed(3));
    expect(summaries.map(({ role }) => role).toSorted()).toEqual(Object.keys(names).toSorted());
    for (const { role, seeds, means, tests } of summaries) {
      expect(seeds).toBe(24);
      const bold = (text: string): string => (role === "llmShare" ? `**${text}**` : text);
      // The first table has the source of a method behind its name.
      const own = rows.flatMap(([name = "", ...cells]) =>
        name.split(/,| \(/)[0] === names[role] ? [cells] : [],
      );
      const [adrs, hypervolume] = [means.adrs, means.hypervolume].map(estimateText).map(bold);
      expect(own.map(([first, , last]) => [first, last])).toContainEqual([adrs, hypervolume]);
      if (tests.length === 0) continue;
      const cells = tests.flatMap((test) => [estimateText(test), pText(test.corrected)]);
      expect(own).toContainEqual(cells);
    }
  });

  it("has the gains with moves in front of the experts, beside them, and without moves", () => {
    const runs = recorded("trimoe-moves").experiments.flatMap((one) => one.rows);
    expect(runs.length).toBe(2);
    for (const run of runs as unknown as readonly Readonly<Record<string, number | string>>[]) {
      const gains = [run["gain"], run["gainBeside"], run["gainStill"]].map(Number);
      expect(rows).toContainEqual([
        String(run["model"]).replace("-A22B", ""),
        String(run["moved"]),
        String(run["prefetched"]),
        `${Number(run["moves"]).toFixed(2)} ms`,
        ...gains.map((gain) => gain.toFixed(2)),
      ]);
    }
  });

  it("has the gains of small batches", () => {
    const findings = recorded("trimoe-small-batches").experiments.flatMap((one) => one.findings);
    for (const { what, ours } of findings) {
      const batch = what.split(" ").at(-1);
      expect(rows.find(([own, , last]) => own === batch && last !== undefined)?.[1]).toBe(
        ours.toFixed(2),
      );
    }
  });
});

describe("docs/results/proofs.md", () => {
  it("has the number of properties", () => {
    const { harnesses, netlists, gates } = chosen({ names: [], quick: false, engine: null });
    const counts = [harnesses, gates].map((proofs) =>
      proofs.reduce((sum, { properties }) => sum + properties.length, 0),
    );
    const [own = 0, gated = 0] = counts;
    expect(page("proofs")).toContain(
      `${String(own + netlists.length + gated)} properties: ${String(own)} of harnesses, ` +
        `${String(netlists.length)} of netlists and ${String(gated)} of clock gates`,
    );
  });
});

describe("docs/results/area.md", () => {
  const rows = tableRows(page("area"));
  const area = readCost("ndp")?.area;
  if (!area) throw new Error("no record");

  it("has the recorded cells, memories and floor of the DIMM-NDP unit", () => {
    const { total, band } = floorOf(area);
    const row = rows.find(([unit]) => unit === "DIMM-NDP unit of TriMoE's size");
    expect(row?.slice(1, 4)).toEqual([
      (area.sum.cellArea / 1e6).toFixed(4),
      (area.memoryArea / 1e6).toFixed(4),
      `${total.toFixed(3)} (${band.low.toFixed(3)} to ${band.high.toFixed(3)})`,
    ]);
  });

  it("has the recorded resources of the SparF engine, as the headline has", () => {
    const sum = readCost("sparf")?.area?.sum;
    if (!sum) throw new Error("no record");
    const shown = [sum.lut, sum.ff, sum.bram36, sum.dsp].map((one) => one.toLocaleString("en-US"));
    expect(rows.find(([unit]) => unit === "SparF engine")?.slice(1, 5)).toEqual(shown);
    expect(page("headline")).toContain(`| ${shown[0] ?? ""} of the 218,600 of a Zynq-7045 |`);
    expect(page("headline")).toContain(`| ${shown[2] ?? ""} of the 545 of a Zynq-7045 |`);
    const share = ((100 * sum.bram36) / 545).toFixed(1);
    for (const name of ["engine", "exploration"]) {
      expect(page(name)).toContain(`${shown[2] ?? ""} block RAMs (${share} %)`);
    }
    expect(page("storage")).toContain(`instead of ${shown[2] ?? ""} of the 545 block RAMs`);
  });

  it("has slices whose resources sum to the recorded totals", () => {
    const sum = readCost("sparf")?.area?.sum;
    const numbers = rows
      .filter(([slice = ""]) => slice.startsWith("`sparf_"))
      .map((cells) => cells.slice(1, 6).map((cell) => Number(cell.replace(",", ""))))
      .filter((cells) => cells.length === 5 && !cells.some(Number.isNaN));
    const totalOf = (column: number): number =>
      numbers.reduce((total, [count = 0, ...each]) => total + count * (each[column] ?? 0), 0);
    expect([0, 1, 2, 3].map(totalOf)).toEqual([sum?.lut, sum?.ff, sum?.bram36, sum?.dsp]);
  });

  it("has the recorded energy of a product, as formats.md has", () => {
    const picojoules = (cost: "ndp" | "ndp-two-bit" | "ndp-low-bit-two-bit"): string => {
      const operations = readCost(cost)?.energy.operations ?? [];
      return (1e12 * (operations.find(({ id }) => id === "multiply")?.joules ?? 0)).toFixed(2);
    };
    const own = rows.find(([operation = ""]) => operation.startsWith("product of the NDP array"));
    expect(own?.[1]).toBe(picojoules("ndp"));
    expect(page("area")).toContain(`${picojoules("ndp")} pJ for FP16 at 44 bits`);
    const formats = [
      picojoules("ndp"),
      picojoules("ndp-two-bit"),
      picojoules("ndp-low-bit-two-bit"),
    ];
    expect(tableRows(page("formats"))).toContainEqual(["FP16", ...formats]);
  });

  it("has the recorded energy of every activation function, and of up + 1", () => {
    const operations = readCost("ndp")?.energy.operations ?? [];
    const energies = (gate: GateFunction): readonly number[] => {
      const id = activationOperation(gate);
      const { joules = NaN, settledJoules = NaN } = operations.find((one) => one.id === id) ?? {};
      return [1e12 * joules, 1e12 * settledJoules];
    };
    const functions: Readonly<Record<ActivationFunction, string>> = {
      silu: "SiLU",
      gelu: "GELU",
      "gelu-tanh": "tanh GELU",
      "quick-gelu": "quick GELU",
      relu2: "ReLU squared",
      relu: "ReLU",
      identity: "identity",
    };
    const gates: readonly (readonly [string, GateFunction])[] = [
      ...activationFunctions.map((name) => [functions[name], { name }] as const),
      ["quick GELU and up + 1 (gpt-oss)", { name: "quick-gelu", upPlusOne: true }],
    ];
    const title = "activation of a gated value, ";
    const shown = rows.filter(([operation = ""]) => operation.startsWith(title));
    expect(shown.map((cells) => cells.slice(0, 3)).sort()).toEqual(
      gates
        .map(([label, gate]) => [title + label, ...energies(gate).map((own) => own.toFixed(1))])
        .sort(),
    );
    for (const name of activationFunctions) {
      const [plain = NaN] = energies({ name });
      const [increased = NaN] = energies({ name, upPlusOne: true });
      expect((100 * (1 - increased / plain)).toFixed(1)).toMatch(/^0\.[23]$/);
    }
    expect(page("area")).toContain("With up + 1 the energy is 0.2 to 0.3 % lower.");
  });

  it.each(["ndp", "sparf"] as const)("has the ten slowest recorded paths of %s", (name) => {
    const worst = readCost(name)?.area?.timing?.worst ?? [];
    expect(worst.length).toBe(10);
    const code = (text: string): string => `\`${text}\``;
    // A register's name that several instances share has its instance before it.
    const nameOf = ({ module, name: register, instance }: PathEnd): string => {
      const same = worst.filter(({ start }) => start.module === module && start.name === register);
      const instances = new Set(same.map(({ start }) => start.instance));
      return instances.size > 1 ? `${instance.split(".").at(-1) ?? ""}.${register}` : register;
    };
    const paths = worst.map(({ start, end, depth, period }) => {
      const [from, to] = [start, end].map((one) => `${code(one.module)} ${code(nameOf(one))}`);
      const inside = start.module === end.module ? code(nameOf(end)) : to;
      const same = start.instance === end.instance && start.name === end.name;
      return [
        Math.round(period).toLocaleString("en-US"),
        String(depth),
        from,
        same ? "the same" : inside,
      ];
    });
    const title = `path of the ${name === "ndp" ? "DIMM-NDP unit" : "SparF engine"}, ps`;
    const first = rows.findIndex(([heading]) => heading === title);
    expect(rows.slice(first + 1, first + 11)).toEqual(paths);
  });

  it("has the recorded cells, flip-flops and paths of every slice of the DIMM-NDP unit", () => {
    const shown = rows.filter(([slice = "", , ...cells]) => {
      return /^`(?:dimm_)?ndp/.test(slice) && cells.length === 3;
    });
    const modules = shown.map(([slice = ""]) => slice.replace(/^`(\w+)`.*/, "$1"));
    expect(modules).toEqual(area.units.map(({ name }) => name));
    for (const [index, { name, resources }] of area.units.entries()) {
      const periods = area.slices
        .filter(({ module }) => module === name)
        .map(({ path }) => path?.period ?? 0);
      expect(shown[index]?.slice(2)).toEqual([
        (resources.cellArea / 1e6).toFixed(4),
        resources.ff.toLocaleString("en-US"),
        Math.max(...periods).toFixed(0),
      ]);
    }
    const instances = shown.reduce((total, [, count]) => total + Number(count), 0);
    expect(instances).toBe(area.timing?.instances);
    expect(page("area")).toContain(`**${area.sum.ff.toLocaleString("en-US")}**`);
  });

  it("has the slowest recorded path of every slice of the SparF engine", () => {
    const slowest = new Map<string, number>();
    for (const { module, path } of readCost("sparf")?.area?.slices ?? []) {
      slowest.set(module, Math.max(slowest.get(module) ?? 0, path?.period ?? 0));
    }
    const shown = new Map<string, number>();
    for (const [slice = "", ...cells] of rows) {
      const modules = [...slice.matchAll(/`(sparf_\w+)`/g)].map(([, module = ""]) => module);
      if (cells.length !== 6) continue;
      for (const module of modules) {
        shown.set(module, Math.max(shown.get(module) ?? 0, Number(cells[5])));
      }
    }
    const ns = (period: number): number => Number((period / 1000).toFixed(2));
    expect(shown.get("sparf_kernel")).toBe(
      ns(Math.max(...["sparf_kernel", "sparf_head_engine"].map((m) => slowest.get(m) ?? 0))),
    );
    for (const module of ["sparf_kernel", "sparf_head_engine"]) {
      shown.delete(module);
      slowest.delete(module);
    }
    expect(shown).toEqual(new Map([...shown.keys()].map((m) => [m, ns(slowest.get(m) ?? 0)])));
    expect([...shown.keys()].toSorted()).toEqual([...slowest.keys()].toSorted());
  });

  it("has the parts that a published table has and ours lacks", () => {
    for (const { name, lut, ff, bram36, dsp } of instInferMissing) {
      const published = [lut, ff, bram36, dsp].map((one) => one.toLocaleString("en-US"));
      expect(rows).toContainEqual([name, ...published.flatMap((one) => ["missing", one])]);
    }
    const lacking = rows.find(([, cells]) => cells === "missing")?.[0] ?? "";
    for (const part of ["rank memory controllers", "DIMM-Link", "DRAM-side buffers", "PHY"]) {
      expect(lacking).toContain(part);
    }
  });

  it("has the recorded floors of the units beside their times", () => {
    const text = (cost: "ndp" | "ndp-two-bit" | "ndp-low-bit-two-bit"): string => {
      const own = readCost(cost)?.area;
      if (!own) throw new Error("no record");
      const { total, band } = floorOf(own);
      return `${total.toFixed(3)} (${band.low.toFixed(3)} to ${band.high.toFixed(3)}) mm2`;
    };
    const shown = rows.filter(([unit, , , more]) => unit === "DIMM-NDP unit" && more !== undefined);
    const costs = ["ndp", "ndp-two-bit", "ndp-low-bit-two-bit"] as const;
    expect(shown.map(([, , area]) => area)).toEqual(costs.map(text));
    // The table of explorations has other floors; the recorded floors are next to them.
    const table = tableRows(page("exploration"));
    const first = table.findIndex(([, , last]) => last === "floor of the whole unit, mm2");
    expect(table.slice(first + 1, first + 4).map(([, , whole]) => `${whole ?? ""} `)).toEqual(
      costs.map((cost) => text(cost).replace(/\(.*/, "")),
    );
  });

  it("has the recorded paths of each corner", () => {
    const corners = area.timing?.corners ?? [];
    expect(corners.length).toBe(6);
    const { ends = 0, buffers } = area.timing ?? {};
    expect(page("area")).toContain(`endpoints over 1 ns, of ${ends.toLocaleString("en-US")} `);
    const buffersText = `${buffers?.count.toLocaleString("en-US") ?? ""} buffers with ${((buffers?.area ?? 0) / 1e6).toFixed(4)} mm2`;
    expect(page("area")).toContain(`The DIMM-NDP unit has ${buffersText}.`);
    for (const { corner, wires, slowest, over, hold } of corners) {
      const row = rows.find(
        ([own = "", with_]) =>
          own.startsWith(`${corner}:`) && with_ === (wires ? "with" : "without"),
      );
      expect(row?.slice(2, 5)).toEqual([
        Math.round(slowest?.period ?? 0).toLocaleString("en-US"),
        over.toLocaleString("en-US"),
        hold?.slack.toFixed(1),
      ]);
    }
  });

  it("has the recorded resources of each part beside those that InstInfer publishes", () => {
    const own = readCost("sparf")?.area;
    const titles: Readonly<Record<string, string>> = {
      argtopk: "four `sparf_argtopk`",
      NFC: "filters of eight flash channels",
    };
    const expected = instInferTable.map(({ name, modules, ...published }) => {
      const ours = own && combinedResources(own, modules);
      const cells = (["lut", "ff", "bram36", "dsp"] as const).flatMap((kind) =>
        [ours?.[kind], published[kind]].map((count) => count?.toLocaleString("en-US")),
      );
      return [titles[name] ?? name, ...cells];
    });
    expect(expected).toHaveLength(3);
    for (const row of expected) expect(rows).toContainEqual(row);
  });

  it("has the recorded limits and paths of the SparF engine", () => {
    const timing = readCost("sparf")?.area?.timing;
    const { limit, memoryRead, ends, over, instances, routed } = timing ?? {};
    if (!limit || !memoryRead || !ends || !routed) throw new Error("no record");
    const text = page("area");
    const ns = (ps: number, digits: number): string => (ps / 1000).toFixed(digits);
    expect(over).toBe(0);
    expect(text).toContain(
      `None of its ${ends.toLocaleString("en-US")} endpoints exceeds the limit of ${Math.round(limit).toLocaleString("en-US")} ps.`,
    );
    expect(text).toContain(
      `is a period of ${ns(enginePeriod, 3)} ns. Logic may use 60 % of this period, ${ns(limit, 3)} ns.`,
    );
    expect(text).toContain(`to a register without logic needs ${ns(memoryRead, 2)} ns`);
    expect(text).toContain(
      `${String(instances)} slices of the SparF engine, ${String(area.timing?.instances)} of the DIMM-NDP unit`,
    );
    const logic = routed.period * routed.logicShare;
    expect(text.replaceAll("\n", " ")).toContain(
      `At the mean, ${(100 * routed.logicShare).toFixed(1)} %, the engine's ${ns(logic, 2)} ns would become ${ns(routed.period, 1)} ns.`,
    );
  });

  it("has the factors of each corner", () => {
    const corners = cornersOf(readLibrary(builtInLibrary()));
    const factors = ["slow", "fast"].map(
      (name) => present(corners.find((corner) => corner.name === name)).factors,
    );
    const classes = {
      buffer: "buffers and inverters",
      gate: "other gates",
      register: "flip-flops",
    };
    const cells = (pick: (of: (typeof factors)[number]) => number | undefined): string[] =>
      factors.map((of) => present(pick(of)).toFixed(3));
    const kinds = Object.keys(classes) as (keyof typeof classes)[];
    expect(tableRows(page("area").slice(page("area").indexOf("| factor "))).slice(1, 8)).toEqual([
      ...kinds.map((kind) => [`delays of ${classes[kind]}`, ...cells((of) => of[kind].delay)]),
      ...kinds.map((kind) => [`slews of ${classes[kind]}`, ...cells((of) => of[kind].slew)]),
      ["setup times of flip-flops", ...cells((of) => of.register.constraint)],
    ]);
  });

  it("has the estimates of each recorded memory", () => {
    const title = "memories of the DIMM-NDP unit";
    const first = rows.findIndex(([heading]) => heading === title);
    const shown = rows.slice(first + 1, first + 1 + area.memories.length);
    const expected = area.memories.map((memory) => {
      const { Words: words = 0, DataBits: bits = 0 } = memory.parameters;
      const { low, high } = memoryEstimate(memory);
      const mm2 = [memory.area, low, high].map((um2) => ((um2 * memory.count) / 1e6).toFixed(4));
      const each = (memory.area / memory.bits).toFixed(4);
      return [`${words.toLocaleString("en-US")} x ${String(bits)}`, each, ...mm2];
    });
    expect(shown.map((cells) => cells.slice(1)).toSorted()).toEqual(expected.toSorted());
    expect(page("area")).toContain(`The factor ${foundryArray.factor.toFixed(2)} scales`);
    expect(page("area")).toContain(
      `with published macros, times ${foundryArray.factor.toFixed(2)}`,
    );
    const { total, band } = floorOf(area);
    expect(page("area")).toContain(
      `Each floor is ${(total - band.low).toFixed(4)} mm2 smaller with the lower bound of the memories, and ${(band.high - total).toFixed(4)} mm2 larger`,
    );
  });

  it("has the slowest slices of the units that it compares", () => {
    const slowest = (["ndp-two-bit", "ndp"] as const).map((cost) =>
      readCost(cost)?.area?.slowest?.path?.period.toFixed(0),
    );
    expect(page("area")).toContain(
      `The slowest slice has ${slowest[0] ?? ""} ps, that of TriMoE's size ${slowest[1] ?? ""}.`,
    );
  });

  describe("bits of a product", () => {
    const table = sectionRows(page("area"), "## Bits of a product");
    const points = (name: string): readonly PicturePoint[] =>
      picturePoints(repositoryText("docs", "results", "gallery", `${name}.svg`), {
        x: "linear",
        y: "log",
      });

    /** Rows of the page that a picture has: FP16 and BF16 of every design, without outliers and then with. */
    it.each(["precision-area", "precision-energy"] as const)("are those of %s", (name) => {
      const [digits, columns] = name === "precision-area" ? [4, [1, 1]] : [2, [2, 5]];
      const shown = points(name);
      expect(shown).toHaveLength(4 * table.length);
      const expected = [0, 1].flatMap((outliers) =>
        table.flatMap((cells) =>
          [3, 6].map((error, format) => [cells[columns[format] ?? 0], cells[error + outliers]]),
        ),
      );
      expect(shown.map(({ x, y }) => [x.toFixed(digits), y.toExponential(2)])).toEqual(expected);
      expect(new Set(shown.map(({ fill }, i) => `${String(i % 2)} ${fill}`)).size).toBe(2);
    });

    it("end with the recorded unit of 44 bits", () => {
      const operations = readCost("ndp")?.energy.operations ?? [];
      const joules = (id: string): number =>
        operations.find((one) => one.id === id)?.joules ?? Number.NaN;
      const [lanes, streams] = [256, 8];
      const shared = joules("tree") / lanes + joules("root") / (lanes * streams);
      const energies = ["multiply", "multiply bf16"].map((id) => 1e12 * (joules(id) + shared));
      const buffers = (area.timing?.buffers.area ?? 0) / 1e6 / utilisation.logic;
      const last = table.at(-1);
      expect([last?.[1], last?.[2], last?.[5]]).toEqual([
        (floorOf(area).total - buffers).toFixed(4),
        ...energies.map((energy) => energy.toFixed(2)),
      ]);
      expect(page("area")).toContain(
        `FP32 accumulation: ${(1e12 * shared).toFixed(2)} pJ at 44 bits`,
      );
    });
  });
});
