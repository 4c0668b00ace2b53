// SPDX-License-Identifier: Apache-2.0
// A plan file: a model, a host and a load, and what each system would do with them.

import { z } from "zod";
import { issuesOf } from "../config/issues.ts";
import { parseYaml } from "../config/yaml.ts";
import { inFile, NeardataError } from "../errors.ts";
import type { Host } from "../host/machines.ts";
import { findDevice, findLink, type Found, type ReadText } from "../host/reference.ts";
import type { Seconds } from "../units.ts";
import { policyText } from "./lia/cost.ts";
import type { LiaJob } from "./lia/run.ts";
import { liaModel } from "./lia/shape.ts";
import { runSystem } from "./lia/plan.ts";
import { liaSystems, systemEnergy, type LiaSystem } from "./lia/systems.ts";

const count = z.int().min(1).max(1_000_000);

const planSchema = z.strictObject({
  model: z.string().describe("a model by name"),
  host: z
    .strictObject({
      cpu: z.unknown().describe("a built-in CPU, a device file, or a device in place"),
      gpu: z.unknown().describe("a built-in GPU, a device file, or a device in place"),
      link: z.string().optional().describe("what joins them, by name"),
    })
    .describe("where the model runs"),
  batch: count.describe("prompts at a time"),
  input: count.describe("tokens of a prompt"),
  output: count.min(2).describe("tokens made"),
});

/** The schema of plan files as a JSON Schema document. */
export function planJsonSchema(): unknown {
  return z.toJSONSchema(planSchema, { io: "input", unrepresentable: "any" });
}

/** A plan whose names were followed. */
export interface Plan {
  readonly model: string;
  readonly host: Host;
  readonly job: LiaJob;
}

/**
 * Reads a plan; `read` gives the text of device files that it names.
 * @throws NeardataError `bad-input` with every problem.
 */
export function parsePlan(file: string, text: string, read: ReadText): Plan {
  const parsed = planSchema.safeParse(parseYaml(file, text), { reportInput: true });
  if (!parsed.success) throw inFile(file, issuesOf(parsed.error, planSchema));
  const { model, host, batch, input, output } = parsed.data;
  const cpu = findDevice("host.cpu", "cpu", host.cpu, read);
  const gpu = findDevice("host.gpu", "gpu", host.gpu, read);
  const link = findLink("host.link", host.link, gpu.ok ? gpu.value : null);
  const shape = shapeOf(model);
  if (!cpu.ok || !gpu.ok || !link.ok || !shape.ok) {
    throw inFile(
      file,
      [shape, cpu, gpu, link].flatMap((one) => (one.ok ? [] : one.issues)),
    );
  }
  return {
    model,
    host: { cpu: cpu.value.processor, gpu: gpu.value.processor, link: link.value },
    job: { ...shape.value, batch, input, output },
  };
}

function shapeOf(model: string): Found<ReturnType<typeof liaModel>> {
  try {
    return { ok: true, value: liaModel(model, "model") };
  } catch (error) {
    if (!(error instanceof NeardataError) || error.code !== "bad-input") throw error;
    return { ok: false, issues: error.issues };
  }
}

/** What one system does with the plan. */
export interface PlanRow {
  readonly system: LiaSystem;
  /** Six digits, QKV to FC2: 1 is the CPU. */
  readonly prefill: string;
  readonly decode: string;
  readonly latency: Seconds;
  /** Generated tokens a second. */
  readonly throughput: number;
  readonly joulesPerToken: number;
  readonly busy: { readonly cpu: Seconds; readonly gpu: Seconds; readonly link: Seconds };
}

/** Every system on the plan's host. */
export function solvePlan({ host, job }: Plan): readonly PlanRow[] {
  return liaSystems.map((system) => {
    const run = runSystem(system, host, job);
    return {
      system,
      prefill: policyText(run.prefill.policy),
      decode: policyText(run.decode.policy),
      latency: run.total,
      throughput: run.throughput,
      joulesPerToken: systemEnergy(host, run, job),
      busy: { cpu: run.busy.cpu, gpu: run.busy.gpu, link: run.busy.transfer },
    };
  });
}
