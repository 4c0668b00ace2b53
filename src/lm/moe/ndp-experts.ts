// SPDX-License-Identifier: Apache-2.0
// Routed experts on the NDP unit of a DIMM: inputs and outputs are FP16, or BF16 where the weights are.
// `golden` is the unit's arithmetic in TypeScript; what `cycle` and `rtl` give is compared with it, bit
// for bit. All tokens of a job go to the unit as one descriptor, which passes over the weights as often
// as its buffer asks.

import {
  prepareExpert,
  runExpert,
  type ExpertRun,
  type PreparedExpert,
} from "../../kernels/ndp/cold-expert.ts";
import type { WeightImages } from "../../workload/ndp/pack.ts";
import { goldenOnUnit } from "../../kernels/ndp/unit-golden.ts";
import type { NdpMachine, NdpRun, NdpSession, OpenSession } from "../../machine/types.ts";
import { NeardataError } from "../../base/errors.ts";
import type { ActivationFunction, FloatFormat } from "../../golden/activation.ts";
import { toBits, valuesOf } from "../../golden/float16.ts";
import { numbersToHalves } from "../../golden/half.ts";
import { outcomeSentence } from "../../results/checks.ts";
import { readExpert, type ExpertWeights } from "../../workload/expert.ts";
import type { LowBitWeights } from "../../workload/low-bit.ts";
import { quantiseExpert, type RoundedFormat } from "../../workload/quantise.ts";
import type { ExpertEngine, ExpertJob } from "./experts.ts";
import type { HardwareUse } from "./hardware-use.ts";
import type { MoeModel } from "./model.ts";

/** How experts get to the unit. */
export interface NdpExpertOptions {
  readonly machine: NdpMachine;
  readonly open: OpenSession;
  /** Round the weights to it. */
  readonly format?: FloatFormat | undefined;
  /** Round them to fewer bits, in which the unit multiplies them; `machine` must have such a unit. */
  readonly storage?: RoundedFormat | undefined;
  readonly use: HardwareUse;
  readonly onRun?: (job: ExpertJob, run: NdpRun) => void;
  /** Called with each run and its prepared expert, which the audit can repeat. */
  readonly audit?: ((prepared: PreparedExpert, expertRun: ExpertRun) => Promise<void>) | undefined;
  readonly signal?: AbortSignal;
}

/** An engine that has to be closed. */
export interface NdpExperts extends ExpertEngine {
  readonly close: () => void;
}

interface LoadedExpert {
  readonly weights: ExpertWeights | LowBitWeights;
  /** Of the sub-channels, which many jobs begin with. */
  readonly images: WeightImages;
}

/** The unit of a name; hardware opens its DIMM at the first job. */
export function ndpExperts(
  name: "golden" | "cycle" | "rtl",
  { architecture: { layers }, checkpoint }: MoeModel,
  { machine, open, format, storage, use, onRun, audit, signal }: NdpExpertOptions,
): NdpExperts {
  const loaded = new Map<string, LoadedExpert>();
  let session: NdpSession | null = null;
  const load = ({ layer, expert }: ExpertJob): LoadedExpert => {
    const network = layers[layer]?.network;
    const name = network?.kind === "routed" ? `${network.experts}.${expert}` : "";
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const read = readExpert(checkpoint, name, { format, allowNonfinite: false });
    const weights = storage === undefined ? read : quantiseExpert(read, storage);
    const fresh = { weights, images: new Map() };
    loaded.set(name, fresh);
    return fresh;
  };
  const computeOne = async (
    job: ExpertJob,
    activation: ActivationFunction,
  ): Promise<Float64Array> => {
    const { weights, images } = load(job);
    const inputs = bitsIn(weights.format, job.inputs.data);
    const golden = goldenOnUnit(machine.unit, { weights, inputs, activation });
    if (name === "golden") return valuesIn(weights.format, golden);
    const task = { weights, images, inputs, activation, arrangement: "interleaved" } as const;
    session ??= await open({ ...machine, engine: name });
    const prepared = prepareExpert(machine, task);
    const { run, outputs } = await runExpert(
      session,
      prepared,
      signal === undefined ? {} : { signal },
    );
    if (run.outcome.kind === "cancelled") {
      throw new NeardataError("cancelled", "the evaluation was cancelled; nothing is written.");
    }
    if (outputs === null) throw new NeardataError("check-failed", outcomeSentence(run.outcome));
    onRun?.(job, run);
    await audit?.(prepared, { run, outputs });
    use.add({ cycles: run.cycles, time: run.time, jobs: [[run.cycles, run.time]] });
    use.compare(outputs, golden);
    return valuesIn(weights.format, outputs);
  };
  return {
    name,
    compute: async (jobs, activation) => {
      const outputs: Float64Array[] = [];
      for (const job of jobs) outputs.push(await computeOne(job, activation));
      return outputs;
    },
    close: () => {
      session?.close();
    },
  };
}

/** BF16 is rounded through binary32. */
function bitsIn(format: FloatFormat, values: Float64Array): Uint16Array {
  if (format === "fp16") return numbersToHalves(values);
  return Uint16Array.from(values, (value) => toBits(format, Math.fround(value)));
}

function valuesIn(format: FloatFormat, bits: Uint16Array): Float64Array {
  return Float64Array.from(valuesOf(format, bits));
}
