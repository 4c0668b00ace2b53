// SPDX-License-Identifier: Apache-2.0
// Hashes that identify a configuration or a result: SHA-256 of canonical JSON.

import { createHash } from "node:crypto";

/** JSON with sorted keys and no white space, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (ArrayBuffer.isView(part))
      return sha256(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
    if (part === null || typeof part !== "object" || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Lower-case hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** The hash of a value's canonical JSON; typed arrays count by their bytes. */
export function hashOfValue(value: unknown): string {
  return sha256(canonicalJson(value));
}
