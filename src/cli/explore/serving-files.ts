// SPDX-License-Identifier: Apache-2.0
// Files that a serving file names: devices and a trace of requests, both seen from the serving file.

import { dirname, resolve } from "node:path";
import type { ReadText } from "../../machine/host/reference.ts";
import type { ServingSpec } from "../../papers/serving/spec.ts";
import { type RequestTrace, firstRequests } from "../../workload/request-trace.ts";
import { readText } from "../../run/files.ts";
import { openPieces } from "../../base/files/pieces.ts";
import { linesOf } from "../../base/files/lines.ts";

/** Reads files relative to the directory of `path`. */
export function readerNextTo(path: string): ReadText {
  return (name) => readText(resolve(dirname(path), name));
}

/** Default limit of the requests of a trace in a serving file. */
const maxRequests = 100_000;

/** The trace of a serving file; null where requests are generated. @throws NeardataError `bad-input`. */
export async function traceOf({ file, requests }: ServingSpec): Promise<RequestTrace | null> {
  if (requests.trace === undefined) return null;
  const path = resolve(dirname(file), requests.trace);
  const trace = await firstRequests(
    path,
    linesOf(path, openPieces(path)),
    requests.count ?? maxRequests,
  );
  return trace;
}
