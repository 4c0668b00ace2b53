// SPDX-License-Identifier: Apache-2.0
// From a scenario as it is written to a complete one: every default filled in, every rule checked,
// frozen, with a hash. Nothing behind this line knows a default.

import { collect } from "../base/collect.ts";
import { dirname, resolve } from "node:path";
import { defined } from "../base/defined.ts";
import type { MemoryBackend } from "../machine/dram/backends.ts";
import type { HostPath, NdpUnitParameters, RankMemory } from "../machine/types.ts";
import { inFile, NeardataError } from "../base/errors.ts";
import type { Issue } from "../base/errors.ts";
import { repeatsOf } from "../golden/scaled-blocks.ts";
import type { LowBitShape } from "../workload/ndp/layout.ts";
import {
  shortGate,
  type ActivationFunction,
  type FloatFormat,
  type GateFunction,
} from "../golden/names.ts";
import { shortGroupOf, unitFormatOf, type RoundedFormat } from "../workload/quantise.ts";
import { routedExpert } from "../workload/shapes.ts";
import { hashOfValue } from "../base/hash.ts";
import type { Hertz } from "../base/units.ts";
import { configuredGate } from "../workload/model-config-file.ts";
import { resolveAttention, type AttentionScenario } from "./attention.ts";
import { expertIssues } from "./expert-issues.ts";
import { shapeWithBiases } from "../workload/ndp/bias-columns.ts";
import { readOverlay } from "../native/overlay.ts";
import {
  readCustomUnit,
  type CustomUnitMachine,
  type CustomUnit,
} from "../native/custom-unit-choice.ts";
import { dimmLinksOf, type ExpertLinks } from "../machine/resolve/dimm-links.ts";
import { unitIssues } from "../machine/resolve/geometry.ts";
import { issuesOf, parsedFile } from "../base/issues.ts";
import { expertDefaults, schemaWith } from "./schema.ts";
import type { Fidelity } from "./fidelities.ts";
import type { BoundShares, KernelSchemas, ScenarioContent, ScenarioInput } from "./schema.ts";
import { memoryOf } from "../machine/resolve/memory.ts";
import { hostPath, ndpSystem } from "../machine/resolve/systems.ts";
import type { Layout } from "../machine/resolve/systems.ts";
import { resolveToken, type TokenScenario } from "./token.ts";
import {
  customUnitIssues,
  unitSummary,
  storageIssues,
  unitOf,
  type UnitSummary,
} from "./unit-choice.ts";

/** The source of the expert's matrices. */
export type ExpertSource =
  | {
      readonly kind: "generated";
      readonly model: string | null;
      readonly hidden: number;
      readonly intermediate: number;
      readonly format: FloatFormat;
      /** The format to which the weights are rounded; absent: `format`. */
      readonly storage?: RoundedFormat;
      /** Absent: gate, up and down have none. */
      readonly biases?: true;
    }
  | {
      readonly kind: "checkpoint";
      /** Relative to the scenario's directory. */
      readonly path: string;
      /** Null: as the file has it. */
      readonly format: FloatFormat | null;
      readonly allowNonfinite: boolean;
    };

/** An expert without gaps. */
export interface ExpertScenario {
  readonly name: string;
  /** The gate function: by its name, where it has no limit and no increment. */
  readonly activation: ActivationFunction | GateFunction;
  readonly source: ExpertSource;
}

/** A scenario without gaps. `tokens` to `expect` are of the expert. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly seed: number;
  readonly fidelity: Fidelity;
  readonly expert: ExpertScenario | null;
  readonly attention: AttentionScenario | null;
  readonly tokens: readonly number[];
  readonly layouts: readonly Layout[];
  readonly unit: NdpUnitParameters;
  readonly clock: Hertz;
  /** One rank-sub-channel; its mapping follows from the layout of a run. */
  readonly memory: Omit<RankMemory, "mapping">;
  /** Start times of a run, at equal distances within the refresh interval. */
  readonly refreshStarts: number;
  /** The host that sends the jobs; null: inputs and jobs are on the DIMM at the start. */
  readonly host: HostPath | null;
  readonly expect: { readonly boundShare: BoundShares };
  /** Decode steps of a whole model; absent for a scenario without them, and for closed forms. */
  readonly token?: TokenScenario;
  /** DIMM-Links that transfer the expert before its computation; absent: the expert is in place. */
  readonly links?: ExpertLinks;
  /**
   * In the energy, the clock of the unit's idle registers is gated; absent: no register is gated.
   */
  readonly clockGating?: true;
  /** The custom unit of the scenario, by name and contents; absent: the system's. */
  readonly customUnit?: UnitSummary;
  /** Settings of kernels of a program, by their keys; absent if there are none. */
  readonly kernels?: Readonly<Record<string, unknown>>;
}

export interface ResolvedConfig {
  readonly scenario: Scenario;
  /** SHA-256 of the scenario's canonical JSON. */
  readonly configHash: string;
  /** The custom unit of the scenario, with its path on this machine. */
  readonly ownUnit: CustomUnit | null;
  /** The same for its storage devices. */
  readonly ownEngine: CustomUnit | null;
  /** Keys of the scenario that its fidelity does not use, a sentence each. */
  readonly unused: readonly string[];
}

/** Settings of a command line that override the file. */
export interface Overrides {
  readonly fidelity?: Fidelity | undefined;
  readonly memoryBackend?: MemoryBackend | undefined;
  /** Kernels of a program, by the keys that they have in a scenario. */
  readonly kernels?: KernelSchemas;
}

/** Defaults of generated weights, and of weights without a `config.json`. */
const usual = { format: "fp16", activation: "silu" } as const;

/**
 * The content of the scenario file `file`, parsed from YAML.
 * @throws NeardataError `bad-input` with every problem.
 */
export function checkScenario(
  file: string,
  content: unknown,
  kernels: KernelSchemas = {},
): ScenarioContent {
  return parsedFile(file, content, schemaWith(kernels));
}

/**
 * A scenario of a program, called `name` in messages, in which quantities may be plain numbers.
 * @throws NeardataError `bad-input` with every problem.
 */
export function scenarioContent(
  name: string,
  input: ScenarioInput,
  kernels: KernelSchemas = {},
): ScenarioContent {
  const schema = schemaWith(kernels);
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw inFile(name, issuesOf(parsed.error, schema));
}

/**
 * Adds the defaults to `input` and checks that the machine can be built.
 * @throws NeardataError `bad-input` with every broken rule.
 */
export function resolveConfig(
  file: string,
  input: ScenarioContent,
  overrides: Overrides = {},
): ResolvedConfig {
  const issues: Issue[] = [];
  const system = ndpSystem(input.system);
  const { ndp = {}, expert } = input;
  const readUnit = (key: string, machine: CustomUnitMachine, folder?: string): CustomUnit | null =>
    folder === undefined
      ? null
      : collect(issues, () => readCustomUnit(folder, dirname(file), `${key}.rtl`, machine));
  const changed =
    input.rtl === undefined
      ? null
      : collect(issues, () => readOverlay(input.rtl ?? "", dirname(file)));
  const ownUnit = readUnit("unit", "ndp-dimm", input.unit?.rtl) ?? changed?.unit ?? null;
  const ownEngine =
    readUnit("attention.unit", "storage-device", input.attention?.unit?.rtl) ??
    changed?.engine ??
    null;
  const unit = unitOf(ndp, ownUnit, system.unit);
  issues.push(...unitIssues(ndp, unit));
  issues.push(...repeated("tokens", input.tokens), ...repeated("layouts", input.layouts));
  for (const key of ["methods", "flash", "devices", "inFlight"] as const) {
    issues.push(...repeated(`attention.${key}`, input.attention?.[key]));
  }
  const kernels = kernelSettings(input, overrides.kernels);
  issues.push(...contentIssues(input, kernels !== undefined));
  const ffn =
    expert === undefined ? null : collect(issues, () => resolveExpert(expert, dirname(file)));
  const heads = input.attention;
  const fidelity = overrides.fidelity ?? input.fidelity;
  const stored = ffn?.source.kind === "generated" ? ffn.source.storage : undefined;
  if (ownUnit !== null) {
    issues.push(...customUnitIssues(ownUnit, ndp, fidelity, ffn?.source.format ?? null));
    if (stored !== undefined)
      issues.push(...storageIssues(ownUnit, unit, stored, "expert.storage"));
  }
  const attention =
    heads === undefined
      ? null
      : collect(issues, () =>
          resolveAttention(heads, overrides.fidelity ?? heads.fidelity ?? fidelity, ownEngine),
        );
  const { token: steps } = input;
  const alone = expert === undefined && heads === undefined;
  const token =
    steps === undefined ? null : collect(issues, () => resolveToken(steps, fidelity, alone));
  const memory = collect(issues, () =>
    memoryOf(input.memory ?? {}, system, overrides.memoryBackend),
  );
  issues.push(...standardIssues(input));
  if (issues.length > 0 || memory === null) throw inFile(file, issues);
  const { host = {} } = input;
  const isDdr5 = memory.standard === undefined;
  const brought = isDdr5 && memory.backend === "native" && host.jobs !== "there";
  const scenario: Scenario = {
    name: input.name,
    title: input.title ?? input.name,
    seed: input.seed,
    fidelity,
    expert: ffn,
    attention,
    tokens: input.tokens ?? expertDefaults.tokens,
    layouts: input.layouts ?? expertDefaults.layouts,
    unit,
    clock: ndp.clock ?? system.clock,
    memory,
    refreshStarts: input.memory?.refreshStarts ?? 1,
    host: brought
      ? { command: host.command ?? hostPath.command, poll: host.poll ?? hostPath.poll }
      : null,
    expect: { boundShare: input.expect?.boundShare ?? {} },
    ...defined({
      token: token ?? undefined,
      links: ndp.links === undefined ? undefined : { links: ndp.links, ...dimmLinksOf(ndp) },
      clockGating: ndp.clockGating === true ? true : undefined,
      customUnit: ownUnit === null ? undefined : unitSummary(ownUnit),
      kernels,
    }),
  };
  const unfit =
    ffn?.source.kind === "generated"
      ? expertIssues(scenario, {
          ...ffn.source,
          ...(ffn.source.biases === true ? shapeWithBiases(scenario.unit, ffn.source) : {}),
          activation: ffn.activation,
          ...(ffn.source.storage === undefined
            ? {}
            : { lowBit: lowBitShape(ffn.source.storage, scenario.unit) }),
        })
      : [];
  if (unfit.length > 0) throw inFile(file, unfit);
  const unused = unusedKeys(input, fidelity);
  return {
    scenario: freeze(scenario),
    configHash: hashOfValue(scenario),
    ownUnit,
    ownEngine,
    unused,
  };
}

/** Keys that closed forms do not use, a sentence each. */
function unusedKeys({ token, expect }: ScenarioContent, fidelity: Fidelity): readonly string[] {
  if (fidelity !== "analytic") return [];
  const limits = Object.values(expect?.boundShare ?? {});
  return [
    ...(token === undefined
      ? []
      : ["token: skipped at fidelity analytic, because a token has no closed form."]),
    ...(limits.length === 0
      ? []
      : [
          "expect.boundShare: not checked at fidelity analytic, because closed forms have no utilisation.",
        ]),
  ];
}

/** A memory of another standard than DDR5 is behind an expert only, and no host shares it. */
function standardIssues(input: ScenarioContent): readonly Issue[] {
  const { standard = "DDR5" } = input.memory ?? {};
  if (standard === "DDR5") return [];
  const { host = {}, ndp, token } = input;
  const refused: readonly (readonly [where: string, isGiven: boolean, why: string])[] = [
    [
      "host.jobs",
      host.jobs === "brought",
      `a host transfers jobs to DDR5 only; for ${standard} the value is there`,
    ],
    ["host.command", host.command !== undefined, `${standard} has no host on its bus`],
    ["host.poll", host.poll !== undefined, `${standard} has no host on its bus`],
    ["ndp.links", ndp?.links !== undefined, `DIMM-Links connect DIMMs of DDR5, not ${standard}`],
    ["token", token !== undefined, `decode steps have DIMMs of DDR5, not ${standard}`],
  ];
  return refused.flatMap(([where, isGiven, why]) =>
    isGiven ? [{ where, message: `${why}.` }] : [],
  );
}

/** Checks that a scenario has something to run, and no settings of an expert that it lacks. */
function contentIssues(input: ScenarioContent, hasKernels: boolean): readonly Issue[] {
  if (input.expert !== undefined) return [];
  if (input.attention === undefined && input.token === undefined && !hasKernels) {
    return [{ where: "", message: "a scenario has an expert, attention, a token or several." }];
  }
  return (["unit", "tokens", "layouts", "ndp", "memory", "host", "expect"] as const)
    .filter((key) => input[key] !== undefined)
    .map((where) => ({ where, message: "this is about an expert, which the scenario lacks." }));
}

/** Settings of a scenario for kernels of a program; undefined if it has none. */
function kernelSettings(
  input: ScenarioContent,
  kernels: KernelSchemas = {},
): Readonly<Record<string, unknown>> | undefined {
  const settings = Object.entries({ ...input }).filter(([key]) => Object.hasOwn(kernels, key));
  return settings.length === 0 ? undefined : Object.fromEntries(settings);
}

/** The shape of rounded weights with one term. Whether E5M2 has two depends on the values. */
function lowBitShape(storage: RoundedFormat, unit: NdpUnitParameters): LowBitShape {
  const half = (unit.lanes * unit.multipliersPerStream) / 2;
  const repeats = repeatsOf(half, shortGroupOf(storage) ?? half, half);
  return { format: unitFormatOf(storage), gateUpRepeats: repeats, downRepeats: repeats };
}

type ExpertInput = NonNullable<ScenarioContent["expert"]>;

function resolveExpert(expert: ExpertInput, directory: string): ExpertScenario {
  const source = expertSource(expert);
  return {
    name: expert.name,
    activation: shortGate(gateFunction(expert, source, directory)),
    source,
  };
}

/** The gate function of the keys; missing parts are those of the model or of config.json. */
function gateFunction(expert: ExpertInput, source: ExpertSource, directory: string): GateFunction {
  const { activation, gateLimit, upPlusOne } = expert;
  const inferred = (): GateFunction | null | undefined =>
    source.kind === "checkpoint"
      ? configuredGate(resolve(directory, source.path), "expert.activation")
      : expert.model === undefined
        ? null
        : routedExpert(expert.model, "expert.model").gate;
  const { upPlusOne: inferredIncrement, ...base } =
    activation === undefined ? (inferred() ?? { name: usual.activation }) : { name: activation };
  return {
    ...base,
    ...defined({
      limit: gateLimit,
      upPlusOne: (upPlusOne ?? inferredIncrement) === true ? (true as const) : undefined,
    }),
  };
}

function expertSource(expert: ExpertInput): ExpertSource {
  const { model, weights, hidden, intermediate, format } = expert;
  const shapeGiven = hidden !== undefined || intermediate !== undefined;
  const ways = [model !== undefined, weights !== undefined, shapeGiven].filter(Boolean).length;
  if (ways !== 1) {
    const message =
      "an expert has exactly one of: a model, weights (a checkpoint), hidden and intermediate.";
    throw new NeardataError("bad-input", [{ where: "expert", message }]);
  }
  const storage = expert.storage === "format" ? undefined : expert.storage;
  if (weights !== undefined) {
    if (storage !== undefined) {
      const message = "a checkpoint says itself how its weights are stored: leave this out.";
      throw new NeardataError("bad-input", [{ where: "expert.storage", message }]);
    }
    if (expert.biases !== undefined) {
      const message = "the biases are those of the checkpoint: leave this out.";
      throw new NeardataError("bad-input", [{ where: "expert.biases", message }]);
    }
    return {
      kind: "checkpoint",
      path: weights,
      format: format ?? null,
      allowNonfinite: expert.allowNonfinite,
    };
  }
  const ofModel = model === undefined ? null : routedExpert(model, "expert.model");
  const generated = {
    kind: "generated",
    format: format ?? usual.format,
    ...defined({
      storage,
      biases: (expert.biases ?? ofModel?.biases) === true ? (true as const) : undefined,
    }),
  } as const;
  if (ofModel !== null) {
    const { name, hidden: columns, intermediate: rows } = ofModel;
    return { ...generated, model: name, hidden: columns, intermediate: rows };
  }
  if (hidden === undefined || intermediate === undefined) {
    const where = hidden === undefined ? "expert.hidden" : "expert.intermediate";
    throw new NeardataError("bad-input", [{ where, message: "this is missing (a number)." }]);
  }
  return { ...generated, model: null, hidden, intermediate };
}

function repeated(where: string, values: readonly (string | number)[] = []): readonly Issue[] {
  return values.flatMap((value, i) =>
    values.indexOf(value) === i
      ? []
      : [{ where: `${where}[${i}]`, message: `${value} stands there twice.` }],
  );
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}
