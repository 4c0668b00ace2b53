// SPDX-License-Identifier: Apache-2.0
// Runs edges on a backend, through the interface that all backends have: a configuration and a trace
// in, commands out.

import type { DramBinding } from "../../../native/dram-binding.ts";
import { parseDramReplayConfig } from "../config.ts";
import type { DramReplayConfig } from "../replay-config.ts";
import { replayTrace } from "../replay.ts";
import { banksPerGroup as banks, shortTiming } from "./rows.ts";
import type { Edge, EdgeEvent, EdgeResult, EdgeSemantics, EdgeStep, EdgeVerdict } from "./edge.ts";

interface Sent {
  readonly cycle: number;
  readonly command: string;
  readonly rank: number;
  readonly request: number;
}

const groups = 8;
const rows = 64;
const columns = 16;
const bytes = 64;

function configOf(edge: Edge, semantics: EdgeSemantics): DramReplayConfig {
  return parseDramReplayConfig(
    {
      name: `${edge.rule}: ${edge.from.command} to ${edge.to.command}`,
      preset: "TriMoE",
      semantics,
      timing_nCK: { ...shortTiming, ...edge.timing },
      organization: {
        channels: 1,
        ranks_per_channel: edge.ranks,
        bankgroups: groups,
        banks_per_bankgroup: banks,
        rows,
        column_addresses_per_row: columns,
      },
      address_mapper: "ChRaBaRoCo",
      refresh: edge.refresh,
      ...(edge.closedRows === true ? { row_policy: "ClosedRowPolicy", closed_row_cap: 1 } : {}),
    },
    "edge",
  );
}

/** Bank group by bank group within a rank. The column rotates, so that no address occurs twice. */
function traceOf(steps: readonly EdgeStep[]): string {
  const lines = steps.map(({ at, op, place }, id) => {
    const bank = (place.rank * groups + place.group) * banks + place.bank;
    const line = (bank * rows + place.row) * columns + (id % columns);
    return `${String(id)},${String(at)},${op},0x${(line * bytes).toString(16)}\n`;
  });
  return `id,arrival,op,addr\n${lines.join("")}`;
}

async function commandsOf(
  dram: DramBinding,
  config: DramReplayConfig,
  steps: readonly EdgeStep[],
): Promise<readonly Sent[]> {
  const decoder = new TextDecoder();
  let text = "";
  await replayTrace(
    dram,
    config,
    { name: config.name, pieces: [new TextEncoder().encode(traceOf(steps))] },
    { commands: (piece) => void (text += decoder.decode(piece, { stream: true })) },
  );
  return text
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => {
      const [cycle, , command, rank, , , , , request] = line.split(",");
      return {
        cycle: Number(cycle),
        command: command ?? "",
        rank: Number(rank),
        request: Number(request),
      };
    });
}

const matches =
  ({ command, step }: EdgeEvent) =>
  (sent: Sent): boolean =>
    sent.command === command && (step === undefined ? sent.rank === 0 : sent.request === step);

/** Cycles from the last of the one to the first of the other that follows one. */
function between(sent: readonly Sent[], edge: Edge): number | undefined {
  const isFrom = matches(edge.from);
  const isTo = matches(edge.to);
  const start = sent.findIndex(isFrom);
  const end = start < 0 ? -1 : sent.findIndex((one, i) => i > start && isTo(one));
  const to = sent[end];
  if (to === undefined) return undefined;
  const from = sent.slice(0, end).findLast(isFrom);
  return from && to.cycle - from.cycle;
}

function verdictOf(edge: Edge, measured: number | undefined, expected: number): EdgeVerdict {
  if (measured === undefined) return edge.mayNotCome === true ? "right" : "never";
  // An optional command may be delayed further by another constraint.
  if (measured > expected) return edge.mayNotCome === true ? "right" : "late";
  return measured < expected ? "early" : "right";
}

/** A read so late that the first refresh of an idle memory is over. */
const idle = (until: number): readonly EdgeStep[] => [
  { at: until, op: "R", place: { rank: 0, group: 0, bank: 0, row: 0 } },
];

async function runEdge(
  dram: DramBinding,
  edge: Edge,
  semantics: EdgeSemantics,
): Promise<EdgeResult> {
  const config = configOf(edge, semantics);
  const expected = edge.wait(config.timing);
  const description = {
    rule: edge.rule,
    minimum: edge.minimum,
    commands: `${edge.from.command} to ${edge.to.command}`,
    near: edge.near,
    expected,
  };
  if (refuses(dram, config)) return { ...description, measured: undefined, verdict: "absent" };
  let refresh = 0;
  if (edge.refresh !== "None") {
    const kind = edge.refresh === "AllBank" ? "REFab" : "REFsb";
    const sent = await commandsOf(dram, config, idle(2 * config.timing.nREFI));
    refresh = sent.find(matches({ command: kind }))?.cycle ?? 0;
  }
  const measured = between(await commandsOf(dram, config, edge.steps(refresh)), edge);
  return { ...description, measured, verdict: verdictOf(edge, measured, expected) };
}

/** Whether the backend cannot be such a memory. */
function refuses(dram: DramBinding, config: DramReplayConfig): boolean {
  try {
    dram.dramReplayOpen({ ...config, commands: false, completions: false });
    return false;
  } catch (cause) {
    if ((cause as { readonly code?: string }).code !== "bad-input") throw cause;
    return true;
  }
}

/** Runs every edge on a backend with these semantics. */
export async function runEdges(
  dram: DramBinding,
  edges: readonly Edge[],
  semantics: EdgeSemantics = "jedec",
): Promise<readonly EdgeResult[]> {
  const results: EdgeResult[] = [];
  for (const edge of edges) results.push(await runEdge(dram, edge, semantics));
  return results;
}
