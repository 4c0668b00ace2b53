// SPDX-License-Identifier: Apache-2.0
// Branded quantities: the only place where they are made and combined. Bytes never pass for
// cycles, and a plain number passes for neither. Time of the simulator is integer femtoseconds
// (exact below 9.007 s of simulated time); `Seconds` is for people and closed forms.

declare const brand: unique symbol;
type Quantity<Name extends string> = number & { readonly [brand]: Name };

/** Edges of a named clock domain. */
export type Cycles = Quantity<"cycles">;
export type Bytes = Quantity<"bytes">;
export type Femtoseconds = Quantity<"femtoseconds">;
export type Seconds = Quantity<"seconds">;
export type Hertz = Quantity<"hertz">;
export type BytesPerSecond = Quantity<"bytes per second">;
/** Floating-point operations; one multiply-accumulate is two. */
export type Flops = Quantity<"floating-point operations">;
export type Amperes = Quantity<"amperes">;
export type FlopsPerSecond = Quantity<"floating-point operations per second">;
/** A share or ratio of two equal quantities; 1 is all of it. */
export type Ratio = Quantity<"ratio">;

export const cycles = (n: number): Cycles => n as Cycles;
export const bytes = (n: number): Bytes => n as Bytes;
export const femtoseconds = (n: number): Femtoseconds => n as Femtoseconds;
export const seconds = (n: number): Seconds => n as Seconds;
export const hertz = (n: number): Hertz => n as Hertz;
export const bytesPerSecond = (n: number): BytesPerSecond => n as BytesPerSecond;
export const flops = (n: number): Flops => n as Flops;
export const amperes = (n: number): Amperes => n as Amperes;
export const flopsPerSecond = (n: number): FlopsPerSecond => n as FlopsPerSecond;
export const ratio = (n: number): Ratio => n as Ratio;

const femtosecondsPerSecond = 1e15;

/** Simulated time up to which femtoseconds are exact in a double, in whole seconds. */
export const maxSeconds: number = Math.floor(Number.MAX_SAFE_INTEGER / femtosecondsPerSecond);

type Additive = Cycles | Bytes | Femtoseconds | Seconds | BytesPerSecond | Flops;

/** The sum of quantities of one kind. */
export function sum<Q extends Additive>(...terms: readonly Q[]): Q {
  return terms.reduce<number>((total, term) => total + term, 0) as Q;
}

/** A quantity times a plain number. */
export function scale<Q extends Additive | Hertz | FlopsPerSecond>(quantity: Q, factor: number): Q {
  return (quantity * factor) as Q;
}

/** The time of `count` cycles of a clock. */
export function timeOfCycles(count: Cycles, clock: Hertz): Seconds {
  return seconds(count / clock);
}

/** Simulator time in seconds. */
export function toSeconds(time: Femtoseconds): Seconds {
  return seconds(time / femtosecondsPerSecond);
}

/** The time of a transfer at a rate. */
export function transferTime(amount: Bytes, rate: BytesPerSecond): Seconds {
  return seconds(amount / rate);
}

/** The time of work at a rate. */
export function computeTime(work: Flops, rate: FlopsPerSecond): Seconds {
  return seconds(work / rate);
}

/** The longer of two times. */
export function longer(a: Seconds, b: Seconds): Seconds {
  return a >= b ? a : b;
}
