// SPDX-License-Identifier: Apache-2.0
// Engines of `neardata lm eval`: the engines of attention and of routed experts by the names of
// options, their results, and their part of the document.

import { defined } from "../base/defined.ts";
import { lowBitMachine, paperMachine } from "../machine/resolve/systems.ts";
import type { AttentionEngine } from "../kernels/csd/attention/attention-request.ts";
import { attentionEngine } from "../kernels/csd/attention/attention-engine.ts";
import type { EngineName } from "../kernels/csd/engine-names.ts";
import { inputError } from "../base/errors.ts";
import type { FloatFormat } from "../golden/activation.ts";
import type { ExpertEngineName, GroupChoice } from "../lm/attention-names.ts";
import type { LanguageModel } from "../lm/language-model.ts";
import { float64Experts, type ExpertEngine } from "../lm/moe/experts.ts";
import { comparedAttention, hardwareUse, observedCsds } from "../lm/moe/hardware-use.ts";
import { moeLanguageModel } from "../lm/moe/language-model.ts";
import type { MoeModel } from "../lm/moe/model.ts";
import { ndpExperts } from "../lm/moe/ndp-experts.ts";
import { roundedExperts } from "../lm/moe/rounded-experts.ts";
import { routeLog, type RouteLog } from "../lm/moe/routes.ts";
import { openSession } from "../native/session.ts";
import type { Check } from "../results/metric.ts";
import { csdsOn } from "./csd.ts";
import type { RoundedFormat } from "../workload/quantise.ts";
import type { LoadedModel } from "./lm-model.ts";

/** Options that choose engines. */
export interface HardwareOptions {
  readonly fidelity?: EngineName;
  readonly experts?: ExpertEngineName;
  readonly dispatch?: "window" | "step";
  readonly dtype?: FloatFormat;
  readonly storage?: RoundedFormat;
  readonly group: GroupChoice;
  /** Whether a CSV of routes is wanted. */
  readonly routes: boolean;
}

/** A model with its engines. */
export interface LmHardware {
  readonly model: LanguageModel;
  /** Null: float64. */
  readonly attention: AttentionEngine | null;
  readonly routes: RouteLog | null;
  readonly checks: () => readonly Check[];
  /** The hardware's part of the document. */
  readonly report: () => Readonly<Record<string, unknown>>;
  readonly close: () => void;
}

export function lmHardware(loaded: LoadedModel, options: HardwareOptions): LmHardware {
  const attentionUse = hardwareUse("attention", "attention outputs and choices");
  const simulated = options.fidelity === "rtl" || options.fidelity === "cycle";
  const attention = attentionOf(options.fidelity, attentionUse);
  if (loaded.kind === "tiny") {
    return {
      model: loaded.model,
      attention,
      routes: null,
      checks: () => (simulated ? [attentionUse.check()] : []),
      report: () =>
        simulated
          ? { hardware: { attention: attentionUse.totals() }, checks: [attentionUse.check()] }
          : {},
      close: () => undefined,
    };
  }
  const { model } = loaded;
  const expertUse = hardwareUse("experts", "expert outputs");
  const { experts, close } = expertsOf(model, options, expertUse);
  const onUnit = experts.name === "rtl" || experts.name === "cycle";
  const routes = routeLog(model.architecture.settings.num_experts_per_tok.value, options.routes);
  const dispatch = options.dispatch ?? "window";
  const checks = (): readonly Check[] => [
    ...(simulated ? [attentionUse.check()] : []),
    ...(onUnit ? [expertUse.check()] : []),
  ];
  return {
    model: moeLanguageModel(model, { experts, dispatch, onRoutes: routes.add }),
    attention,
    routes,
    checks,
    report: () => ({
      group: options.group,
      experts: experts.name,
      ...defined({ storage: options.storage }),
      dispatch,
      model: modelReport(model),
      routes: routes.summary(),
      hardware: {
        ...defined({
          attention: simulated ? attentionUse.totals() : undefined,
          experts: onUnit ? expertUse.totals() : undefined,
        }),
      },
      checks: checks(),
    }),
    close,
  };
}

function attentionOf(
  name: EngineName | undefined,
  use: ReturnType<typeof hardwareUse>,
): AttentionEngine | null {
  if (name === undefined) return null;
  const engine = attentionEngine(name, observedCsds(csdsOn(), use));
  if (name === "golden" || name === "float64") return engine;
  return comparedAttention(engine, attentionEngine("golden", csdsOn()), use);
}

function expertsOf(
  model: MoeModel,
  { experts: name = "float64", dtype: format, storage }: HardwareOptions,
  use: ReturnType<typeof hardwareUse>,
): { readonly experts: ExpertEngine; readonly close: () => void } {
  if (name === "float64") {
    if (format !== undefined) {
      throw inputError("--dtype", "it rounds weights for --experts golden, cycle or rtl.");
    }
    const experts = storage === undefined ? float64Experts : roundedExperts(storage);
    return { experts, close: () => undefined };
  }
  const experts = ndpExperts(name, model, {
    machine: storage === undefined ? paperMachine() : lowBitMachine(),
    open: openSession,
    format,
    storage,
    use,
  });
  return { experts, close: experts.close };
}

function modelReport({ architecture, inputs }: MoeModel): Readonly<Record<string, unknown>> {
  const { naming, layers, vocabulary, hidden, heads, kvHeads, routedExperts, settings } =
    architecture;
  return {
    naming,
    layers: layers.length,
    vocabulary,
    hidden,
    heads,
    kvHeads,
    routedExperts,
    windowInputs: inputs,
    settings,
  };
}
