// SPDX-License-Identifier: Apache-2.0
// TriMoE, section 5.5: the time of the relayout of one expert and of four, simulated from the reads at
// the sources to the last write, with its bottleneck. The paper's 0.63 ms is one matrix of a
// DeepSeek-V2 expert on one link, so three links per expert are the reading that matches it, and one
// link is the conservative reading.

import { present } from "../../../base/present.ts";
import { publishedLinks, type DimmLinks } from "../../../machine/resolve/dimm-links.ts";
import { paperMachine } from "../../../machine/resolve/systems.ts";
import { moveExperts } from "../../../kernels/moe/expert-move.ts";
import { layOutExpert } from "../../../workload/ndp/layout.ts";
import type { MovesResult } from "../../../kernels/moe/relayout.ts";
import { expertBytes, modelShape } from "../../../workload/shapes.ts";
import { linkRound, publishedMigration } from "../policy/migration.ts";
import type { Table } from "../../../report/page.ts";
import type { Span } from "../../../results/latency/span.ts";
import type { SimulatedExperiment } from "../../experiment/experiment.ts";
import { explained, notComparable, compareNumber } from "../../experiment/finding.ts";

interface Case {
  readonly model: string;
  readonly experts: number;
  readonly links: number;
}

const cases: readonly Case[] = [
  { model: "deepseek-v2", experts: 1, links: 3 },
  { model: "deepseek-v2", experts: 1, links: 1 },
  { model: "deepseek-v2", experts: 4, links: 3 },
  { model: "deepseek-v2", experts: 1, links: 15 },
  { model: "qwen3-235b-a22b", experts: 1, links: 3 },
];

/** Striped experts become localized, each on a different DIMM. */
export async function relayout(
  { model, experts, links }: Case,
  joined: DimmLinks = publishedLinks,
): Promise<MovesResult> {
  const machine = paperMachine("cycle");
  const { hidden, experts: ofModel } = modelShape(model, "the experiment");
  const intermediate = ofModel?.intermediate ?? 0;
  const layout = layOutExpert(
    machine.unit,
    { hidden, intermediate, tokens: 1, format: "fp16", activation: "silu" },
    "interleaved",
  );
  return moveExperts(machine, layout, { experts, links, joined });
}

const window =
  "one link moves an expert in three times the published time, longer than the overlap window of 0.68 ms";

const simulated =
  "links join neighbours on one side of the CPU, and the host forwards to the other side, as DIMM-Link's paper has them: into a DIMM go two links at most, and packets of other DIMMs pass over them; bytes over rates have as many links as an expert has matrices";

/** A round of DeepSeek-V2's experts, three links each. */
function byRates(): number {
  const size = expertBytes(modelShape("deepseek-v2", "section 5.5"));
  return linkRound(publishedMigration, size, 16).time;
}

export const relayoutExperiment: SimulatedExperiment = {
  id: "trimoe/relayout",
  paper: "trimoe",
  title: "Relayout over DIMM-Link",
  run: async () => {
    const done: { readonly what: Case; readonly result: MovesResult }[] = [];
    for (const what of cases) done.push({ what, result: await relayout(what) });
    const ms = (i: number): number => present(done[i]?.result.time) * 1e3;
    return {
      findings: [
        explained(
          compareNumber("four experts, three links each", {
            published: "0.63",
            ours: ms(2),
            unit: "ms",
            kind: "S",
            note: simulated,
          }),
          [
            { what: "bytes over rates, as section 5.5 has them", value: 1e3 * byRates() },
            { what: "one expert alone", value: ms(0) },
            { what: "one expert over all of its DIMM's links", value: ms(3) },
            { what: "one expert of Qwen3-235B", value: ms(4) },
          ],
        ),
        compareNumber("four experts in the overlap window", {
          published: "at most 0.68",
          ours: ms(2),
          unit: "ms",
          kind: "S",
          note: simulated,
        }),
        notComparable("one expert, one link", "0.63", ms(1), "ms", window),
      ],
      blocks: [table(done)],
      timeline: done.flatMap(({ what, result }) => spansOf(what, result)),
    };
  },
};

function table(done: readonly { readonly what: Case; readonly result: MovesResult }[]): Table {
  return {
    kind: "table",
    id: "relayout",
    caption:
      "Striped to localized, every byte compared in the end. Links join the DIMMs on one side of the CPU in a line, and the host forwards to the other side (DIMM-Link, HPCA 2023). Shares are of the busiest link, of the busiest channel of the host, and of the busiest DIMM's rank buses.",
    columns: [
      { key: "model", title: "model" },
      { key: "experts", title: "experts" },
      { key: "links", title: "links an expert" },
      { key: "time", title: "time", unit: "ms", source: "measured", digits: 4 },
      { key: "bandwidth", title: "bandwidth", unit: "GB/s", source: "measured", digits: 4 },
      { key: "link", title: "links busy", unit: "1", source: "measured", digits: 3 },
      { key: "host", title: "host busy", unit: "1", source: "measured", digits: 3 },
      { key: "writes", title: "target ranks busy", unit: "1", source: "measured", digits: 3 },
      { key: "bound", title: "bound by" },
    ],
    rows: done.map(({ what, result }) => ({
      ...what,
      time: result.time * 1e3,
      bandwidth: result.bandwidth / 1e9,
      link: busyOf(result, "DIMM-Link"),
      host: busyOf(result, "forwarding by the host"),
      writes: busyOf(result, "writes at the targets"),
      bound: result.bound.what,
    })),
  };
}

function busyOf({ shares }: MovesResult, part: string): number {
  return present(shares.find(({ what }) => what === part)?.busy);
}

function spansOf({ model, experts, links }: Case, result: MovesResult): readonly Span[] {
  return result.moves.map(({ begin, end }, i) => ({
    track: `relayout of ${experts} (${model}, ${links} links)`,
    lane: `expert ${i}`,
    name: "striped to localized",
    startNs: begin * 1e9,
    durationNs: (end - begin) * 1e9,
  }));
}
