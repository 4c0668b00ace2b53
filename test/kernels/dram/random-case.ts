// SPDX-License-Identifier: Apache-2.0
// Random memories and traffic for property tests: small organisations that make collisions likely,
// timings around the real ones, every policy, mapper and injection.

import fc from "fast-check";

import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import { semanticsSwitchNames, type SemanticsName } from "../../../src/machine/dram/semantics.ts";
import type { TraceRequest } from "./address-map.ts";

export interface DramCase {
  readonly config: DramReplayConfig;
  readonly trace: readonly TraceRequest[];
}

const power = (least: number, most: number): fc.Arbitrary<number> =>
  fc.integer({ min: least, max: most }).map((n) => 2 ** n);

const around = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low, max: high });

const timing = fc.record({
  nBL: fc.constantFrom(4, 8),
  nCL: around(20, 46),
  nRCD: around(10, 40),
  nRP: around(10, 40),
  nRAS: around(30, 90),
  nRC: around(50, 130),
  nWR: around(20, 80),
  nRTP: around(8, 24),
  nCWL: around(18, 44),
  nPPD: around(1, 4),
  nCCDS: around(6, 10),
  nCCDS_WR: around(6, 10),
  nCCDS_WTR: around(20, 60),
  nCCDL: around(8, 16),
  nCCDL_WR: around(8, 48),
  nCCDL_WTR: around(30, 80),
  nRRDS: around(4, 10),
  nRRDL: around(4, 14),
  nFAW: around(20, 60),
  nRFC1: around(100, 400),
  nRFCsb: around(60, 200),
  nREFSBRD: around(20, 40),
  nREFI: around(700, 3000),
  nCS: around(1, 4),
});

/** Timings of a few cycles each, so that many events fall into one cycle and many waits are equal. */
const tightTiming = fc.record({
  nBL: around(1, 2),
  nCL: around(3, 6),
  nRCD: around(2, 6),
  nRP: around(2, 6),
  nRAS: around(3, 9),
  nRC: around(5, 14),
  nWR: around(2, 8),
  nRTP: around(1, 4),
  nCWL: around(1, 3),
  nPPD: around(1, 3),
  nCCDS: around(1, 3),
  nCCDS_WR: around(1, 3),
  nCCDS_WTR: around(3, 8),
  nCCDL: around(1, 5),
  nCCDL_WR: around(1, 6),
  nCCDL_WTR: around(4, 9),
  nRRDS: around(1, 4),
  nRRDL: around(1, 5),
  nFAW: around(4, 14),
  nRFC1: around(6, 20),
  nRFCsb: around(4, 12),
  nREFSBRD: around(2, 6),
  nREFI: around(40, 120),
  nCS: around(1, 3),
});

const organization = fc.record({
  channels: power(0, 2),
  ranks_per_channel: power(0, 2),
  bankgroups: power(1, 3),
  banks_per_bankgroup: power(0, 2),
  rows: power(1, 4),
  column_addresses_per_row: power(2, 5),
  channel_width_bits: fc.constant(32),
  prefetch: fc.constant(16),
});

const traffic = fc.record({
  requests: around(1, 160),
  /** Mean cycles between arrivals; 0 for all at once. */
  gap: fc.constantFrom(0, 0, 2, 8, 12, 60, 400),
  reads: fc.double({ min: 0, max: 1, noNaN: true }),
  /** How often the next address follows the one before, or is that of a recent request. */
  sequential: fc.constantFrom(0, 0.3, 0.9, 1),
  repeated: fc.constantFrom(0, 0.1, 0.4),
  seed: fc.integer({ min: 0, max: 0x7fffffff }),
});

type CaseSemantics = SemanticsName | Readonly<Record<string, boolean | string>>;

/** Each switch for itself as Ramulator 2.0 or as JEDEC has it. */
export const mixedSemantics: fc.Arbitrary<CaseSemantics> = fc
  .record(Object.fromEntries(semanticsSwitchNames.map((name) => [name, fc.boolean()])))
  .map((switches) => ({ base: "jedec", ...switches }));

export interface CaseOptions {
  readonly semantics: fc.Arbitrary<CaseSemantics>;
  readonly refresh: fc.Arbitrary<"AllBank" | "SameBank" | "None">;
  /** Thresholds of refresh management; none without refresh. */
  readonly management?: fc.Arbitrary<object>;
  /** Nominal sizes of the queues. */
  readonly queues?: fc.Arbitrary<number>;
  /** Waits of a few cycles each instead of those of a device. */
  readonly tight?: boolean;
}

export function dramCase(options: CaseOptions): fc.Arbitrary<DramCase> {
  return fc
    .record({
      timing_nCK: options.tight === true ? tightTiming : timing,
      organization,
      semantics: options.semantics,
      refresh: options.refresh,
      management: options.management ?? fc.constant(undefined),
      address_mapper: fc.constantFrom(
        "RoBaRaCoCh",
        "ChRaBaRoCo",
        "MOP4CLXOR",
        "RoBaCoBg",
        "RoCoBaBg",
      ),
      row_policy: fc.constantFrom("OpenRowPolicy", "OpenRowPolicy", "ClosedRowPolicy"),
      closed_row_cap: around(1, 6),
      queues: fc.record({ nominal_size: options.queues ?? fc.constantFrom(4, 8, 32) }),
      watermarks: fc.constantFrom([0.2, 0.8] as const, [0.1, 0.5] as const, [0.05, 1] as const),
      injection: fc.record({
        policy: fc.constantFrom("global_fifo", "per_channel_fifo"),
        max_accepts_per_cycle: fc.constantFrom(1, 2, "unlimited"),
      }),
      traffic,
    })
    .map(({ watermarks, traffic: load, management, ...document }) => {
      // REFsb issues several times per nREFI, for one rank after the other.
      const times = options.tight === true ? 2 * document.organization.banks_per_bankgroup : 16;
      const interval = document.timing_nCK.nREFI * (document.refresh === "SameBank" ? times : 1);
      const config = parseDramReplayConfig(
        {
          ...document,
          timing_nCK: { ...document.timing_nCK, nREFI: interval },
          rate_MTps: 4800,
          ...(document.refresh !== "None" && { refresh_management: management }),
          write_low_watermark: watermarks[0],
          write_high_watermark: watermarks[1],
        },
        "random case",
      );
      return { config, trace: makeTrace(config, load) };
    });
}

type Load = typeof traffic extends fc.Arbitrary<infer T> ? T : never;

function makeTrace(config: DramReplayConfig, load: Load): readonly TraceRequest[] {
  const o = config.organization;
  const lines = o.channels * o.ranks * o.bankGroups * o.banksPerGroup * o.rows * o.columnsPerRow;
  const random = generator(load.seed);
  const recent: number[] = [];
  let line = 0;
  let arrival = 0;
  return Array.from({ length: load.requests }, (_, id) => {
    arrival += load.gap === 0 ? 0 : Math.floor(2 * load.gap * random());
    const kind = random();
    const remembered = recent[Math.floor(random() * recent.length)];
    if (kind < load.repeated && remembered !== undefined) line = remembered;
    else if (random() < load.sequential) line = (line + 1) % lines;
    else line = Math.floor(random() * lines);
    recent.push(line);
    if (recent.length > 24) recent.shift();
    const op = random() < load.reads ? "R" : "W";
    return { id, arrival, op, address: 64n * BigInt(line) } as const;
  });
}

/** A small generator of numbers in [0, 1): mulberry32. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}
