// SPDX-License-Identifier: Apache-2.0
// Cases as results.json has them.

import { defined } from "../base/defined.ts";
import type { TokenDocument } from "../lm/token/token-metrics.ts";
import type { CsdRun } from "../machine/csd/csd-types.ts";
import type { NdpMachine, NdpRun, StreamCounters } from "../machine/types.ts";
import type { AttentionCase, CaseResult } from "../results/types.ts";

/** A case of an expert, without its bulk (outputs, command lists, machine tables). */
export interface ExpertDocument extends Pick<
  CaseResult,
  | "id"
  | "title"
  | "fidelity"
  | "layout"
  | "work"
  | "bounds"
  | "bottleneck"
  | "time"
  | "latency"
  | "accuracy"
  | "outputHash"
> {
  readonly outcome: NdpRun["outcome"] | { readonly kind: "computed" };
  /** Null where nothing was simulated, as all below. */
  readonly cycles: NdpRun["cycles"] | null;
  readonly unit: NdpRun["unit"] | null;
  /** With RFMs only if the memory has refresh management. */
  readonly streams:
    readonly (Omit<StreamCounters, "rankManagements"> & Partial<StreamCounters>)[] | null;
  readonly bandwidth: NdpRun["bandwidth"] | null;
  readonly host: NdpRun["host"] | null;
}

type Device = CsdRun["devices"][number];

/** A case of attention, without jobs and page records. */
export interface AttentionDocument extends Omit<
  AttentionCase,
  "steps" | "machine" | "metrics" | "checks"
> {
  readonly kernel: "attention";
  readonly steps: readonly {
    readonly length: number;
    readonly devices: readonly Omit<Device, "host">[];
    readonly sharedLink?: NonNullable<CsdRun["sharedLink"]>;
  }[];
  readonly host: readonly (readonly Device["host"][])[];
}

/** A case of a kernel of a program. */
export interface KernelDocument {
  /** The key of the kernel in the scenario. */
  readonly kernel: string;
  readonly id: string;
  readonly title: string;
}

/** A case of any kernel. */
export type CaseDocument = ExpertDocument | AttentionDocument | TokenDocument | KernelDocument;

/** Without jobs and page records, which the report and the timeline show. */
export function attentionDocument(one: AttentionCase): AttentionDocument {
  const { steps, machine: _machine, metrics: _metrics, checks: _checks, ...rest } = one;
  return {
    ...rest,
    kernel: "attention",
    steps: steps.map(({ length, run }) => ({
      length,
      devices: run.devices.map(({ host: _host, ...device }) => device),
      ...defined({ sharedLink: run.sharedLink ?? undefined }),
    })),
    host: steps.map(({ run }) => run.devices.map((device) => device.host)),
  };
}

function streamsOf({ streams }: NdpRun, { memory }: NdpMachine): ExpertDocument["streams"] {
  if (!("ideal" in memory) && memory.refreshManagement !== undefined) return streams;
  return streams.map(({ rankManagements: _none, ...counters }) => counters);
}

/**
 * A case without bulk data (outputs, command lists, machine tables), which the report and the
 * timeline contain.
 */
export function caseDocument(result: CaseResult): ExpertDocument {
  const { run } = result;
  return {
    id: result.id,
    title: result.title,
    fidelity: result.fidelity,
    layout: result.layout,
    work: result.work,
    bounds: result.bounds,
    bottleneck: result.bottleneck,
    outcome: run?.outcome ?? { kind: "computed" },
    cycles: run?.cycles ?? null,
    time: result.time,
    latency: result.latency,
    unit: run?.unit ?? null,
    streams: run === null ? null : streamsOf(run, result.machine),
    bandwidth: run?.bandwidth ?? null,
    accuracy: result.accuracy,
    outputHash: result.outputHash,
    host: run?.host ?? null,
  };
}
