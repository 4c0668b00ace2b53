// SPDX-License-Identifier: Apache-2.0
// Results of a paper's policy with the user's devices: each number with the devices of the paper and with
// the user's devices. No paper prints such numbers, so there is no finding.

import { present } from "../../base/present.ts";
import type { Devices } from "../../machine/host/near-device-file.ts";
import type { Paper } from "./fact.ts";
import type { Cell, Figure, Table } from "../../report/page.ts";
import type { SimulatedExperiment } from "./experiment.ts";

/** A number that a policy computes for a machine. */
interface DeviceRow {
  readonly what: string;
  readonly unit: string;
  readonly paper: number | string;
  readonly own: number | string;
}

/** The properties of each kind of device that a paper's policy uses. */
export interface DeviceUse {
  readonly paper: Paper;
  /** Descriptions by kind; without the kinds that the policy does not use. */
  readonly reads: Readonly<Partial<Record<keyof Devices, string>>>;
  /** Numbers of the paper's machine with these devices; without devices, those of the paper's own machine. */
  readonly numbers: (devices: Devices) => Promise<Numbers>;
  /** Pictures of these devices, compared with the paper's. */
  readonly figures?: (devices: Devices) => readonly Figure[];
}

/** The numbers of a machine, by title. */
export type Numbers = readonly (readonly [what: string, unit: string, value: number | string])[];

/** The same numbers of two machines, side by side. */
function sideBySide(paper: Numbers, own: Numbers): readonly DeviceRow[] {
  return paper.map(([what, unit, value], i) => ({
    what,
    unit,
    paper: value,
    own: present(own[i]?.[2]),
  }));
}

function ratioOf({ paper, own }: DeviceRow): Cell {
  return typeof paper === "number" && typeof own === "number" && paper !== 0 ? own / paper : null;
}

function tableOf(rows: readonly DeviceRow[], title: string): Table {
  return {
    kind: "table",
    id: "own-device",
    caption: `${title} in the paper's machine; all else is the paper's.`,
    columns: [
      { key: "what", title: "what" },
      { key: "unit", title: "unit" },
      { key: "paper", title: "paper's device", source: "derived" },
      { key: "own", title: "your device", source: "derived" },
      { key: "ratio", title: "yours over the paper's", source: "derived", digits: 3 },
    ],
    rows: rows.map((row) => ({ ...row, ratio: ratioOf(row) })),
  };
}

const kindNames: Readonly<Record<keyof Devices, string>> = {
  gpu: "GPU",
  cpu: "CPU",
  ndp: "NDP unit",
  csd: "storage device",
};

/** The rates of a device's RTL unit, if the device has one. */
function unitText(devices: Devices, kind: keyof Devices): readonly string[] {
  const device = kind === "ndp" || kind === "csd" ? devices[kind] : undefined;
  if (device === undefined || device.digest === null) return [];
  const giga = (value: number): string => (value / 1e9).toPrecision(3);
  const { bandwidth, compute } = device;
  const products = compute === null ? "" : ` and computes ${giga(compute)} GFLOPS`;
  return [`Its RTL unit, simulated behind its memory, reads ${giga(bandwidth)} GB/s${products}.`];
}

export function deviceExperiment(
  use: DeviceUse,
  devices: Devices,
  titles: Readonly<Partial<Record<keyof Devices, string>>>,
): SimulatedExperiment {
  const { paper, reads } = use;
  const kinds = (Object.keys(devices) as (keyof Devices)[]).filter((kind) => kind in reads);
  return {
    id: `${paper}/device`,
    paper,
    title: "Your device",
    run: async () => {
      const title = kinds.map((kind) => titles[kind] ?? kind).join(", ");
      const table = tableOf(sideBySide(await use.numbers({}), await use.numbers(devices)), title);
      const texts = kinds.flatMap((kind) => [
        `Of the ${kindNames[kind]}: ${reads[kind] ?? ""}`,
        ...unitText(devices, kind),
      ]);
      return {
        findings: [],
        blocks: [
          table,
          ...(use.figures?.(devices) ?? []),
          ...texts.map((text) => ({ kind: "prose" as const, text })),
        ],
        rows: table.rows,
        timeline: [],
      };
    },
  };
}
