// SPDX-License-Identifier: Apache-2.0
// The two hashes of a results.json. `resultHash` covers what the configuration, the seed and this
// program decide: the same on every machine and in every directory. `documentHash` covers the whole
// document. They show that something was changed, not by whom: the author of a change can hash it again.

import { hashOfValue } from "../../base/hash.ts";

/** Both hashes, in lower-case hexadecimal. */
export interface Seal {
  readonly resultHash: string;
  readonly documentHash: string;
}

/**
 * The hash of everything that does not depend on the host. It leaves out the values of every key
 * `host`, and `files`, since the page names the host's Node.js and a waveform the time of its
 * writing.
 */
export function resultHashOf(document: object): string {
  const result = { ...document, resultHash: undefined, documentHash: undefined, files: undefined };
  return hashOfValue(withoutHost(result));
}

/** The hash of everything, including the host and the result hash. */
export function documentHashOf(document: object): string {
  return hashOfValue({ ...document, documentHash: undefined });
}

function withoutHost(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutHost);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).filter(([key]) => key !== "host");
  return Object.fromEntries(entries.map(([key, part]) => [key, withoutHost(part)]));
}
