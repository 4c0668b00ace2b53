// SPDX-License-Identifier: Apache-2.0
// Simulation time of the modelled overheads: the same work with every overhead that can be disabled, and
// without all of them, round-robin.

import { bareHostLink } from "../../machine/resolve/host-link.ts";
import { hostPath } from "../../machine/resolve/systems.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import { prepareExpert } from "../../kernels/ndp/cold-expert.ts";
import type { ExpertShape } from "../../workload/ndp/layout.ts";
import type { NdpMachine, NdpSession } from "../../machine/types.ts";
import { openSession } from "../../native/session.ts";
import { seconds } from "../../base/units.ts";
import { generateExpert, generateInputs } from "../../workload/generate.ts";
import { headCaches, openHeads, type BenchDevice } from "./heads.ts";
import { interleave, type Probe } from "./measure.ts";
import { atMost, type BenchFigure } from "./result.ts";

const maxRatio = 1.05;
/** Runs per round: a round takes some tenths of a second. */
const runs = 16;

/** A controller without translation lookups and parity reads, behind a link without packets. */
const uncharged: Pick<CsdMachine, "controller" | "link"> = {
  controller: {
    transposition: { buffer: null },
    translation: { rate: 1e12, latency: seconds(0), table: "sram" },
    ecc: null,
  },
  link: bareHostLink,
};

/** `machine` is a DIMM behind DDR5 at cycle fidelity; `shape` one expert. */
export async function benchOverheads(
  machine: NdpMachine,
  shape: ExpertShape,
  repeats: number,
): Promise<readonly BenchFigure[]> {
  const caches = headCaches();
  const [charged, bare] = await Promise.all([openHeads(caches, {}), openHeads(caches, uncharged)]);
  const device =
    ({ session, jobs }: BenchDevice): Probe =>
    async () => {
      const start = performance.now();
      for (let i = 0; i < runs; ++i) {
        await session.run(jobs.sparse);
        await session.run(jobs.dense);
      }
      return performance.now() - start;
    };
  const dimms = await expertsOn(machine, shape);
  const times = await interleave(
    { charged: device(charged), bare: device(bare), ...dimms.probes },
    repeats,
  );
  for (const { session } of [charged, bare]) session.close();
  dimms.close();
  const ratio = (name: string, value: number): BenchFigure => ({
    name,
    unit: "ratio",
    ...atMost(value, maxRatio),
  });
  return [
    ratio("DDR5: an expert with its host / without, time per cycle", times.ratio("host", "alone")),
    ratio(
      "DDR5: staggered refresh / refresh at the same time, time per cycle",
      times.ratio("staggered", "alone"),
    ),
    ratio("flash: heads with every charge / with none", times.ratio("charged", "bare")),
  ];
}

type Names = "alone" | "host" | "staggered";

interface Experts {
  readonly probes: Readonly<Record<Names, Probe>>;
  readonly close: () => void;
}

/** Alone, with inputs, descriptors and outputs that travel, and with staggered refresh. */
async function expertsOn(machine: NdpMachine, shape: ExpertShape): Promise<Experts> {
  const { host: _, memory, ...rest } = machine;
  const refreshed = (refreshPhase: "staggered" | "together"): NdpMachine => ({
    ...rest,
    memory: "ideal" in memory ? memory : { ...memory, refreshPhase },
  });
  const { hidden, intermediate, format, activation, tokens } = shape;
  const weights = generateExpert({ seed: 1, name: "bench", format, hidden, intermediate });
  const inputs = generateInputs(1, format, tokens, hidden);
  const task = { weights, inputs, activation, arrangement: "interleaved" } as const;
  const alone = refreshed("together");
  const sessions = {
    alone: await openSession(alone),
    host: await openSession({ ...alone, host: hostPath }),
    staggered: await openSession(refreshed("staggered")),
  };
  const { job } = prepareExpert(alone, task);
  // Cycles differ between the sessions, so the cost is per cycle: the difference of cycles belongs
  // to the machine, not to the simulator.
  const probe = (session: NdpSession): Probe => {
    return async () => {
      const { host, cycles } = await session.run(job);
      return host.total / cycles;
    };
  };
  return {
    probes: {
      alone: probe(sessions.alone),
      host: probe(sessions.host),
      staggered: probe(sessions.staggered),
    },
    close: () => {
      for (const session of Object.values(sessions)) session.close();
    },
  };
}
