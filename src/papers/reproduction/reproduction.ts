// SPDX-License-Identifier: Apache-2.0
// The options of a reproduction. Equal options have equal hashes; different options are different
// reproductions, even if their numbers are equal.

import type { Fidelity } from "../../scenario/fidelities.ts";
import type { Paper } from "../experiment/fact.ts";
import { hashOfValue } from "../../base/hash.ts";
import type { Page } from "../../report/page.ts";
import type { Done } from "./record.ts";

export interface Reproduction {
  /** Version of neardata. */
  readonly version: string;
  readonly fidelity: Fidelity;
  /** Null for all. */
  readonly paper: Paper | null;
  /** The one experiment of `--only`; null for all. */
  readonly only: string | null;
  /** Searches of each method, from seeds 1 to this. */
  readonly seeds: number;
  /** SHA-256 of the file of requests; null for generated ones. */
  readonly requests: string | null;
  /** SHA-256 of the file of a router's choices; null without one. */
  readonly trace: string | null;
  /** SHA-256 of the files of devices, in the order given, and of the RTL units that they name. */
  readonly devices: readonly string[];
  /** DIMMs on RTL; null if there are none. */
  readonly rtlDimms: "lightest" | "all" | readonly number[] | null;
  /** Steps of many that were simulated; null where only the last one was. */
  readonly steps: number | null;
}

/** Seed of all random numbers of experiments except the searches. */
const seed = 1;

/** Covers every option and the experiments that the options select. */
export function reproductionHash(asked: Reproduction, done: readonly Done[]): string {
  return hashOfValue({ ...asked, seed, experiments: done.map((d) => d.experiment.id) });
}

function fileText(hash: string): string {
  return `a file with SHA-256 ${hash}`;
}

/** Rows with the settings of the reproduction. */
export function provenanceRows(asked: Reproduction, done: readonly Done[]): Page["provenance"] {
  const { version, fidelity, paper, only, seeds, requests, trace, devices } = asked;
  const { rtlDimms, steps } = asked;
  return [
    ["version", version],
    ["papers", paper ?? "all"],
    ["experiments", only ?? "all"],
    ["fidelity", fidelity],
    ["seed", String(seed)],
    ["seeds of searches", seeds === 1 ? "1" : `1 to ${seeds}`],
    ["requests", requests === null ? "generated" : fileText(requests)],
    ["router's choices", trace === null ? "none" : fileText(trace)],
    ["devices", devices.length === 0 ? "the papers'" : devices.map(fileText).join(", ")],
    ...(rtlDimms === null ? [] : [["DIMMs on RTL", String(rtlDimms)] as const]),
    ...(steps === null ? [] : [["simulated steps", String(steps)] as const]),
    ["config hash", reproductionHash(asked, done)],
  ];
}

/** The page with a hash of the rest of the page and of the timeline. */
export function withResultHash(page: Page, done: readonly Done[]): Page {
  const hash = hashOfValue({ page, timeline: done.flatMap((d) => d.outcome.timeline) });
  return { ...page, provenance: [...page.provenance, ["result hash", hash]] };
}
