// SPDX-License-Identifier: Apache-2.0
// A trace served by a model on one machine: makes the trace's requests, serves them, reports.

import { defined } from "../base/defined.ts";
import type { HostName } from "../machine/host/devices.ts";
import type { CsdMachine } from "../machine/csd/csd-machine.ts";
import type { OpenCsdSession } from "../machine/csd/csd-types.ts";
import type { OpenSession } from "../machine/types.ts";
import type { LowBitFormat } from "../golden/low-bit.ts";
import { runBatch, type BatchRun } from "../lm/batch/batch-machine.ts";
import {
  batchReport,
  requestColumns,
  stepColumns,
  type BatchReport,
} from "../lm/batch/batch-report.ts";
import { batchRequests } from "../lm/batch/batch-requests.ts";
import type { MoeModel } from "../lm/moe/model.ts";
import type { AuditHardware } from "../lm/token/audit.ts";
import { hashOfValue } from "../base/hash.ts";
import type { RequestTrace } from "../workload/request-trace.ts";
import { tokenDimm } from "./token.ts";

/** The requests to serve, and how. */
export interface BatchRequest {
  /** A trace with at least `requests` requests, if its file has as many. */
  readonly trace: RequestTrace;
  readonly requests: number;
  readonly shrink: number | null;
  readonly pace: number;
  readonly batch: number;
  readonly chunk: number;
  readonly room: number | null;
  /** Null: dense. */
  readonly ratio: number | null;
  readonly storage: LowBitFormat | null;
  readonly fidelity: CsdMachine["engine"];
  readonly host: HostName;
  readonly dimms: number;
  readonly devices: number;
  readonly audit: number | null;
  readonly seed: number;
}

/** Sessions of the hardware. */
export interface BatchSessions {
  readonly openNdp: OpenSession;
  readonly openCsd: OpenCsdSession;
  /** The fidelity of audits of sampled operations; default: RTL. */
  readonly auditOn?: AuditHardware;
  readonly onProgress?: (done: number) => void;
}

/** A served trace. */
export interface ServedTrace {
  readonly run: BatchRun;
  readonly report: BatchReport;
  /** How requests were made, a sentence or two. */
  readonly rules: string;
  /** Everything except wall-clock times: equal input gives an equal document. */
  readonly document: object;
  readonly resultHash: string;
}

export async function serveTrace(
  asked: BatchRequest,
  model: MoeModel,
  text: Uint8Array,
  { openNdp, openCsd, auditOn, onProgress }: BatchSessions,
): Promise<ServedTrace> {
  const { trace, fidelity, storage, audit, seed, ...rest } = asked;
  const made = batchRequests(trace.requests, trace.file, asked, text, model.inputs);
  const on = auditOn ?? { engine: "rtl", openNdp, openCsd };
  const run = await runBatch(
    model,
    { ...rest, storage, text, requests: made.requests },
    {
      ...rest,
      fidelity,
      ndp: tokenDimm({ fidelity, storage }),
      openNdp,
      openCsd,
      onProgress,
      audit: audit === null ? undefined : { draw: { share: audit, seed }, on },
    },
  );
  const report = batchReport(run);
  const { shrink } = made;
  const rules = [
    `The first ${asked.requests} requests of ${trace.format}. A length of n tokens in the trace becomes ` +
      `ceil(n / ${shrink}), prompt and generated alike; the time from one arrival to the next is ` +
      `1/${asked.pace} of the trace's. Each request is a piece of the text, one behind another: its prompt, ` +
      `and what is generated.`,
    ...trace.notes,
  ].join(" ");
  const document = {
    ...rest,
    shrink,
    fidelity,
    storage,
    room: run.room,
    rules,
    ...report,
    columns: { requests: requestColumns, steps: stepColumns },
    homes: run.homes,
    hardware: run.hardware,
    ...defined({ audit: run.audit ?? undefined }),
    checks: run.checks,
  };
  return { run, report, rules, document, resultHash: hashOfValue(document) };
}
