// SPDX-License-Identifier: Apache-2.0
// Random audits of a run on the cycle models: a sampled share of experts and of groups of heads is computed by
// the Verilated RTL as well, which must give the same values in the same cycles. A sampled group of heads is
// put on fresh devices of both kinds, since what a device holds besides may change its times.

import { isDeepStrictEqual } from "node:util";

import type {
  AttentionAnswer,
  AttentionRequest,
} from "../../kernels/csd/attention/attention-request.ts";
import { steppedAttention } from "../../kernels/csd/attention/stepped-attention.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import type { CsdRun, OpenCsdSession } from "../../machine/csd/csd-types.ts";
import { runExpert, type ExpertRun, type PreparedExpert } from "../../kernels/ndp/cold-expert.ts";
import type { NdpMachine, NdpRun, NdpSession, OpenSession } from "../../machine/types.ts";
import { draws } from "../../base/draws.ts";
import type { Check } from "../../results/metric.ts";

/** The sample of an audit. */
export interface AuditDraw {
  /** Of experts and of groups of heads, each by itself. */
  readonly share: number;
  readonly seed: number;
}

/** The hardware for repeated operations: RTL, or other hardware in a test. */
export interface AuditHardware {
  readonly engine: CsdMachine["engine"];
  readonly openNdp: OpenSession;
  readonly openCsd: OpenCsdSession;
}

/** Counts of the audit for one kind of operation. */
export interface AuditCount {
  readonly audited: number;
  readonly of: number;
  /** Audited operations with a different value or time. */
  readonly different: number;
}

export interface AuditTotals extends AuditDraw {
  readonly experts: AuditCount;
  readonly heads: AuditCount;
}

/** Samples operations, repeats them on the audit hardware, and compares the results. */
export interface Auditor {
  readonly expert: (prepared: PreparedExpert, expertRun: ExpertRun) => Promise<void>;
  /** One step's groups of heads on `devices` devices, and the answers of the run. */
  readonly heads: (
    requests: readonly AttentionRequest[],
    answers: readonly AttentionAnswer[],
  ) => Promise<void>;
  readonly totals: () => AuditTotals;
  readonly check: () => Check;
  readonly close: () => void;
}

export function auditor(
  draw: AuditDraw,
  machine: NdpMachine,
  devices: number,
  { engine, openNdp, openCsd }: AuditHardware,
  cycleCsd: OpenCsdSession,
): Auditor {
  const experts = expertAuditor(draw, machine, { engine, openNdp });
  const headDraws = draws(draw.seed, "audited heads");
  const counts = { heads: { audited: 0, of: 0, different: 0 } };
  const times: { cycle: unknown; again: unknown } = { cycle: null, again: null };
  const models = steppedAttention({
    fidelity: "cycle",
    devices,
    open: cycleCsd,
    onStep: (_, { run }) => (times.cycle = timesOf(run)),
  });
  const hardware = steppedAttention({
    fidelity: engine,
    devices,
    open: openCsd,
    onStep: (_, { run }) => (times.again = timesOf(run)),
  });
  return {
    expert: experts.expert,
    heads: async (requests, answers) => {
      counts.heads.of += requests.length;
      const drawn = requests.map((_, i) => i).filter(() => headDraws.uniform() < draw.share);
      if (drawn.length === 0) return;
      const asked = drawn.flatMap((i) => requests[i] ?? []);
      await models.attend(asked);
      const again = await hardware.attend(asked);
      const timed = isDeepStrictEqual(times.again, times.cycle);
      counts.heads.audited += drawn.length;
      drawn.forEach((at, i) => {
        const same = isDeepStrictEqual(valuesOf(again[i]), valuesOf(answers[at]));
        if (!same || !timed) counts.heads.different += 1;
      });
    },
    totals: () => ({ ...draw, experts: experts.count(), heads: { ...counts.heads } }),
    check: () => {
      const { heads } = counts;
      const jobs = experts.count();
      const different = jobs.different + heads.different;
      return {
        id: "audit",
        title: "values and cycles of what was drawn for audit are those of the RTL",
        pass: different === 0,
        detail:
          `${String(jobs.audited)} of ${String(jobs.of)} experts and ${String(heads.audited)} of ` +
          `${String(heads.of)} groups of heads audited, ${different === 0 ? "none" : String(different)} differ` +
          (different === 1 ? "s" : ""),
      };
    },
    close: () => {
      experts.close();
      models.close();
      hardware.close();
    },
  };
}

/** Audits of experts alone, in the order in which they ran. */
export interface ExpertAuditor extends Pick<Auditor, "expert" | "close"> {
  readonly count: () => AuditCount;
}

export function expertAuditor(
  { share, seed }: AuditDraw,
  machine: NdpMachine,
  { engine, openNdp }: Pick<AuditHardware, "engine" | "openNdp">,
): ExpertAuditor {
  const { uniform } = draws(seed, "audited experts");
  const count = { audited: 0, of: 0, different: 0 };
  let session: NdpSession | null = null;
  return {
    expert: async (prepared, expertRun) => {
      count.of += 1;
      if (uniform() >= share) return;
      session ??= await openNdp({ ...machine, engine });
      const again = await runExpert(session, prepared);
      const same = isDeepStrictEqual(again.outputs, expertRun.outputs);
      const timed = isDeepStrictEqual(expertTimes(again.run), expertTimes(expertRun.run));
      count.audited += 1;
      if (!same || !timed) count.different += 1;
    },
    count: () => ({ ...count }),
    close: () => {
      session?.close();
    },
  };
}

/** All times of a job of the unit. */
export function expertTimes({ outcome, cycles, time, atHost, unit }: NdpRun): unknown {
  return { outcome, cycles, time, atHost, unit };
}

/** All times of a step on storage devices. */
export function timesOf({ jobs, devices }: CsdRun): unknown {
  return {
    jobs: jobs.map(({ sent, taken, done, received }) => [sent, taken, done, received]),
    devices: devices.map(({ outcome, cycles, time }) => [outcome, cycles, time]),
  };
}

function valuesOf(answer: AttentionAnswer | undefined): unknown {
  return answer && [answer.out, answer.dims, answer.tokens];
}
