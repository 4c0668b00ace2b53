// SPDX-License-Identifier: Apache-2.0
// The table of `neardata prove`: a row for each property, with its result and the method.

import { proveHarness, refute, type Result } from "./prove.ts";
import type { Prover } from "./tools.ts";
import type { Engine, Harness, Property } from "./types.ts";

/** One property after the solvers. */
export interface Row {
  readonly harness: string;
  readonly label: string;
  readonly module: string;
  readonly engine: string;
  readonly claim: string;
  /** `proven`: at all times. `bounded`: in the first cycles only. */
  readonly outcome:
    "proven" | "bounded" | "refuted" | "undecided" | "fault refuted" | "fault missed";
  readonly passed: boolean;
  /** By solver; empty for a refuted or undecided property. */
  readonly seconds: Readonly<Record<string, number>>;
  readonly note: string;
  /** The counterexample. */
  readonly waveform: string | null;
  /** Whether it was decided before. */
  readonly fromCache: boolean;
}

/** `pdr`, `window of 7 cycles`, `first 20 cycles`. */
export function engineText(engine: Engine): string {
  if (engine.kind === "pdr" || engine.kind === "induction") return engine.kind;
  return engine.kind === "window"
    ? `window of ${engine.steps} cycles`
    : `first ${engine.steps} cycles`;
}

/** Rows of the table, which are computed on demand. */
export interface Task {
  /** The name of its subject, for progress messages. */
  readonly name: string;
  readonly rows: () => Promise<readonly Row[]>;
}

/** The rows of the properties of a harness. */
export function provenRows(prover: Prover, harness: Harness): readonly Task[] {
  const { name, separately, properties } = harness;
  const decided = (meant: Harness, label: string | null): Task => ({
    name,
    rows: async () => [...rowsOf(meant, await proveHarness(prover, harness, label))],
  });
  if (!separately) return [decided(harness, null)];
  return properties.map((p) => decided({ ...harness, properties: [p] }, p.label));
}

function* rowsOf(harness: Harness, { outcome, fromCache }: Result): Generator<Row> {
  const holds = harness.engine.kind === "bounded" ? "bounded" : "proven";
  for (const { label, claim } of harness.properties) {
    const row = { ...common(harness), label, claim, fromCache };
    if (outcome.kind === "holds") {
      const seconds = Object.fromEntries(outcome.verdicts.map((v) => [v.solver, v.seconds]));
      yield { ...row, outcome: holds, passed: true, seconds, note: outcome.note, waveform: null };
    } else if (outcome.kind === "undecided") {
      const note = outcome.reason;
      yield { ...row, outcome: "undecided", passed: false, seconds: {}, note, waveform: null };
    } else {
      const { label: broken, steps, waveform } = outcome;
      const refuted = broken === label;
      const note = refuted ? `after ${steps} cycles` : `not decided, as ${broken} is refuted`;
      yield {
        ...row,
        outcome: refuted ? "refuted" : "undecided",
        passed: false,
        seconds: {},
        note,
        waveform: refuted ? waveform : null,
      };
    }
  }
  if (outcome.kind === "refuted" && !harness.properties.some((p) => p.label === outcome.label)) {
    const { label, steps, waveform } = outcome;
    const note = `after ${steps} cycles`;
    const claim = "An assertion that is not in the list of properties.";
    const row = { ...common(harness), label, claim, fromCache, seconds: {}, note, waveform };
    yield { ...row, outcome: "refuted", passed: false };
  }
}

/** The rows of the injected faults, one per property. */
export function injectedFaultRows(prover: Prover, harness: Harness): readonly Task[] {
  return harness.properties.map((property) => ({
    name: `${harness.name}: faults`,
    rows: async () => [
      injectedFaultRow(harness, property, await refute(prover, harness, property)),
    ],
  }));
}

function injectedFaultRow(
  harness: Harness,
  { label, claim }: Property,
  { outcome, fromCache }: Result,
): Row {
  const row = { ...common(harness), label, claim, fromCache, seconds: {} };
  const refuted = outcome.kind === "refuted";
  return {
    ...row,
    outcome: refuted ? "fault refuted" : "fault missed",
    passed: refuted,
    note: refuted
      ? `after ${outcome.steps} cycles`
      : outcome.kind === "undecided"
        ? outcome.reason
        : "",
    waveform: refuted ? outcome.waveform : null,
  };
}

function common({ name, module, engine }: Harness): Pick<Row, "harness" | "module" | "engine"> {
  return { harness: name, module, engine: engineText(engine) };
}

export function rowText({ harness, label, engine, outcome, seconds, note, waveform }: Row): string {
  const times = Object.entries(seconds).map(([solver, s]) => `${solver} ${s.toFixed(1)} s`);
  const how = [engine, ...times, note].filter((text) => text !== "").join(", ");
  const line = `${outcome.padEnd(13)}  ${`${harness}.${label}`.padEnd(40)}  ${how}`;
  return waveform === null ? line : `${line}\n${" ".repeat(15)}waveform: ${waveform}`;
}

/** How many of each outcome. */
export function summary(rows: readonly Row[]): string {
  const kinds = [...new Set(rows.map((row) => row.outcome))];
  const counts = kinds.map(
    (kind) => `${rows.filter((row) => row.outcome === kind).length} ${kind}`,
  );
  return `${rows.length} properties: ${counts.join(", ")}`;
}

export function listText(harnesses: readonly Harness[]): readonly string[] {
  return harnesses.flatMap((harness) => [
    `${harness.name}  (${harness.module} ${JSON.stringify(harness.parameters)}, ` +
      `${engineText(harness.engine)}, at most ${harness.seconds} s per solver` +
      `${harness.quick ? ", quick" : ""})`,
    ...harness.properties.map(({ label, claim }) => `  ${label.padEnd(20)} ${claim}`),
  ]);
}
