// SPDX-License-Identifier: Apache-2.0
// The storage devices of a scenario's attention, and the budget of SparF there. They are known
// before the heads, so that a design can be measured without a head.

import { defined } from "../../../base/defined.ts";
import type { AttentionScenario } from "../../../scenario/attention.ts";
import {
  csdMachine,
  engineRuleViolations,
  ringLinesFor,
  sparfUnit,
} from "../../../machine/resolve/csd.ts";
import { inputError, NeardataError } from "../../../base/errors.ts";
import { flashPresets, type FlashPreset } from "../../../machine/flash/presets.ts";
import { defaultReadPolicy } from "../../../machine/flash/read-policy.ts";
import { trafficBudget } from "../../../golden/attention/budget.ts";
import type { SparfParameters } from "../../../golden/attention/sparf.ts";
import type { CsdMachine } from "../../../machine/csd/csd-machine.ts";

/** The shape of a head: dimensions, and tokens at the first attention. */
interface HeadShape {
  readonly width: number;
  readonly length: number;
}

/** Dimensions, tokens and local window by the length of the cache; the window a quarter of k. */
export function budgetOf(
  { ratio, r, k }: AttentionScenario,
  width: number,
): (tokens: number) => SparfParameters {
  if (r !== null && r > width) {
    throw inputError("attention.r", `${r} dimensions are more than the ${width} of a head.`);
  }
  return (tokens) => {
    const budget = trafficBudget(ratio, tokens, width);
    // The meaning of the budget, not a limit of the engine, which accepts a larger k and selects all tokens:
    // a cache of fewer tokens than k uses all of them, and the window is a quarter of the tokens in use.
    const chosen = Math.min(tokens, k ?? budget.k);
    return { r: r ?? budget.r, k: chosen, l: Math.floor(chosen / 4) };
  };
}

/**
 * Checks the shape of heads against the limits of the engine. Heads of files may have any shape;
 * the shape of generated heads was checked with their scenario.
 * @throws NeardataError `bad-input` with every rule that they break.
 */
export function checkHeads(attention: AttentionScenario, { width, length }: HeadShape): void {
  const { decode, dimsPerPage, fidelity, flash, group = 1 } = attention;
  const refused = flash.flatMap((part) => {
    const { page_bytes: pageBytes } = flashPresets[part];
    const head = { width, length: length + decode, pageBytes, dimsPerPage, group };
    return engineRuleViolations(head, fidelity !== "analytic", attention.engine);
  });
  if (refused.length === 0) return;
  const issues = [...new Set(refused)].map((message) => ({ where: "attention.source", message }));
  throw new NeardataError("bad-input", issues);
}

/** Large enough for every step of the scenario. */
export function attentionMachine(
  attention: AttentionScenario,
  { width, length }: HeadShape,
  preset: FlashPreset,
  devices: number,
): CsdMachine {
  const { fidelity, engine, channels, diesPerChannel, decode, dimsPerPage, link, sharedLink } =
    attention;
  const { bitErrorRate, errorsByPageType, ...nand } = attention.nand;
  const reads = { ...defaultReadPolicy, rawBitErrorRate: bitErrorRate, errorsByPageType };
  const device = flashPresets[preset];
  const flash = {
    ...device,
    channels: channels ?? device.channels,
    dies_per_channel: diesPerChannel ?? device.dies_per_channel,
  };
  const pageBytes = flash.page_bytes;
  const tokens = length + decode;
  const { r } = budgetOf(attention, width)(tokens);
  const { source } = attention;
  const heads = source.kind === "hta1" ? Math.ceil(source.heads / devices) : 1;
  const ringLines = ringLinesFor(pageBytes, dimsPerPage, r, tokens);
  const unit = sparfUnit(width, flash.channels, pageBytes / (2 * width), ringLines, engine);
  return csdMachine({
    engine: fidelity === "rtl" ? "rtl" : "cycle",
    devices,
    unit,
    flash,
    nand,
    reads,
    controller: attention.controller,
    link,
    holds: { heads, tokens },
    ...defined({ sharedLink }),
  });
}
