// SPDX-License-Identifier: Apache-2.0

import { firstRequests, type RequestTrace } from "../../src/workload/request-trace.ts";

/** All requests of a text. @throws NeardataError `bad-input`. */
export async function tracedRequests(text: string, file: string): Promise<RequestTrace> {
  const lines = text.split("\n").map((line, i) => ({ text: line, number: i + 1 }));
  return firstRequests(file, lines, Infinity);
}
