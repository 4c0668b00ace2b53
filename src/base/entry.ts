// SPDX-License-Identifier: Apache-2.0
// Entry points of the package: functions whose arguments are checked before they run, so that a wrong value or an
// unknown option is a sentence for the caller.

import { z } from "zod";
import { NeardataError } from "./errors.ts";
import { issuesOf } from "./issues.ts";
import { formatValue } from "./format-value.ts";

/** Schemas of parameters by their names, in order. */
export type Parameters = Readonly<Record<string, z.ZodType>>;

/** The key under which an entry point stores the schemas of its parameters. */
export const parametersOf: unique symbol = Symbol("parameters of an entry point");

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- parameters of any function
type Any = (...given: any[]) => unknown;

/** `run` with arguments that are checked. @throws NeardataError `bad-input` with every wrong one */
export function entry<F extends Any>(run: F, parameters: Parameters): F {
  const checked = (...given: readonly unknown[]): unknown => {
    checkArguments(run.name, parameters, given);
    return run(...given);
  };
  return named(checked as F, run, parameters);
}

/** The same of a function that returns a promise, which rejects. */
export function asyncEntry<F extends (...given: never[]) => Promise<unknown>>(
  run: F,
  parameters: Parameters,
): F {
  const checked = async (...given: never[]): Promise<unknown> => {
    checkArguments(run.name, parameters, given);
    return run(...given);
  };
  return named(checked as F, run, parameters);
}

function named<F extends Any>(checked: F, run: F, parameters: Parameters): F {
  Object.defineProperty(checked, "name", { value: run.name });
  Object.defineProperty(checked, "length", { value: run.length });
  Object.defineProperty(checked, parametersOf, { value: parameters });
  return checked;
}

/** @throws NeardataError `bad-input` with every argument of `name` that is wrong; more than are known may follow */
export function checkArguments(
  name: string,
  parameters: Parameters,
  given: readonly unknown[],
): void {
  const issues = Object.entries(parameters).flatMap(([parameter, schema], i) => {
    const parsed = schema.safeParse(given[i], { reportInput: true });
    if (parsed.success) return [];
    return issuesOf(parsed.error, schema).map(({ where, message }) => ({
      where: `${name}: ${[parameter, where].filter((part) => part !== "").join(where.startsWith("[") ? "" : ".")}`,
      message,
    }));
  });
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
}

/**
 * A schema of values for which `holds` is true; `what` describes them in messages, with an article.
 */
export function valueOf<T>(what: string, holds: (value: unknown) => boolean): z.ZodType<T> {
  const error = ({ input }: { readonly input?: unknown }): string =>
    input === undefined ? `this is missing (${what}).` : `${formatValue(input)} is not ${what}.`;
  return z.custom<T>(holds, { error });
}

/** Any number, NaN and infinities among them. */
export const anyNumber = valueOf<number>("a number", (value) => typeof value === "number");

/** A function. */
export const callback = valueOf<Any>("a function", (value) => typeof value === "function");

/** An instance of one of these classes; `what` describes it in messages. */
export function instance<T>(
  what: string,
  ...classes: readonly (abstract new (...given: never[]) => T)[]
): z.ZodType<T> {
  return valueOf<T>(what, (value) => classes.some((one) => value instanceof one));
}

/** The signal that cancels a run. */
export const abortSignal = instance("an AbortSignal", AbortSignal);

/** Threads of a run at most. */
export const threadCount = z.int().min(1).max(65_536);

/** An object with at least these keys. */
export function dataObject<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape> {
  return z.object(shape);
}
