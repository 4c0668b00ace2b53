// SPDX-License-Identifier: Apache-2.0
// LIA: CXL and the batch (table 3), the ablation (table 4) and the breakdown of time (table 5).

import { present } from "../../../base/present.ts";
import { modelShape } from "../../../workload/shapes.ts";
import { footprintOf, largestBatch } from "../model/memory.ts";
import { runLia, type LiaJob, type LiaOptions, type LiaRun } from "../policy/run.ts";
import { allGpu, attentionOnCpu } from "../policy/systems.ts";
import { bytes, bytesPerSecond } from "../../../base/units.ts";
import { bars, dots, stacks, type Datum, type StackedDatum } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import {
  fitted,
  compareNumber as printedNumber,
  type Finding,
  type Explanation,
} from "../../experiment/finding.ts";
import { batchedSeconds } from "./batched.ts";
import { compareReadings } from "./readings.ts";
import { job, paperLab, type Lab } from "./lab.ts";
import { machine, ownLab } from "./run.ts";
import { jobSpans, layerSpans } from "./timeline.ts";

const batched =
  "rates of batched work are those of table 5 at B = 900; equation 8 has no time for the frameworks";

/** Output length, share of parameters, batch with CXL, throughput at 900 and at that batch. */
const publishedTable3 = [
  [32, 43.1, 1580, 280.38, 406.88],
  [64, 33.5, 1350, "293.50", 386.19],
  [128, 23.2, 1150, 282.86, 297.93],
  [256, 14.4, 1050, 233.36, 242.95],
] as const;
const model = "opt-30b";
/** Embeddings, norms and biases, in addition to the layers' matrices. */
function otherBytes(): number {
  const { hidden, layers } = modelShape(model, "table 3");
  return 2 * ((50272 + 2050) * hidden + 13 * layers * hidden + 2 * hidden);
}

export const table3: Experiment = {
  id: "lia/table-3",
  paper: "lia",
  title: "Parameters in CXL memory, OPT-30B, B = 900",
  run: () => {
    const rows = publishedTable3.map(([output, share, batch, before, after]) => {
      const { shape: layer, layers } = job(model, 900, 32, output);
      const print = footprintOf(layer, layers, 32 + output, bytes(otherBytes()));
      const cache = 900 * print.cachePerSequence;
      const ddr = bytes(print.parameters + cache);
      const fits = present(
        largestBatch({ ddr, cxl: bytes(256 * 2 ** 30) }, print, "cxl") ?? undefined,
      );
      const rate = (b: number, lab: Lab = ownLab): number =>
        lab.lia("spr-a100", job(model, b, 32, output)).throughput;
      return {
        output,
        batch,
        fits,
        share,
        before,
        after,
        rate,
        printedGain: after / Number(before),
        ours: print.parameters / ddr,
        gain: rate(batch) / rate(900),
      };
    });
    return {
      findings: rows.flatMap((r): readonly Finding[] => [
        printedNumber(`share of parameters, L_out ${r.output}`, {
          published: r.share,
          ours: 100 * r.ours,
          unit: "%",
          kind: "A",
        }),
        printedNumber(`batch in the same DDR, L_out ${r.output}`, {
          published: r.batch,
          ours: r.fits,
          unit: "1",
          kind: "A",
        }),
        compareReadings(`throughput at B = 900, L_out ${r.output}`, {
          published: r.before,
          value: (lab) => r.rate(900, lab),
          unit: "token/s",
          note: batched,
        }),
        compareReadings(`throughput at that batch, L_out ${r.output}`, {
          published: r.after,
          value: (lab) => r.rate(r.batch, lab),
          unit: "token/s",
          note: batched,
        }),
      ]),
      blocks: [
        bars(
          {
            id: "table-3",
            caption: "Throughput with the enlarged batch over that at 900.",
            xTitle: "output tokens",
            yTitle: "gain",
            unit: "x",
          },
          rows.flatMap(({ output, printedGain, gain }) => [
            { x: String(output), series: "published", y: printedGain },
            { x: String(output), series: "ours", y: gain },
          ]),
        ),
      ],
      timeline: publishedTable3
        .slice(0, 1)
        .flatMap(([output, , batch]) =>
          [900, batch].flatMap((b) =>
            jobSpans(`L_out ${output}, B ${b}`, "spr-a100", job(model, b, 32, output), ["LIA"]),
          ),
        ),
    };
  },
};

const batches = [1, 64, 900] as const;
const of = (batch: number): LiaJob => job(model, batch, 256, 32);

interface Setting {
  readonly name: string;
  /** As printed. */
  readonly printed: readonly [one: string | number, many: string | number, most: string | number];
  readonly run: (lab: Lab, j: LiaJob) => LiaRun;
}

function machineFor(lab: Lab, { batch }: LiaJob): ReturnType<Lab["machine"]> {
  return lab.machine("spr-a100", "LIA", batch);
}

/** LIA's policies for a job. */
function chosenFor(j: LiaJob): Pick<LiaOptions, "prefill" | "decode"> {
  const { prefill, decode } = paperLab.lia("spr-a100", j);
  return { prefill: prefill.policy, decode: decode.policy };
}

const settings: readonly Setting[] = [
  {
    name: "all optimisations",
    printed: [5.05, "24.00", 291.02],
    run: (lab, j) => lab.lia("spr-a100", j),
  },
  {
    name: "without optimisation 1",
    printed: [10.09, 26.97, 297.13],
    run: (lab, j) => runLia(machineFor(lab, j), j, { ...chosenFor(j), resident: 0, overlap: true }),
  },
  {
    name: "without optimisation 2",
    printed: [5.05, 26.96, 443.61],
    run: (lab, j) =>
      runLia(machineFor(lab, j), j, {
        ...chosenFor(j),
        resident: lab.resident("spr-a100", j),
        overlap: false,
      }),
  },
  {
    name: "with FlexGen's policy",
    printed: [31.07, "84.80", 291.02],
    run: (lab, j) =>
      runLia(machineFor(lab, j), j, {
        prefill: allGpu,
        decode: j.batch === 1 ? allGpu : attentionOnCpu,
        resident: lab.resident("spr-a100", j),
        overlap: true,
      }),
  },
];

export const table4: Experiment = {
  id: "lia/table-4",
  paper: "lia",
  title: "Ablation of OPT-30B, 256 tokens in and 32 out",
  run: () => {
    const rows = settings.flatMap(({ name, printed, run }) =>
      batches.map((batch, i) => ({
        name,
        batch,
        published: present(printed[i]),
        value: (lab: Lab): number => run(lab, of(batch)).total,
      })),
    );
    return {
      findings: rows.map(({ name, batch, published, value }) =>
        compareReadings(`B = ${batch}, ${name}`, {
          published,
          value,
          unit: "s",
          note: batch === 1 ? "the CPU reads 199 GB/s (section 4.2)" : batched,
        }),
      ),
      blocks: [
        dots(
          {
            id: "table-4",
            caption: "Latency by batch and setting, published and ours.",
            xTitle: "batch and setting",
            yTitle: "latency",
            unit: "s",
            logY: true,
          },
          rows.flatMap(({ name, batch, published, value }): readonly Datum[] => [
            { x: `B = ${batch}, ${name}`, series: "published", y: Number(published) },
            { x: `B = ${batch}, ${name}`, series: "ours", y: value(ownLab) },
          ]),
        ),
      ],
      timeline: settings.flatMap(({ name, run }) =>
        layerSpans(`B = 900, ${name}`, machine("spr-a100"), of(900), run(ownLab, of(900))),
      ),
    };
  },
};

/** CPU, GPU and transfers in seconds, for B = 1, 64 and 900, as printed. */
const printed5 = {
  LIA: [
    ["3.8", "1.2", "0.1"],
    ["16.9", "7.7", "3.9"],
    [String(batchedSeconds.LIA), String(batchedSeconds.gpu), "118.8"],
  ],
  IPEX: [["10.2"], ["75.7"], [String(batchedSeconds.IPEX)]],
  FlexGen: [
    ["0.05", "1.3", "31.3"],
    ["20.9", "9.8", "86.0"],
    [`${batchedSeconds.FlexGen}.0`, "98.7", "128.7"],
  ],
} as const;
const parts = ["cpu", "gpu", "transfer"] as const;
const partTitles = { cpu: "CPU", gpu: "GPU", transfer: "transfer" } as const;

/** The four numbers of table 5 that set the rates of batched work. */
function setsRate(name: keyof typeof printed5, part: (typeof parts)[number]): boolean {
  return part === "cpu" || (part === "gpu" && name === "LIA");
}

/** Possible explanations of the small parts at B = 1. */
const alone: Readonly<Record<string, readonly Explanation[]>> = {
  "LIA transfer": [
    {
      what: "the hidden state of each pass moves to the layers on the GPU and back",
      value: (2 * 2 * 7168 * (256 + 31)) / machine("spr-a100").pcie,
    },
    {
      what: "the hidden state of each pass moves, and two small transfers need 2 ms per pass for synchronisation",
      value: (2 * 2 * 7168 * (256 + 31)) / machine("spr-a100").pcie + 32 * 2e-3,
    },
  ],
  "FlexGen gpu": [
    {
      what: "the A100 reads at its peak of 1555 GB/s",
      value: runLia(
        { ...machine("spr-a100", "FlexGen"), gpuBandwidth: bytesPerSecond(1555e9) },
        of(1),
        { prefill: allGpu, decode: allGpu, resident: 0, overlap: true },
      ).busy.gpu,
    },
  ],
  "FlexGen cpu": [
    {
      what: "attention of decode on the CPU also for one sequence",
      value: runLia(machine("spr-a100", "FlexGen"), of(1), {
        prefill: allGpu,
        decode: attentionOnCpu,
        resident: 0,
        overlap: true,
      }).busy.cpu,
    },
  ],
};

export const table5: Experiment = {
  id: "lia/table-5",
  paper: "lia",
  title: "Where the time goes, OPT-30B, without overlap",
  run: () => {
    const runs = { LIA: "lia", IPEX: "ipex", FlexGen: "flexGen" } as const;
    const rows = (["LIA", "IPEX", "FlexGen"] as const).flatMap((name) =>
      batches.flatMap((batch, b) =>
        parts.flatMap((part, i) => {
          const published: string | undefined = printed5[name][b]?.[i];
          const value = (lab: Lab): number => lab[runs[name]]("spr-a100", of(batch)).busy[part];
          return published === undefined ? [] : [{ name, batch, part, published, value }];
        }),
      ),
    );
    return {
      findings: rows
        // IPEX at B = 1 follows from printed rates and is among the arithmetic findings.
        .filter(({ name, batch }) => name !== "IPEX" || batch !== 1)
        .map(({ name, batch, part, published, value }) =>
          batch === 900 && setsRate(name, part)
            ? fitted(
                `${name}, B = ${batch}: ${partTitles[part]}`,
                published,
                value(ownLab),
                "s",
                "sets a rate of batched work",
              )
            : compareReadings(`${name}, B = ${batch}: ${partTitles[part]}`, {
                published,
                value,
                unit: "s",
                note: batch === 1 ? "our policy for one sequence has no such part" : batched,
                more: batch === 1 ? alone[`${name} ${part}`] : [],
              }),
        ),
      blocks: batches.map((batch) =>
        stacks(
          {
            id: `table-5-${batch}`,
            caption: `Parts of the latency at B = ${batch}.`,
            xTitle: "system",
            yTitle: "time",
            unit: "s",
          },
          rows
            .filter((r) => r.batch === batch)
            .flatMap(({ name, part, published, value }): readonly StackedDatum[] => [
              { x: name, bar: "published", series: partTitles[part], y: Number(published) },
              { x: name, bar: "ours", series: partTitles[part], y: value(ownLab) },
            ]),
        ),
      ),
      timeline: batches.flatMap((batch) => jobSpans(`B = ${batch}`, "spr-a100", of(batch))),
    };
  },
};
