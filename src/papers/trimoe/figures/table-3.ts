// SPDX-License-Identifier: Apache-2.0
// TriMoE's table 3: the share of a layer's time in which each device computes, by the equations and simulated.

import { present } from "../../../base/present.ts";
import { expertBytes, modelShape } from "../../../workload/shapes.ts";
import type { System } from "../policy/baselines.ts";
import { paperMachine } from "../model/machine.ts";
import { publishedMigration } from "../policy/migration.ts";
import { computing } from "../policy/use.ts";
import { spansOf } from "../../experiment/chart-map.ts";
import { bars, type Datum } from "../../experiment/chart.ts";
import type { Experiment, SimulatedExperiment } from "../../experiment/experiment.ts";
import {
  explained,
  compareNumber,
  verdictOf,
  type Finding,
  type Explanation,
} from "../../experiment/finding.ts";
import type { Table } from "../../../report/page.ts";
import { between } from "../../experiment/internal-check.ts";
import { deviceShares, meanShare } from "../constants/published.ts";
import { tracksOf } from "./cycle/cycle.ts";
import { machineDimms, type SimulatedLayer } from "./cycle/simulated-layer.ts";
import type { TaskRun } from "../../../base/timeline.ts";
import type { LayerLab } from "./lab.ts";
import { compared, layerSpans, resultOf } from "./layer.ts";
import { setting } from "./setting.ts";
import { study, type DeviceShares, type StudyResult } from "./run.ts";
import { explanationsOf } from "./explanations.ts";

const table = { id: "trimoe/table-3", paper: "trimoe" } as const;
const layer = { model: "qwen3-235b-a22b", batch: 512 } as const;
const devices = ["gpu", "cpu", "ndp"] as const;
export const deviceTitles = { gpu: "GPU", cpu: "CPU", ndp: "NDP units" } as const;

/** Devices of a system whose share is printed, with the text. */
export function printedShares(
  texts: readonly string[],
): readonly (readonly [(typeof devices)[number], string])[] {
  return devices.flatMap((device, i) => {
    const text = texts.at(i) ?? "";
    return text === "" ? [] : [[device, text] as const];
  });
}

/** The mean of the shares of the three devices. */
export function meanOf({ gpu, cpu, ndp }: DeviceShares): number {
  return (gpu + cpu + ndp) / 3;
}

/** Shares of a system, and their alternatives. */
interface SystemShares {
  readonly shares: DeviceShares;
  readonly tried: (device: (typeof devices)[number]) => readonly Explanation[];
  readonly triedMean: () => readonly Explanation[];
}

/** Findings of every printed share, then of TriMoE's mean. */
function shareFindings(
  sharesOf: (system: System) => SystemShares | undefined,
  note: string,
): readonly Finding[] {
  const finding = (
    what: string,
    text: string,
    ours: number,
    tried: readonly Explanation[],
  ): Finding =>
    explained(
      compareNumber(what, { published: text, ours: 100 * ours, unit: "%", kind: "S", note }),
      tried,
    );
  const shares = sharesOf("TriMoE");
  return [
    ...deviceShares.flatMap(([system, ...texts]) => {
      const systemShares = sharesOf(system);
      if (systemShares === undefined) return [];
      return printedShares(texts).map(([device, text]) =>
        finding(
          `${system}: ${deviceTitles[device]} compute`,
          text,
          systemShares.shares[device],
          systemShares.tried(device),
        ),
      );
    }),
    ...(shares === undefined
      ? []
      : [
          finding(
            "TriMoE: mean of the three",
            meanShare,
            meanOf(shares.shares),
            shares.triedMean(),
          ),
        ]),
  ];
}

/** Shares of Table 3 when something else counts. */
function triedShares(
  name: System,
  device: (typeof devices)[number],
  { time, use, occupied }: StudyResult,
): readonly Explanation[] {
  const window = publishedMigration.window;
  const withWindow = (use.gpu * time + window) / (time + window);
  return [
    {
      what: "the time that a device waits for weights counts, and on a DIMM also reads of the host",
      value: 100 * occupied[device],
    },
    ...(device === "gpu"
      ? [
          {
            what: "attention and MLP of section 5.5 count as computation, 0.68 ms per layer",
            value: 100 * withWindow,
          },
        ]
      : []),
    ...explanationsOf(
      (options) => {
        const studyResult = study({ ...setting, ...layer, relayout: true, ...options }, [name]).get(
          name,
        );
        return 100 * present(studyResult?.use[device]);
      },
      ["equations", "predictable", "oracle", "hotByMemory", "slowCpu"],
    ),
  ];
}

const computesNote =
  "our utilisation does not count the time in which a device waits for PCIe or for the memory of the host. The text under the table quotes the paper";
const computesText =
  "Computing is taken as the paper's text has it: waits for PCIe and for the host's memory are not work " +
  '("severe PCIe bottlenecks, resulting in only 28.6 %"; "limited by host bandwidth, capping CPU utilization at 42 %"). ' +
  "GPU shares of 34 to 66 % contradict section 3.1, where fetched warm experts leave the GPU below 8.6 %.";

export const table3: Experiment = {
  ...table,
  title: "Resource utilisation",
  run: () => {
    const results = study({ ...setting, ...layer, relayout: true }, compared);
    const sharesOf = (system: System): SystemShares => {
      const result = results.get(system) ?? resultOf(system, layer.model, layer.batch);
      return {
        shares: result.use,
        tried: (device) => triedShares(system, device, result),
        triedMean: () => [
          {
            what: "the time that a device waits for weights, or reads for the host, counts",
            value: 100 * meanOf(result.occupied),
          },
          ...explanationsOf(
            (options) => {
              const other = study({ ...setting, ...layer, relayout: true, ...options }, [system]);
              const use = other.get(system)?.use;
              return use === undefined ? NaN : 100 * meanOf(use);
            },
            ["equations", "predictable", "oracle", "hotByMemory", "slowCpu"],
          ),
        ],
      };
    };
    return {
      findings: shareFindings(sharesOf, computesNote),
      checks: [...results].flatMap(([name, { use, occupied }]) =>
        devices.map((device) =>
          between(
            `${name}: ${deviceTitles[device]} compute no longer than they are occupied`,
            use[device],
            "1",
            [0, Math.min(1, occupied[device])],
          ),
        ),
      ),
      blocks: [
        bars(
          {
            id: "table-3",
            caption: "Share of the time in which each device computes: published (p) and ours.",
            xTitle: "system",
            yTitle: "computing",
            unit: "1",
          },
          deviceShares.flatMap(([x, gpu, cpu, ndp]): readonly Datum[] => {
            const share = results.get(x)?.use ?? { gpu: 0, cpu: 0, ndp: 0 };
            return [
              { x, series: "GPU (p)", y: Number(gpu) / 100 },
              { x, series: "GPU", y: share.gpu },
              { x, series: "CPU (p)", y: Number(cpu) / 100 },
              { x, series: "CPU", y: share.cpu },
              { x, series: "NDP (p)", y: Number(ndp) / 100 },
              { x, series: "NDP", y: ndp === "" ? 0 : share.ndp },
            ];
          }),
        ),
        { kind: "prose", text: computesText },
        definitions(results),
      ],
      timeline: [...results].flatMap(([name, result]) => layerSpans(name, layer.model, result)),
    };
  },
};

/** Every printed share under both definitions of utilisation; the page counts those of computing alone. */
function definitions(results: ReadonlyMap<System, StudyResult>): Table {
  const rows = deviceShares.flatMap(([system, ...texts]) =>
    printedShares(texts).map(([device, published]) => {
      const result = results.get(system) ?? resultOf(system, layer.model, layer.batch);
      const [computes, occupied] = [100 * result.use[device], 100 * result.occupied[device]];
      return {
        what: `${system}: ${deviceTitles[device]}`,
        published,
        computes,
        asComputing: verdictOf(published, computes),
        occupied,
        asOccupied: verdictOf(published, occupied),
      };
    }),
  );
  return {
    kind: "table",
    id: "table-3-definitions",
    caption:
      "Shares of a layer's time under two definitions. Computing: arithmetic alone. Occupied: the time that a device waits for weights counts, and on a DIMM also reads of the host.",
    columns: [
      { key: "what", title: "device" },
      { key: "published", title: "published", unit: "%", source: "published" },
      { key: "computes", title: "computing", unit: "%", source: "derived", digits: 3 },
      { key: "asComputing", title: "would be" },
      { key: "occupied", title: "occupied", unit: "%", source: "derived", digits: 3 },
      { key: "asOccupied", title: "would be" },
    ],
    rows,
  };
}

/** Time in which at least one of the tasks runs. */
function occupiedTime(tasks: readonly TaskRun[]): number {
  let busy = 0;
  let until = 0;
  for (const { start, end } of tasks.toSorted((a, b) => a.start - b.start)) {
    busy += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return busy;
}

/** Time in which a device has a task, waits for weights among them, over the layer's; of the NDP units the mean. */
function simulatedOccupied({ tasks, time }: SimulatedLayer): DeviceShares {
  const busy = (device: string): number => occupiedTime(tasks.filter((t) => t.device === device));
  const dimms = Array.from({ length: machineDimms }, (_, d) => busy(`DIMM ${d}`));
  const ndp = dimms.reduce((a, b) => a + b, 0) / machineDimms;
  return { gpu: busy("GPU") / time, cpu: busy("CPU") / time, ndp: ndp / time };
}

/** Arithmetic of each device over the simulated time; of the NDP units the mean over DIMMs. */
function simulatedShares({ run, time }: SimulatedLayer): DeviceShares {
  const size = expertBytes(modelShape(layer.model, "the layer"));
  const { gpu, cpu, ndp } = computing(run, paperMachine(), size);
  return { gpu: gpu / time, cpu: cpu / time, ndp: ndp / time };
}

export function simulatedTable3(lab: LayerLab): SimulatedExperiment {
  return {
    ...table,
    title: `${table3.title}, simulated`,
    run: async () => {
      const done = await lab.layers(deviceShares.map(([system]) => ({ system, ...layer })));
      const rows = deviceShares.map(([name], i) => {
        const one = done[i];
        if (one === undefined) throw new RangeError(`no layer of ${name}`);
        const occupied = simulatedOccupied(one);
        return { name, layer: one, shares: simulatedShares(one), occupied };
      });
      const sharesOf = (system: System): SystemShares | undefined => {
        const row = rows.find(({ name }) => name === system);
        if (row === undefined) return undefined;
        const equations = simulatedShares({ ...row.layer, time: row.layer.run.time });
        const tried = (value: number): readonly Explanation[] => [
          { what: "the time that the planner predicts", value: 100 * value },
        ];
        return {
          shares: row.shares,
          tried: (device) => tried(equations[device]),
          triedMean: () => tried(meanOf(equations)),
        };
      };
      return {
        findings: shareFindings(
          sharesOf,
          "arithmetic over the simulated time of one step; waits are not work. trimoe/recorded-steps has several steps",
        ),
        blocks: [
          {
            kind: "table",
            id: "table-3",
            caption: `Share of a layer's time in which each device computes and in which it is occupied, waits for weights included, Qwen3-235B at batch ${layer.batch}.`,
            columns: [
              { key: "name", title: "system" },
              { key: "time", title: "simulated", unit: "ms", source: "measured", digits: 4 },
              ...devices.map((key) => ({
                ...({ key, unit: "%", source: "derived", digits: 3 } as const),
                title: deviceTitles[key],
              })),
              ...devices.map((key) => ({
                ...({ key: `${key}Occupied`, unit: "%", source: "measured", digits: 3 } as const),
                title: `${deviceTitles[key]}, occupied`,
              })),
            ],
            rows: rows.map(({ name, layer: { time }, shares, occupied }) => ({
              name,
              time: 1e3 * time,
              ...Object.fromEntries(
                devices.flatMap((key) => [
                  [key, 100 * shares[key]],
                  [`${key}Occupied`, 100 * occupied[key]],
                ]),
              ),
            })),
          },
        ],
        timeline: tracksOf(rows.map(({ name, layer: one }) => [name, one])).flatMap(spansOf),
      };
    },
  };
}
