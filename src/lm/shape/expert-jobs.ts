// SPDX-License-Identifier: Apache-2.0
// Jobs of the NDP unit with generated weights and inputs. On 16-bit weights a job's time depends on its
// tokens and not on its values, so jobs of as many tokens are simulated once; the layer that runs on RTL
// as well runs every job, and holds each to that time.

import { prepareExpert, runExpert, type PreparedExpert } from "../../kernels/ndp/cold-expert.ts";
import type { NdpRun, NdpSession } from "../../machine/types.ts";
import { NeardataError } from "../../base/errors.ts";
import { outcomeSentence } from "../../results/checks.ts";
import { toSeconds, type Seconds } from "../../base/units.ts";
import type { ExpertWeights } from "../../workload/expert.ts";
import { generateExpert, generateInputs } from "../../workload/generate.ts";
import { mixtureOf, type ShapeJob, type ShapeMachine, type ShapeTask } from "./shape-task.ts";

/** Format of weights and inputs, and the activation function. */
export const jobFormat = "fp16";
export const jobActivation = "silu";

/** Jobs of so many tokens, over all layers. */
export interface ExpertJobs {
  readonly tokens: number;
  readonly jobs: number;
  readonly timeUs: number;
}

/** Weights and inputs of a job, laid out. */
export interface MadeExpert {
  readonly prepared: PreparedExpert;
  readonly weights: ExpertWeights;
  readonly inputs: Uint16Array;
}

/** Runs jobs on the cycle model. */
export interface JobRunner {
  /** The run of the first job of as many tokens. */
  readonly runOf: (layer: number, job: ShapeJob) => Promise<NdpRun>;
  /** The same where one was run; null where none was. */
  readonly known: (job: ShapeJob) => NdpRun | null;
  readonly make: (layer: number, job: ShapeJob) => MadeExpert;
  readonly session: () => Promise<NdpSession>;
  readonly counts: () => readonly ExpertJobs[];
  readonly close: () => void;
}

/** From the host's inputs to the outputs at the host. */
export function jobTime(run: NdpRun): Seconds {
  return toSeconds(run.atHost?.outputs ?? run.time);
}

export function jobRunner(
  { shape, batch, seed }: Pick<ShapeTask, "shape" | "batch" | "seed">,
  { ndp, openNdp, observer }: Pick<ShapeMachine, "ndp" | "openNdp" | "observer">,
): JobRunner {
  const runs = new Map<number, NdpRun>();
  const counts = new Map<number, number>();
  const { intermediate } = mixtureOf(shape);
  const { hidden } = shape;
  let opened: NdpSession | null = null;
  const session = async (): Promise<NdpSession> => {
    opened ??= await openNdp({ ...ndp, engine: "cycle" });
    return opened;
  };
  const make: JobRunner["make"] = (layer, { expert, sequences }) => {
    const name = `model.layers.${layer}.mlp.experts.${expert}`;
    const weights = generateExpert({ seed, name, format: jobFormat, hidden, intermediate });
    // A layer's inputs of all sequences, one behind another.
    const all = generateInputs(seed + layer, jobFormat, batch, hidden);
    const inputs = new Uint16Array(sequences.length * hidden);
    sequences.forEach((s, i) => {
      inputs.set(all.subarray(s * hidden, (s + 1) * hidden), i * hidden);
    });
    const task = {
      weights,
      inputs,
      activation: jobActivation,
      arrangement: "interleaved",
    } as const;
    return { prepared: prepareExpert(ndp, task), weights, inputs };
  };
  return {
    make,
    session,
    known: ({ sequences }) => runs.get(sequences.length) ?? null,
    runOf: async (layer, job) => {
      const tokens = job.sequences.length;
      counts.set(tokens, (counts.get(tokens) ?? 0) + 1);
      let run = runs.get(tokens);
      if (run === undefined) {
        ({ run } = await runExpert(await session(), make(layer, job).prepared));
        if (run.outcome.kind !== "completed") {
          throw new NeardataError("check-failed", outcomeSentence(run.outcome));
        }
        runs.set(tokens, run);
      }
      observer?.expert(run);
      return run;
    },
    counts: () =>
      [...counts]
        .sort(([a], [b]) => a - b)
        .flatMap(([tokens, jobs]) => {
          const run = runs.get(tokens);
          return run === undefined ? [] : [{ tokens, jobs, timeUs: jobTime(run) * 1e6 }];
        }),
    close: () => {
      opened?.close();
    },
  };
}
