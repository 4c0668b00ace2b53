// SPDX-License-Identifier: Apache-2.0
// The memories of LIA's host streamed through the simulated ones: eight channels of DDR5-4800 that forty
// cores read (section 4.2), and an expander behind CXL (section 6).

import { loadDram } from "../../../native/dram-binding.ts";
import { parseDramReplayConfig } from "../../../kernels/dram/config.ts";
import type { DramReplayConfig, dramMappings } from "../../../kernels/dram/replay-config.ts";
import { streamRate } from "../../../kernels/dram/stream.ts";
import { loadAddon } from "../../../native/addon.ts";
import type { Table } from "../../../report/page.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import { explained, compareNumber } from "../../experiment/finding.ts";

/** A Xeon 8460H's cores; each of its eight channels is two of 32 bits. */
const [cores, subChannels] = [40, 16];
/** 512 GB on eight channels: a DIMM of 64 GB each, two ranks of 16 Gb x4. */
const ranks = 2;
const lines = 40_000;
/** DDR5-4800's pins, GB/s of all channels and of one. */
const [pins, channelPins] = [307.2, 38.4];

type Mapping = (typeof dramMappings)[number];

function memory(mapping: Mapping): DramReplayConfig {
  const document = {
    preset: "TriMoE",
    organization: { ranks_per_channel: ranks },
    address_mapper: mapping,
    injection: { policy: "global_fifo", max_accepts_per_cycle: 1 },
  };
  return parseDramReplayConfig(document, "LIA's host");
}

/** GB/s of all channels with `streams` readers, each of which reads consecutive lines. */
function ddr(streams: number, mapping: Mapping): number {
  const what = { streams, lines, burst: 1 };
  return (subChannels * streamRate(loadDram(), memory(mapping), what)) / 1e9;
}

/**
 * Bytes per second through CXL from a memory with this rate; its latency does not affect a stream.
 */
function cxl(lanes: number, memoryRate: number): number {
  const lineTime = Math.round((64 / memoryRate) * 1e15);
  const latency = 50e6;
  return loadAddon().cxlStream({
    lanes,
    lines,
    inFlight: 256,
    flit: "68-bytes",
    latency,
    lineTime,
  }).rate;
}

/** Bandwidths of the host's simulated memories. */
export interface StreamedRates {
  /** GB/s of eight channels to all cores, with rotating bank groups. */
  readonly ddr: number;
  /** GB/s of one reader a channel, row after row. */
  readonly rows: number;
  /** GB/s of an expander with a channel of DDR5-4800, and with one of DDR4. */
  readonly expander: number;
  readonly ddr4: readonly (readonly [megatransfers: number, gigabytes: number])[];
}

let known: StreamedRates | null = null;

/** Rates of streams, simulated once, in a second. @throws NeardataError `not-built` without the addon */
export function streamedRates(): StreamedRates {
  if (known !== null) return known;
  const all = ddr(cores, "RoBaCoBg");
  // Share of the pin bandwidth after refresh and rank switches.
  const share = all / pins;
  known = {
    ddr: all,
    rows: ddr(1, "RoBaRaCoCh"),
    expander: cxl(8, share * channelPins * 1e9) / 1e9,
    ddr4: [2400, 2666, 3200].map((rate) => [rate, cxl(8, share * rate * 8e6) / 1e9]),
  };
  return known;
}

const mappings: readonly (readonly [mapping: Mapping, what: string])[] = [
  ["RoBaCoBg", "bank groups in turn (taken here)"],
  ["RoCoBaBg", "all banks in turn"],
  ["MOP4CLXOR", "four lines of a row, banks hashed"],
  ["RoBaRaCoCh", "row after row"],
];

function readersTable(): Table {
  const column = (streams: number): Table["columns"][number] => ({
    key: `n${streams}`,
    title: `${streams} ${streams === 1 ? "reader" : "readers"} per channel`,
    unit: "GB/s",
    source: "measured",
    digits: 4,
  });
  const counts = [1, 4, cores];
  return {
    kind: "table",
    id: "streamed-ddr",
    caption:
      "Eight channels of DDR5-4800, two ranks each, as readers of consecutive lines share them: pins " +
      `carry ${pins} GB/s. The order of addresses on a server is not published; with forty readers it matters little.`,
    columns: [{ key: "what", title: "consecutive lines lie in" }, ...counts.map(column)],
    rows: mappings.map(([mapping, what]) => ({
      what,
      ...Object.fromEntries(counts.map((n) => [`n${n}`, ddr(n, mapping)])),
    })),
  };
}

export const streamed: Experiment = {
  id: "lia/section-4-2",
  paper: "lia",
  title: "The host's memories, streamed through the simulated ones (sections 4.2 and 6)",
  run: () => {
    const { ddr: all, rows, expander, ddr4 } = streamedRates();
    return {
      findings: [
        compareNumber("bandwidth of eight channels of DDR5-4800", {
          published: 260,
          ours: all,
          unit: "GB/s",
          kind: "S",
          note: "40 cores read; the model has no prefetchers, no caches and no mesh between cores and channels",
        }),
        explained(
          compareNumber("product of a matrix and a vector, an operation a byte", {
            published: 199,
            ours: all,
            unit: "GFLOPS",
            kind: "S",
            note: "the memory is not the limit: it has 260 GB/s in the paper's own measurement. All figures of this page use the paper's 199 GB/s",
          }),
          [
            {
              what: "each channel is read row by row, without rotation over the bank groups",
              value: rows,
            },
            { what: "the measured 260 GB/s instead of the simulated memory", value: 260 },
          ],
        ),
        explained(
          compareNumber("bandwidth of an expander", {
            published: 17,
            ours: expander,
            unit: "GB/s",
            kind: "S",
            note: "simulated: one channel of DDR5-4800 behind eight lanes of PCIe 5.0, which are the limit. The paper's expander has DDR4; its speed is not published",
          }),
          ddr4.map(([rate, value]) => ({
            what: `a channel of DDR4-${rate} in it, with the share of its pins that DDR5 delivers`,
            value,
          })),
        ),
      ],
      blocks: [readersTable()],
      timeline: [],
    };
  },
};
