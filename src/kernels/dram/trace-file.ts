// SPDX-License-Identifier: Apache-2.0
// Files of memory requests, plain or gzip by their first bytes.

import { openPieces } from "../../base/files/pieces.ts";
import type { TraceSource } from "./replay.ts";

/**
 * Opens a trace. The file stays open until its pieces have been read.
 * @throws NeardataError `bad-input` when the file cannot be read.
 */
export function openTrace(path: string): TraceSource {
  return { name: path, pieces: openPieces(path) };
}
