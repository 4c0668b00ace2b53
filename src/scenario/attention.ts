// SPDX-License-Identifier: Apache-2.0
// The settings of a scenario for sparse attention on storage devices, with all defaults.

import { defined } from "../base/defined.ts";
import type { Issue } from "../base/errors.ts";
import { NeardataError } from "../base/errors.ts";
import { flashPresets, type FlashPreset } from "../machine/flash/presets.ts";
import type { HostLink, ChosenController } from "../machine/csd/csd-machine.ts";
import { modelShape } from "../workload/shapes.ts";
import type { BytesPerSecond } from "../base/units.ts";
import { methods } from "./attention-schema.ts";
import type { AttentionContent, AttentionMethod, ByFlash } from "./attention-schema.ts";
import { controllerIssues, controllerOf } from "../machine/resolve/controller.ts";
import { hostLinkIssues, hostLinkOf } from "../machine/resolve/host-link.ts";
import {
  engineRuleViolations,
  engineSize,
  engineSizeIssues,
  type EngineSize,
} from "../machine/resolve/csd.ts";
import type { Fidelity } from "./fidelities.ts";
import { valueLimitIssue } from "./value-limit.ts";
import { largestSeed } from "../base/limits.ts";
import { nandIssues, nandOf, type NandChoice } from "../machine/resolve/nand.ts";
import type { CustomUnit } from "../native/custom-unit-choice.ts";
import { cycleIssues, unitSummary, type UnitSummary } from "./unit-choice.ts";

/**
 * The source of the heads; paths are relative to the scenario. A null length selects the whole
 * length of the source.
 */
export type HeadSource =
  | {
      readonly kind: "hta1";
      readonly heads: number;
      readonly width: number;
      readonly firstSeed: number;
    }
  | {
      readonly kind: "trained";
      readonly weights: string;
      readonly text: string;
      readonly window: number;
    }
  | { readonly kind: "safetensors"; readonly path: string }
  | { readonly kind: "npy"; readonly q: string; readonly k: string; readonly v: string };

/** Sparse attention without gaps. */
export interface AttentionScenario {
  readonly fidelity: Fidelity;
  readonly model: string | null;
  readonly source: HeadSource;
  /** Queries that share a head's keys and values: those of its last tokens; absent: one. */
  readonly group?: number;
  /** Tokens at the first attention; null: the length of the source minus the decoded tokens. */
  readonly length: number | null;
  readonly decode: number;
  readonly methods: readonly AttentionMethod[];
  readonly ratio: number;
  /** Dimensions and tokens that SparF uses; null: derived from the ratio. */
  readonly r: number | null;
  readonly k: number | null;
  readonly dimsPerPage: number;
  readonly engine: EngineSize;
  /** Null: those of the flash part. */
  readonly channels: number | null;
  readonly diesPerChannel: number | null;
  readonly flash: readonly FlashPreset[];
  readonly devices: readonly number[];
  readonly link: HostLink;
  /** Absent: the devices share no link. */
  readonly sharedLink?: BytesPerSecond;
  readonly controller: ChosenController;
  readonly nand: NandChoice;
  readonly inFlight: readonly number[];
  readonly expect: { readonly channelsBusy: ByFlash; readonly speedup: ByFlash };
  /** The custom unit of the scenario, by name and contents; absent: InstInfer's. */
  readonly customUnit?: UnitSummary;
}

/** Default number of tokens of generated heads. */
const defaultLength = 2048;

/**
 * Resolves the scenario at `fidelity`. @throws NeardataError `bad-input` with missing and duplicate
 * settings
 */
export function resolveAttention(
  given: AttentionContent,
  fidelity: Fidelity,
  customUnit: CustomUnit | null = null,
): AttentionScenario {
  const source = sourceOf(given);
  const engine = engineSize(given.engine);
  const { channels = null, diesPerChannel = null, r = null, k = null } = given;
  const { decode, ratio, dimsPerPage, flash, devices, inFlight } = given;
  const issues = [
    ...engineSizeIssues(engine, channels),
    ...hostLinkIssues(given.link),
    ...linkIssues(given.sharedLink, fidelity),
    ...nandIssues(
      given.nand,
      flash.map((part) => diesPerChannel ?? flashPresets[part].dies_per_channel),
    ),
    ...supplyIssues(given, fidelity),
    ...codeIssues(given),
    ...controllerIssues(
      given.controller,
      flash.map((part) => flashPresets[part].page_bytes),
    ),
    ...headIssues(given, source, fidelity),
    ...(customUnit === null
      ? []
      : cycleIssues(
          customUnit,
          given.fidelity === fidelity ? "attention.fidelity" : "fidelity",
          fidelity,
        )),
  ];
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  return {
    fidelity,
    model: given.model ?? null,
    source,
    ...defined({ group: given.group }),
    length: given.length ?? (source.kind === "hta1" ? defaultLength : null),
    decode,
    methods: methods.filter((method) => given.methods.includes(method)),
    ratio,
    r,
    k,
    engine,
    channels,
    diesPerChannel,
    dimsPerPage,
    flash,
    devices,
    link: hostLinkOf(given.link),
    ...defined({ sharedLink: given.sharedLink }),
    controller: controllerOf(given.controller),
    nand: nandOf(given.nand),
    inFlight,
    expect: {
      channelsBusy: given.expect?.channelsBusy ?? {},
      speedup: given.expect?.speedup ?? {},
    },
    ...(customUnit === null ? {} : { customUnit: unitSummary(customUnit) }),
  };
}

/** Range of rates of the simulated link, in bytes per second. */
const linkRates = { least: 1e6, most: 1e15 };

/** Without a code no wrong bit is corrected, and pages of wrong values are nothing to simulate. */
function codeIssues({ nand, controller }: AttentionContent): readonly Issue[] {
  if ((nand?.bitErrorRate ?? 0) === 0 || controller?.ecc !== "none") return [];
  const message =
    "bit errors need a code that corrects them, which `attention.controller.ecc` has not.";
  return [{ where: "attention.nand.bitErrorRate", message }];
}

/** Closed forms have no dies that wait for current. */
function supplyIssues({ nand }: AttentionContent, fidelity: Fidelity): readonly Issue[] {
  if (nand?.package === undefined || fidelity !== "analytic") return [];
  const message = "a budget of current is simulated, at fidelity rtl or cycle.";
  return [{ where: "attention.nand.package", message }];
}

function linkIssues(rate: BytesPerSecond | undefined, fidelity: Fidelity): readonly Issue[] {
  if (rate === undefined) return [];
  const where = "attention.sharedLink";
  if (fidelity === "analytic") {
    return [{ where, message: "what devices share is simulated, at fidelity rtl or cycle." }];
  }
  if (rate >= linkRates.least && rate <= linkRates.most) return [];
  return [{ where, message: "a shared link has 1 MB/s to 1 PB/s." }];
}

/** Why generated heads are not for the engine, or for the memory of the computer here. */
function headIssues(
  given: AttentionContent,
  source: HeadSource,
  fidelity: Fidelity,
): readonly Issue[] {
  if (source.kind !== "hta1") return [];
  const { heads, width, firstSeed } = source;
  const { dimsPerPage, flash, group = 1, r = 1 } = given;
  const first = given.length ?? defaultLength;
  const length = first + given.decode;
  const refused = flash.flatMap((part) =>
    engineRuleViolations(
      { width, length, pageBytes: flashPresets[part].page_bytes, dimsPerPage, group },
      fidelity !== "analytic",
      engineSize(given.engine),
    ),
  );
  const issues: Issue[] = [...new Set(refused)].map((message) => ({ where: "attention", message }));
  if (group > first) {
    const message = `${group} queries are more than the ${first} tokens, each of which has one.`;
    issues.push({ where: "attention.group", message });
  }
  if (r > width) {
    const message = `${r} dimensions are more than the ${width} of a head.`;
    issues.push({ where: "attention.r", message });
  }
  if (firstSeed + heads - 1 > largestSeed) {
    const message = `seeds of ${heads} heads from ${firstSeed} on end beyond ${largestSeed}.`;
    issues.push({ where: "attention.source.firstSeed", message });
  }
  const issue = valueLimitIssue("attention", 3 * heads * length * width);
  return issue === null ? issues : [...issues, issue];
}

function sourceOf(given: AttentionContent): HeadSource {
  const { source } = given;
  if (!("generator" in source)) {
    refuse(
      given,
      ["model", "heads", "headWidth"],
      "heads that come from a file have their own shape.",
    );
    if ("tensors" in source) return { kind: "safetensors", path: source.tensors };
    if ("q" in source) return { kind: "npy", ...source };
    return { kind: "trained", ...source };
  }
  const { heads, width } = shapeOf(given);
  return { kind: "hta1", heads, width, firstSeed: source.firstSeed };
}

function shapeOf(given: AttentionContent): { heads: number; width: number } {
  const { model, heads, headWidth } = given;
  if (model === undefined) {
    if (heads !== undefined && headWidth !== undefined) return { heads, width: headWidth };
    throw complaint("", "attention has a model, or heads and headWidth.");
  }
  refuse(given, ["heads", "headWidth"], "a model gives heads and headWidth itself.");
  const shape = modelShape(model, "attention.model");
  if (shape.attention.kind !== "heads") {
    throw complaint("model", `${shape.title} caches no keys and values of heads.`);
  }
  return { heads: shape.attention.kvHeads, width: shape.attention.headDim };
}

/** @throws NeardataError `bad-input` for each of these keys that is given */
function refuse(
  given: AttentionContent,
  keys: readonly (keyof AttentionContent)[],
  message: string,
): void {
  const issues = keys
    .filter((key) => given[key] !== undefined)
    .map((key) => ({ where: `attention.${key}`, message }));
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
}

function complaint(key: string, message: string): NeardataError {
  const issue: Issue = { where: key === "" ? "attention" : `attention.${key}`, message };
  return new NeardataError("bad-input", [issue]);
}
