// SPDX-License-Identifier: Apache-2.0
// InstInfer's 2.08x on the simulated device: the attention of an OPT-13B layer (40 heads of 128,
// 2048 tokens, 1/8) through the engine, its queues, its DRAM and its flash. The gain of each step,
// from one head in flight, which loses on TLC, to the published gain.

import type { Prose, Table } from "../../../report/page.ts";
import type { SimulatedExperiment } from "../../experiment/experiment.ts";
import { clustered, deviceLab, layerHeads, type DeviceLab, type DeviceStep } from "./device-lab.ts";
import {
  additions,
  ladderChart,
  ladderChecks,
  ladderTable,
  oneHead,
  type LadderDevice,
  type Ladders,
  type LadderStep,
  type Rung,
} from "./ladder.ts";

/**
 * Tokens of the prompt, and decode steps, the last of which is timed; the earlier ones determine
 * the hot pages.
 */
const tokens = { prompt: 2048, decode: 8 };
const ratio = 1 / 8;

interface Step extends LadderStep {
  /** Heads for which each kernel has room. */
  readonly slots: number;
}

const one: Step = { ...oneHead, slots: 8 };
const sixteen: Step = { ...one, ...additions.sixteenHeads };
const wide: Step = { ...one, name: "32 in flight, 16 slots a kernel", inFlight: 64, slots: 16 };
const flow: Step = { ...wide, ...additions.fourSequences };
const sorted: Step = { ...flow, ...additions.clustering };
const warm: Step = { ...sorted, ...additions.sixteenHot };
const hot: Step = { ...sorted, ...additions.thirtyTwoHot };

/** In the order in which they are added. */
const deviceSteps: readonly Step[] = [
  one,
  { ...one, ...additions.fourHeads },
  sixteen,
  wide,
  flow,
  sorted,
  warm,
  hot,
];

interface DeviceRung extends Rung {
  readonly step: Step;
  readonly dense: DeviceStep;
  readonly sparf: DeviceStep;
}

/** Every step on one device. */
async function ladder(
  flash: LadderDevice,
  plain: DeviceLab,
  paired: DeviceLab,
): Promise<readonly DeviceRung[]> {
  const known = new Map<string, DeviceStep>();
  const rungs: DeviceRung[] = [];
  for (const step of deviceSteps) {
    const path = { ...step, flash, devices: 1 };
    // Arrangement and copies have no effect on attention that reads everything once.
    const key = [step.inFlight, step.slots, step.sequences].join();
    const dense =
      known.get(key) ?? (await plain.step({ ...path, hotPages: 0 }, null, tokens.decode));
    known.set(key, dense);
    const lab = step.clusterDims ? paired : plain;
    const sparf = await lab.step(path, ratio, tokens.decode);
    rungs.push({ step, dense, sparf, speedup: dense.attention / sparf.attention });
  }
  return rungs;
}

function table(ladders: Ladders<DeviceRung>): Table {
  return ladderTable(
    {
      id: "device-steps-table",
      caption:
        "Each step is added to those above it. Attention of a decode step over 40 heads (160 with 4 " +
        "sequences), from the first query on the link to the last output at the host.",
      columns: [
        { key: "dense", title: "dense", unit: "us", source: "measured", digits: 5 },
        { key: "sparf", title: "SparF", unit: "us", source: "measured", digits: 5 },
        { key: "speedup", title: "SparF over dense", unit: "x", source: "derived", digits: 4 },
        { key: "pages", title: "pages over dense", unit: "%", source: "measured", digits: 3 },
        { key: "hot", title: "of these from DRAM", unit: "%", source: "measured", digits: 3 },
        { key: "busy", title: "least busy channel", unit: "%", source: "measured", digits: 3 },
      ],
    },
    ladders,
    ({ dense, sparf, speedup }) => ({
      dense: 1e6 * dense.attention,
      sparf: 1e6 * sparf.attention,
      speedup,
      pages: (100 * sparf.pages) / dense.pages,
      hot: (100 * sparf.hot) / sparf.pages,
      busy: 100 * sparf.leastBusy,
    }),
  );
}

const explanation: readonly Prose[] = [
  "With one head in flight, SparF is slower than dense attention on TLC, although it reads half of the pages. " +
    "The logits of step 1 select the tokens of step 2, so a head waits twice for the sensing of its cells, and for the " +
    "sums between the steps. Most dies are idle during this time. With 16 heads in flight, step 1 of later heads overlaps " +
    "step 2 of earlier heads.",
  "More than 16 heads in flight gain nothing, because the requests are already ahead of the flash. Heads of sequences " +
    "that follow each other remove the idle channels at the end of a layer; a short sparse layer gains more from this than " +
    "a long dense layer. Dimensions ordered by the |q| of the prompt share pages if they are selected together. The same " +
    "permutation of q and K does not change the logits. The controller's DRAM stores copies of the pages that earlier steps " +
    "read most often, and sends them through the ports of the same channels. A port accepts 8 bytes per cycle, 2.28 GB/s, " +
    "and its flash delivers 1.4 GB/s. 16 pages per head need 2.6 MB per layer and sequence.",
].map((text) => ({ kind: "prose", text }));

/** The ladder on devices with this engine. */
export function deviceStepsExperiment(engine: "rtl" | "cycle"): SimulatedExperiment {
  return {
    id: "instinfer/device-steps",
    paper: "instinfer",
    title: "Steps from one head in flight to a gain of 2.08, simulated device",
    run: async () => {
      const heads = layerHeads(tokens.prompt, tokens.decode);
      const plain = deviceLab(engine, heads);
      const paired = deviceLab(engine, clustered(heads));
      const ladders = [
        ["tlc4k", await ladder("tlc4k", plain, paired)],
        ["znand4k", await ladder("znand4k", plain, paired)],
      ] as const;
      return {
        // The published gain is of whole decode steps: figure 12 judges it.
        findings: [],
        checks: ladderChecks(ladders, 2.2),
        blocks: [...explanation, ladderChart("device-steps", ladders), table(ladders)],
        timeline: [],
      };
    },
  };
}
