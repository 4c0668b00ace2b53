// SPDX-License-Identifier: Apache-2.0
// Sessions of the cycle models with a fault in one of what they do, for audits to find.

import type { AuditHardware } from "../../src/lm/token/audit.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { openSession } from "../../src/native/session.ts";
import { cycles, femtoseconds } from "../../src/base/units.ts";

/** Indices of the run, counted from 1, whose values the session falsifies. */
export interface Fault {
  readonly output: number;
  readonly expertCycles: number;
  readonly head: number;
  readonly headTime: number;
  /** Of the last job of a run of the devices. */
  readonly jobTime: number;
}

export function faultySessions(fault: Partial<Fault>): Pick<AuditHardware, "openNdp" | "openCsd"> {
  let experts = 0;
  let steps = 0;
  return {
    openNdp: async (machine) => {
      const session = await openSession(machine);
      return {
        ...session,
        run: async (job, options) => {
          const run = await session.run(job, options);
          experts += 1;
          const [first, ...others] = run.result;
          const flipped = first?.map((byte, i) => (i === 0 ? byte ^ 1 : byte));
          return {
            ...run,
            result: experts === fault.output && flipped ? [flipped, ...others] : run.result,
            cycles: experts === fault.expertCycles ? cycles(run.cycles + 1) : run.cycles,
          };
        },
      };
    },
    openCsd: async (machine) => {
      const session = await openCsdSession(machine);
      return {
        ...session,
        run: async (jobs, options) => {
          const run = await session.run(jobs, options);
          steps += 1;
          const last = run.jobs.length - 1;
          return {
            ...run,
            jobs: run.jobs.map((job, i) => {
              if (i !== last) return job;
              const received = femtoseconds(job.received + 1);
              return {
                ...job,
                outputs: job.outputs.map((bits) => (steps === fault.head ? bits ^ 1 : bits)),
                received: steps === fault.jobTime ? received : job.received,
              };
            }),
            devices: run.devices.map((device, i) =>
              steps === fault.headTime && i === 0
                ? { ...device, cycles: cycles(device.cycles + 1) }
                : device,
            ),
          };
        },
      };
    },
  };
}
