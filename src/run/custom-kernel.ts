// SPDX-License-Identifier: Apache-2.0
// Kernels of a program: defined by the same interface as those of neardata, with a schema of their settings.

import { z } from "zod";
import { callback, dataObject, valueOf } from "../base/entry.ts";
import { NeardataError, type Issue } from "../base/errors.ts";
import { scenarioSchema } from "../scenario/schema.ts";
import { anyKernel, type AnyKernel, type Kernel, type KernelCase } from "./kernel.ts";

/** A kernel of a program. Its name is a key of scenarios, whose content `schema` describes. */
export interface KernelDefinition<
  Schema extends z.ZodType,
  Workload,
  Case extends KernelCase,
> extends Kernel<z.output<Schema>, Workload, Case> {
  /** Changes whenever results may change: results.json contains it, and the result hash covers it. */
  readonly version: string;
  /**
   * A zod schema. Unknown keys and wrong values are reported in the same way as for neardata's
   * keys.
   */
  readonly schema: Schema;
}

/** A defined kernel, for the option `kernels` of `runScenario`. */
export interface ScenarioKernel {
  readonly name: string;
  readonly version: string;
  readonly schema: z.ZodType;
}

const defined = new WeakMap<object, AnyKernel>();

/** Defines a kernel. @throws NeardataError `bad-input` for a wrong definition */
export function defineKernel<Schema extends z.ZodType, Workload, Case extends KernelCase>(
  definition: KernelDefinition<Schema, Workload, Case>,
): ScenarioKernel {
  const { name, version, schema } = definition;
  const kernel = anyKernel(
    {
      ...definition,
      document: (one: Case) => ({
        kernel: name,
        id: one.id,
        title: one.title,
        ...definition.document?.(one),
      }),
    },
    ({ scenario }) => (scenario.kernels?.[name] ?? null) as z.output<Schema> | null,
  );
  const made: ScenarioKernel = { name, version, schema };
  defined.set(made, { ...kernel, version });
  return made;
}

const keysOfScenarios = Object.keys(scenarioSchema.shape);

/** The schema of a definition; more properties may follow. */
export const kernelDefinition = dataObject({
  name: z
    .string()
    .regex(/^[a-z][A-Za-z0-9]*$/, { error: "a name has letters and digits and starts lower-case." })
    .refine((name) => !keysOfScenarios.includes(name), {
      error: "scenarios have a key of this name already.",
    }),
  version: z.string().min(1),
  schema: valueOf<z.ZodType>(
    "a zod schema",
    (value) => typeof value === "object" && value !== null && "_zod" in value,
  ),
  prepare: callback,
  run: callback,
  metrics: callback,
  checks: callback,
});

/** Whether `defineKernel` returned the value. */
export function isScenarioKernel(value: unknown): value is ScenarioKernel {
  return typeof value === "object" && value !== null && defined.has(value);
}

/** The kernels for a run. @throws NeardataError `bad-input` where two have one name */
export function customKernels(kernels: readonly ScenarioKernel[]): readonly AnyKernel[] {
  const issues = kernels.flatMap(({ name }, i): readonly Issue[] =>
    kernels.findIndex((other) => other.name === name) === i
      ? []
      : [{ where: `kernels[${i}]`, message: `another kernel is called ${name}.` }],
  );
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  return kernels.flatMap((one) => defined.get(one) ?? []);
}

/** Schemas by key, for the parser of scenarios. */
export function kernelSchemas(
  kernels: readonly ScenarioKernel[],
): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(kernels.map(({ name, schema }) => [name, schema]));
}
