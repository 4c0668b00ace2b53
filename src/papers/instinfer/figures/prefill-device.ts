// SPDX-License-Identifier: Apache-2.0
// InstInfer's prefill (section IV-D) on whole simulated devices: layers of OPT-13B are sent from the GPU over the links
// into flash while the GPU computes the next, or one after another. Then the same devices decode from this cache, and
// outputs are compared with the golden model.

import { csdMachine, sparfUnit } from "../../../machine/resolve/csd.ts";
import type { CsdMachine } from "../../../machine/csd/csd-machine.ts";
import { closeHeads } from "../../../kernels/csd/head-store.ts";
import { prefill, type PrefillRun, type PrefillTask } from "../../../kernels/csd/prefill.ts";
import { decodeLayer } from "../../../kernels/csd/attention/sparse-attention.ts";
import { flashPresets, type FlashPreset } from "../../../machine/flash/presets.ts";
import { engineAttention } from "../../../golden/attention-engine.ts";
import { trafficBudget } from "../../../golden/attention/budget.ts";
import { numbersToHalves } from "../../../golden/half.ts";
import { openCsdSession } from "../../../native/csd/csd-session.ts";
import { prefillTasks } from "../model/pipeline.ts";
import { publishedSetting } from "../model/systems.ts";
import type { Prose, Table } from "../../../report/page.ts";
import { generateHta1 } from "../../../workload/hta1.ts";
import { seconds, type Seconds } from "../../../base/units.ts";
import { gantt, spansOf, type Track } from "../../experiment/chart-map.ts";
import type { SimulatedExperiment } from "../../experiment/experiment.ts";
import { compareStatement } from "../../experiment/finding.ts";
import { every } from "../../experiment/internal-check.ts";

const { model, prompt } = publishedSetting;
/** Number of simulated layers of the model's 40, which all have equal times. */
const layerCount = 3;
const decode = 1;
const [dimsPerPage, ratio] = [2, 1 / 8];
/** Two layers of keys and values in the GPU: one is made while another leaves. */
const buffered = 2;
const width = model.hidden / model.heads;
const ways: readonly (readonly [FlashPreset, number])[] = [
  ["znand4k", 1],
  ["znand4k", 4],
  ["znand4k", 20],
  ["tlc4k", 1],
  ["tlc4k", 20],
];
const titles: Readonly<Partial<Record<FlashPreset, string>>> = { znand4k: "Z-NAND", tlc4k: "TLC" };
/** The run that is shown in full, and decodes. */
const shown = "Z-NAND, 4 devices";

interface DevicePrefill {
  readonly name: string;
  readonly devices: number;
  readonly overlapped: PrefillRun;
  readonly serialized: PrefillRun;
  /** Values of the decode, and those that differ from golden; zero without a decode. */
  readonly values: number;
  readonly different: number;
}

type Layers = PrefillTask["layers"];

function modelLayers(): Layers {
  return Array.from({ length: layerCount }, (_, l) =>
    Array.from({ length: model.heads }, (_head, h) =>
      generateHta1(1000 * (l + 1) + h, prompt + decode, width),
    ),
  );
}

/** A layer of the prompt on the GPU alone. */
function layerTime(): Seconds {
  const options = { batch: 1, prompt, devices: 1, sparse: true, layerwise: true };
  return prefillTasks(model, options)[0]?.time ?? seconds(0);
}

async function prefillOn(
  engine: CsdMachine["engine"],
  layers: Layers,
  [preset, devices]: (typeof ways)[number],
): Promise<DevicePrefill> {
  const flash = flashPresets[preset];
  const unit = sparfUnit(width, flash.channels, flash.page_bytes / (2 * width));
  const base = csdMachine({ engine, devices, unit, flash });
  // Every head of every layer has separate blocks.
  const machine = { ...base, blocksPerPlane: layerCount * base.blocksPerPlane };
  const task = { layers, length: prompt, dimsPerPage, compute: layerTime(), buffered };
  const name = `${titles[preset] ?? preset}, ${String(devices)} ${devices === 1 ? "device" : "devices"}`;
  const runs: PrefillRun[] = [];
  let [values, different] = [0, 0];
  for (const overlap of [true, false]) {
    const session = await openCsdSession(machine);
    try {
      const run = await prefill(session, machine, { ...task, overlap });
      runs.push(run);
      if (!overlap || name !== shown) continue;
      for (const heads of run.placed) {
        const steps = await decodeLayer(session, heads, {
          method: "sparf",
          length: prompt,
          decode,
          select: (length) => trafficBudget(ratio, length, width),
        });
        closeHeads(session, heads);
        const last = steps.at(-1);
        heads.forEach(({ head }, h) => {
          const golden = goldenRow(head);
          const outputs = last?.run.jobs[last.jobs[h] ?? -1]?.outputs;
          values += golden.length;
          different += golden.filter((value, i) => value !== outputs?.[i]).length;
        });
      }
    } finally {
      session.close();
    }
  }
  const [overlapped, serialized] = runs as [PrefillRun, PrefillRun];
  return { name, devices, overlapped, serialized, values, different };
}

function goldenRow(head: Layers[number][number]): Uint16Array {
  const length = prompt + decode;
  const query = head.queries.slice((length - 1) * width, length * width);
  const parameters = trafficBudget(ratio, length, width);
  return numbersToHalves(engineAttention(query, { ...head, length }, parameters).out);
}

const milliseconds = (time: Seconds): number => 1e3 * time;

function summary(runs: readonly DevicePrefill[]): Table {
  return {
    kind: "table",
    id: "prefill-devices-table",
    caption:
      `${String(layerCount)} layers of OPT-13B, a prompt of ${String(prompt)} tokens, until the ` +
      "last page is programmed.",
    columns: [
      { key: "what", title: "devices" },
      { key: "compute", title: "GPU alone", unit: "ms", source: "derived", digits: 4 },
      { key: "overlapped", title: "overlapped", unit: "ms", source: "measured", digits: 4 },
      { key: "apart", title: "one after another", unit: "ms", source: "measured", digits: 4 },
      { key: "saved", title: "saved", unit: "%", source: "derived", digits: 3 },
      { key: "waiting", title: "most rows waiting in a DRAM", unit: "MB", source: "measured" },
      { key: "pages", title: "pages programmed", source: "measured" },
      { key: "amplification", title: "write amplification", source: "measured", digits: 3 },
    ],
    rows: runs.map(({ name, overlapped, serialized }) => ({
      what: name,
      compute: milliseconds(overlapped.compute),
      overlapped: milliseconds(overlapped.total),
      apart: milliseconds(serialized.total),
      saved: 100 * (1 - overlapped.total / serialized.total),
      waiting: overlapped.waiting / 1e6,
      pages: overlapped.layers.reduce((sum, { pages }) => sum + pages, 0),
      amplification: Math.max(
        ...overlapped.runs.flat().map(({ writes }) => writes.writeAmplification),
      ),
    })),
  };
}

function layerTable({ name, overlapped }: DevicePrefill): Table {
  const time = (key: string, title: string, source: "measured" | "derived" = "measured") => ({
    key,
    title,
    unit: "ms",
    source,
    digits: 4,
  });
  return {
    kind: "table",
    id: "prefill-layers-table",
    caption: `Layer by layer on ${name}.`,
    columns: [
      { key: "layer", title: "layer" },
      time("compute", "GPU begins", "derived"),
      time("stall", "GPU waited", "derived"),
      time("ready", "K and V made", "derived"),
      time("sent", "over the links"),
      time("written", "programmed"),
      { key: "moved", title: "moved", unit: "MB", source: "measured" },
      { key: "pages", title: "pages", source: "measured" },
    ],
    rows: overlapped.layers.map(({ compute, stall, transfer, programs, ...one }, l) => ({
      layer: l,
      compute: milliseconds(compute.start),
      stall: milliseconds(stall),
      ready: milliseconds(compute.end),
      sent: milliseconds(transfer.end),
      written: milliseconds(programs.end),
      moved: one.bytes / 1e6,
      pages: one.pages,
    })),
  };
}

function tracks({ overlapped, serialized }: DevicePrefill): readonly Track[] {
  const of = (title: string, { layers }: PrefillRun): Track => ({
    name: title,
    runs: layers.flatMap(({ compute, transfer, programs, bytes }, l) =>
      Object.entries({ GPU: compute, links: transfer, flash: programs }).map(
        ([device, { start, end }]) => ({
          id: `layer ${String(l)}`,
          device,
          after: [],
          start,
          end,
          time: seconds(end - start),
          bytes,
        }),
      ),
    ),
  });
  return [of("overlapped", overlapped), of("one after another", serialized)];
}

const explanation: Prose = {
  kind: "prose",
  text:
    "Keys and values of a layer leave the GPU from peer to peer when it has made them, head after " +
    "head over the link of the device that holds the head. A device takes them into its DRAM and " +
    "programs their pages, K in both orders, while the link goes on and the GPU is at the next " +
    "layer. Links, DRAM, dies and blocks are those of the session that decodes afterwards; the " +
    "GPU is its task model. A row of flash below spans the first rows in DRAM to the last program.",
};

/** Prefill on devices with this engine, which rests until the decode. */
export function prefillOnDevices(engine: CsdMachine["engine"]): SimulatedExperiment {
  return {
    id: "instinfer/prefill-devices",
    paper: "instinfer",
    title: "Prefill layer by layer through 1 to 20 simulated devices, and a decode on it",
    run: async () => {
      const layers = modelLayers();
      const runs: DevicePrefill[] = [];
      for (const path of ways) runs.push(await prefillOn(engine, layers, path));
      const moved = layerCount * model.heads * 2 * prompt * width * 2;
      const full = runs.find(({ name }) => name === shown);
      const table = summary(runs);
      return {
        findings: [
          ...runs.map(({ name, overlapped, serialized }) =>
            compareStatement(`${name}: overlapped over one after another`, {
              statement: "hidden under compute",
              ours: overlapped.total / serialized.total,
              unit: "1",
              range: [0, 1],
            }),
          ),
        ],
        checks: [
          ...runs.map(({ name, overlapped }) =>
            every(
              `${name}: bytes over the links`,
              overlapped.runs.flat().reduce((sum, { link }) => sum + link.in, 0),
              moved,
              "B",
            ),
          ),
          ...(full === undefined
            ? []
            : [
                every(
                  `${shown}: values of the decode as in the golden model`,
                  full.values - full.different,
                  full.values,
                  "values",
                ),
              ]),
        ],
        blocks: [
          explanation,
          table,
          ...(full === undefined
            ? []
            : [
                layerTable(full),
                gantt(
                  {
                    id: "prefill-devices",
                    caption: `Prefill on ${shown}, overlapped and one layer after another.`,
                  },
                  tracks(full),
                  ({ id }) => id,
                ),
              ]),
        ],
        rows: table.rows,
        timeline: runs.flatMap((run) =>
          tracks(run).flatMap(({ name, runs: tasks }) =>
            spansOf({ name: `${run.name}, ${name}`, runs: tasks }),
          ),
        ),
      };
    },
  };
}
