// SPDX-License-Identifier: Apache-2.0
// Calls of the raw addon in a separate process, with little memory and time: whatever arguments they
// pass, the process continues.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { serialize } from "node:v8";

import { addonPath } from "../../src/native/addon.ts";
import { inRepository } from "../../src/base/paths.ts";
import { sanitizerFlags } from "../../src/native/compile/sanitizers.ts";

/**
 * An argument of a call. Values with a structured clone are given directly, others as `{ $: kind
 * }`: `result` (of an earlier call), `function`, `throws`, `getter` (of `name`, which throws),
 * `meddling` (of `name`, which makes calls), `proxy`, `shared`, `detached`, `symbol`.
 */
export type Given = unknown;

/** A call by name; `free`: the next call does not wait for its promise. */
export interface ApiCall {
  readonly call: string;
  readonly given: readonly Given[];
  readonly free?: boolean;
}

/** Calls one after the other; the outcome is that of the last, or of the first that fails. */
export interface ApiCase {
  readonly name: string;
  readonly calls: readonly ApiCall[];
}

export type ApiOutcome =
  | { readonly kind: "value"; readonly fault?: string }
  | { readonly kind: "error"; readonly code?: string; readonly message: string }
  | { readonly kind: "died"; readonly how: string };

interface Line {
  readonly began?: number;
  readonly ended?: number;
  readonly outcome?: ApiOutcome;
}

/** The limit of the address space in kilobytes; Node alone needs one and a half gigabytes. */
const memory = 6_000_000;
/**
 * A sanitizer's shadow is not counted as memory: under one, no allocation may be larger than the memory of the
 * others. It ends the process where `new` would throw.
 */
const sanitized = sanitizerFlags().length > 0;
const sanitizerOptions = `max_allocation_size_mb=${String(memory >> 10)}`;
const noMemory = /AddressSanitizer: (allocation-size-too-big|out-of-memory|requested allocation)/;

/** The limit of a case in milliseconds; runs are cancelled much earlier. */
const longest = sanitized ? 600_000 : 60_000;

/** The outcome of each case; a case that ends the process or does not end has `died`. */
export async function outcomesOf(cases: readonly ApiCase[]): Promise<readonly ApiOutcome[]> {
  const outcomes: ApiOutcome[] = [];
  while (outcomes.length < cases.length) {
    outcomes.push(...(await oneProcess(cases.slice(outcomes.length))));
  }
  return outcomes;
}

/** Up to the case that ended the process. */
async function oneProcess(cases: readonly ApiCase[]): Promise<readonly ApiOutcome[]> {
  const limit = sanitized ? "" : `ulimit -v ${String(memory)}; `;
  const file = join(inRepository("test", "native", "fixtures"), "api-child.js");
  const command = ["-c", `${limit}exec "$@"`, "bash", process.execPath, file, addonPath()];
  const env = { ...process.env };
  if (sanitized) env["ASAN_OPTIONS"] = `${env["ASAN_OPTIONS"] ?? ""}:${sanitizerOptions}`;
  const child = spawn("bash", command, { env, stdio: ["pipe", "pipe", "pipe"] });
  let out = "";
  let errors = "";
  const slow = setTimeout(() => child.kill("SIGKILL"), longest);
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
    slow.refresh();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  child.stdin.on("error", () => undefined).end(serialize(cases));
  const [status, signal] = (await once(child, "close")) as [number | null, string | null];
  clearTimeout(slow);
  const lines = out
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line) as Line);
  const outcomes = lines.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]));
  if (outcomes.length === cases.length) return outcomes;
  if (sanitized && noMemory.test(errors)) {
    return [...outcomes, { kind: "error", code: "exhausted", message: "no memory" }];
  }
  const how = `${signal ?? `status ${String(status)}`}: ${errors.slice(0, 500)}`;
  return [...outcomes, { kind: "died", how }];
}
