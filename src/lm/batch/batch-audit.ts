// SPDX-License-Identifier: Apache-2.0
// Random audits of a batch on the cycle models. An expert's job that is sampled runs again on RTL. A round of
// the storage devices that is sampled runs again whole: devices of RTL take what the others held before it, and
// do all its jobs together, so that heads are audited with all that they compete with. Values, choices and
// times of every job must be equal.

import { isDeepStrictEqual } from "node:util";

import type { CsdRun, CsdSession, FilledDevices } from "../../machine/csd/csd-types.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import type { NdpMachine } from "../../machine/types.ts";
import { draws } from "../../base/draws.ts";
import type { Check } from "../../results/metric.ts";
import {
  expertAuditor,
  type AuditCount,
  type AuditDraw,
  type AuditHardware,
  type ExpertAuditor,
} from "../token/audit.ts";
import type { RoundAudit } from "./batch-storage.ts";

/** Totals of the audit of a batch. */
export interface BatchAuditTotals extends AuditDraw {
  /** Jobs of experts. */
  readonly experts: AuditCount;
  /** A layer of a step each, all its heads on all devices together. */
  readonly rounds: AuditCount;
  /** In the audited rounds: groups of heads that attended, and appended rows of keys and values. */
  readonly heads: AuditCount;
  readonly appends: AuditCount;
}

/** Samples operations, repeats them on the audit hardware, and compares the results. */
export interface BatchAuditor {
  readonly expert: ExpertAuditor["expert"];
  readonly rounds: RoundAudit;
  readonly totals: () => BatchAuditTotals;
  readonly check: () => Check;
  readonly close: () => void;
}

export function batchAuditor(
  draw: AuditDraw,
  ndp: NdpMachine,
  csd: CsdMachine,
  { engine, openNdp, openCsd }: AuditHardware,
): BatchAuditor {
  const experts = expertAuditor(draw, ndp, { engine, openNdp });
  const { uniform } = draws(draw.seed, "audited rounds");
  const none = (): { -readonly [Key in keyof AuditCount]: number } => ({
    audited: 0,
    of: 0,
    different: 0,
  });
  const counts = { rounds: none(), heads: none(), appends: none() };
  let filledDevices: FilledDevices | null = null;
  let hardware: CsdSession | null = null;
  const rounds: RoundAudit = {
    before: (session) => {
      filledDevices = uniform() < draw.share ? session.keep() : null;
    },
    after: async (jobs, attends, run) => {
      const attending = new Set(attends);
      counts.rounds.of += 1;
      counts.heads.of += attends.length;
      counts.appends.of += jobs.length - attends.length;
      if (filledDevices === null) return;
      hardware ??= await openCsd({ ...csd, engine });
      hardware.restore(filledDevices);
      const again = await hardware.run(jobs);
      counts.rounds.audited += 1;
      if (!isDeepStrictEqual(roundOf(again), roundOf(run))) counts.rounds.different += 1;
      jobs.forEach((_, i) => {
        const counter = attending.has(i) ? counts.heads : counts.appends;
        counter.audited += 1;
        if (!isDeepStrictEqual(again.jobs[i], run.jobs[i])) counter.different += 1;
      });
    },
  };
  const totals = (): BatchAuditTotals => ({
    ...draw,
    experts: experts.count(),
    rounds: { ...counts.rounds },
    heads: { ...counts.heads },
    appends: { ...counts.appends },
  });
  return {
    expert: experts.expert,
    rounds,
    totals,
    check: () => auditCheck(totals()),
    close: () => {
      experts.close();
      hardware?.close();
    },
  };
}

function auditCheck({ experts, rounds, heads, appends }: BatchAuditTotals): Check {
  const of = ({ audited, of: all }: AuditCount): string => `${audited} of ${all}`;
  const different = experts.different + rounds.different;
  return {
    id: "audit",
    title: "values and cycles of what was drawn for audit are those of the RTL",
    pass: different === 0,
    detail:
      `${of(experts)} jobs of experts and ${of(rounds)} rounds of attention audited, with ` +
      `${of(heads)} groups of heads and ${of(appends)} appends; ` +
      (different === 0
        ? "none differ"
        : `${experts.different} jobs and ${rounds.different} rounds differ`),
  };
}

/** All results of a round that do not depend on the simulated fidelity. */
function roundOf({ jobs, devices }: CsdRun): unknown {
  return {
    jobs,
    devices: devices.map(({ outcome, cycles, time, pagesRead, pagesProgrammed, dram, link }) => [
      ...[outcome, cycles, time, pagesRead, pagesProgrammed, dram, link],
    ]),
  };
}
