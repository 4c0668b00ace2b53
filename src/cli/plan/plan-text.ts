// SPDX-License-Identifier: Apache-2.0
// A plan as text: a line for each system, and under it the memory map.

import { present } from "../../base/present.ts";
import type { FlexGenRow } from "../../papers/flexgen/files/plan.ts";
import type { InstInferRow } from "../../papers/instinfer/files/plan.ts";
import type { LlmShareRow } from "../../papers/serving/plan.ts";
import type { TriMoeRow } from "../../papers/trimoe/files/plan.ts";
import { sizeText } from "../../papers/experiment/memory-map.ts";
import type { LiaRow } from "../../papers/lia/files/plan.ts";
import type { Plan } from "../../papers/plan/plan.ts";
import { lackTexts, type Placed, type PlacedDevice } from "../../papers/experiment/planned.ts";

/** The planners of `policy plan`. */
export const planPolicies = ["lia", "flexgen", "trimoe", "instinfer", "llmshare"] as const;
export type PlanPolicy = (typeof planPolicies)[number];

/** The systems of one policy. */
export type SolvedPlan =
  | { readonly policy: "lia"; readonly rows: readonly LiaRow[] }
  | { readonly policy: "flexgen"; readonly rows: readonly FlexGenRow[] }
  | { readonly policy: "trimoe"; readonly rows: readonly TriMoeRow[] }
  | { readonly policy: "instinfer"; readonly rows: readonly InstInferRow[] }
  | { readonly policy: "llmshare"; readonly rows: readonly LlmShareRow[] };

/** A number of a row that fits. @throws RangeError for null */
const planned = (x: number | null): number => present(x ?? undefined);

const digits = (x: number): string => String(Number(x.toPrecision(4)));

/** The whole plan. */
export function textOfPlan(plan: Plan, solved: SolvedPlan): string {
  const { cpu, gpu, link, group } = plan.host;
  const gpus = group === undefined ? "" : `${group.count} x `;
  return [
    `${plan.model.name} on ${cpu.title}, ${gpus}${gpu.title}, ${link.title}: ` +
      `${plan.batch} prompts of ${plan.input} tokens, ${plan.output} generated tokens per prompt`,
    ...linesOf(solved),
    ...notesOf(solved.policy).map((note) => `  ${note}`),
  ].join("\n");
}

function linesOf(solved: SolvedPlan): readonly string[] {
  switch (solved.policy) {
    case "lia":
      return solved.rows.flatMap((row) => block(row, () => liaLine(row)));
    case "flexgen":
      return solved.rows.flatMap((row) => [
        ...block(row, () => flexGenLine(row)),
        ...frontierLines(row),
      ]);
    case "trimoe":
      return solved.rows.flatMap((row) => block(row, () => triMoeLine(row)));
    case "instinfer":
      return solved.rows.flatMap((row) => block(row, () => instInferLine(row)));
    case "llmshare":
      return solved.rows.flatMap((row) => block(row, () => llmShareLine(row)));
  }
}

/** Remarks about the numbers, which are all derived from the devices' rates. */
export function notesOf(policy: PlanPolicy): readonly string[] {
  switch (policy) {
    case "lia":
      return [
        "Times are derived from the equations of LIA. FlexGen is what LIA's equations make of it; its own linear " +
          "program is --policy flexgen.",
      ];
    case "flexgen":
      return [
        "Times are derived from FlexGen's released cost model; rates that no device has are the T4 fit's share.",
      ];
    case "trimoe":
      return [
        "Times are derived on a synthetic trace of 12 steps; attention and prompts are not counted.",
      ];
    case "instinfer":
      return [
        "Times are derived, of decode alone. What a step takes outside the cache is calibrated on OPT-13B (1.72 s, " +
          "figure 14) and assumed to go with the layers of other models.",
      ];
    case "llmshare":
      return [
        "Times are simulated with all prompts waiting, on effective rates of the GPU, with LLMCompass' 315 us to launch a " +
          "layer and 50 GB/s a GPU between pools; neardata serve has every assumption as a key. CPU memory is not used.",
      ];
  }
}

/** `outcome` is called for a row that fits. */
function block(row: Placed, outcome: () => string): readonly string[] {
  const name = `  ${row.system.padEnd(8)} `;
  const first = row.fits
    ? [`${name}${outcome()}`]
    : lackTexts(row).map((text) => `${name}does not fit: ${text}`);
  const batch =
    row.fits && typeof row.largestBatch === "number"
      ? [`    largest batch that fits: ${row.largestBatch}`]
      : [];
  return [...first, ...batch, ...memoryLines(row.memory)];
}

function memoryLines(memory: readonly PlacedDevice[]): readonly string[] {
  return memory.flatMap(({ device, used, capacity, uses }) => [
    `    ${device}: ${sizeText(used)} of ${sizeText(capacity)}`,
    ...uses.map(({ what, bytes }) => `      ${sizeText(bytes).padStart(10)}  ${what}`),
  ]);
}

function liaLine({ prefill, decode, latency, throughput, joulesPerToken }: LiaRow): string {
  return [
    `prefill ${prefill}, decode ${decode} (1 is the CPU):`,
    `${digits(planned(latency))} s, ${digits(planned(throughput))} token/s, ${digits(planned(joulesPerToken))} J/token`,
  ].join(" ");
}

function flexGenLine({ placement, block: shape, blocks, latency, throughput }: FlexGenRow): string {
  if (placement === null || shape === null) return "";
  const shares = (...names: readonly (keyof typeof placement)[]): string =>
    names.map((name) => digits(100 * placement[name])).join("/");
  return [
    `${planned(blocks)} ${blocks === 1 ? "block" : "blocks"} of ${shape.batches} x ${shape.gpuBatch} sequences (GPU batches x size); on GPU/CPU/disk in %: weights ${shares("wg", "wc", "wn")},`,
    `caches ${shares("cg", "cc", "cn")}, hidden states ${shares("hg", "hc", "hn")}:`,
    `${digits(planned(latency))} s, ${digits(planned(throughput))} token/s`,
  ].join(" ");
}

function triMoeLine({ layer, layers }: TriMoeRow): string {
  const ms = digits(1e3 * planned(layer));
  return `routed experts of a decode step: ${ms} ms per layer, ${layers} layers`;
}

function instInferLine({ step, cache, swaps, throughput }: InstInferRow): string {
  return [
    `${digits(planned(step))} s a decode step, ${digits(planned(cache))} s of it for the cache,`,
    `${digits(planned(throughput))} token/s${swaps ? "; caches are swapped to disk" : ""}`,
  ].join(" ");
}

function llmShareLine(row: LlmShareRow): string {
  const { devices, prefillServers, decodeServers, latency, throughput, firstToken } = row;
  const servers = (count: number): string =>
    `${count} ${count === 1 ? "server" : "servers"} of ${planned(devices)}`;
  const pools =
    prefillServers === 0
      ? `${servers(planned(decodeServers))} for prompts and generated tokens:`
      : `prefill ${servers(planned(prefillServers))}, decode ${servers(planned(decodeServers))}:`;
  return [
    pools,
    `${digits(planned(latency))} s, ${digits(planned(throughput))} token/s,`,
    `first token of half of the prompts after ${digits(planned(firstToken?.p50 ?? null))} s`,
  ].join(" ");
}

/** Figure 1 of FlexGen: latency of a block against throughput. */
function frontierLines({ frontier }: FlexGenRow): readonly string[] {
  if (frontier.length === 0) return [];
  return [
    "    Pareto-optimal blocks, latency of a block and throughput:",
    ...frontier.map(({ gpuBatch, batches, latency, throughput }) => {
      const count = gpuBatch * batches;
      const sequences = `${count} ${count === 1 ? "sequence" : "sequences"} (${batches} x ${gpuBatch})`;
      return `      ${`${digits(latency)} s`.padStart(10)}  ${`${digits(throughput)} token/s`.padStart(16)}  ${sequences}`;
    }),
  ];
}
