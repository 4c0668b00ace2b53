// SPDX-License-Identifier: Apache-2.0
// The cost of driving a unit from TypeScript, compared with a C++ testbench of the same unit and messages: the array
// of the NDP unit at the paper's size, and the filter of a flash channel, which is so small that there is little
// beside the driving. Both have their messages in memory before the clock of the measurement starts and their outputs
// in memory when it stops; both are compiled with the same flags. Seconds are those of the processor, in which other
// work of the machine does not count.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { NeardataError } from "../../base/errors.ts";
import { temporaryDirectory } from "../../base/files/temporary.ts";

import { inRepository } from "../../base/paths.ts";
import { rtlPath } from "../../native/compile/rtl-sources.ts";
import { verilate } from "../../native/unit/verilate.ts";
import { openUnit } from "../../rtl/unit.ts";
import { filterSource, filterTop, openFilter, pageBeats, writePages } from "./filter.ts";
import { mainAnswer } from "./main-answer.ts";
import { interleave, processorSeconds } from "./measure.ts";
import { atMost, type BenchFigure } from "./result.ts";

/** One unit and one load, under the testbench and driven. */
interface Both {
  readonly name: string;
  readonly cycles: number;
  /** The largest ratio of the times per cycle that is the aim. */
  readonly maxRatio: number;
  /** The testbench and its input. */
  readonly main: readonly [path: string, input: string];
  /** Enqueues the messages; runs the unit and reads the results; counts the results. */
  readonly send: () => void;
  readonly drive: () => Promise<void>;
  readonly count: () => number;
}

/** Nanoseconds per cycle of both units, under the testbench and driven. */
export async function benchUnit(repeats: number): Promise<readonly BenchFigure[]> {
  const directory = temporaryDirectory("bench");
  try {
    return [
      ...(await compared(await gemv(directory.path), repeats)),
      ...(await compared(await filter(directory.path), repeats)),
    ];
  } finally {
    directory.remove();
  }
}

async function compared(
  { name, cycles, maxRatio, main: [path, input], send, drive, count }: Both,
  repeats: number,
): Promise<readonly BenchFigure[]> {
  let wanted = Number.NaN;
  const inMain = async (): Promise<number> => {
    const answer = await mainAnswer(path, [input], "results");
    wanted = answer.count;
    return answer.seconds;
  };
  const inBatches = async (): Promise<number> => {
    send();
    const seconds = await processorSeconds(drive);
    if (count() === wanted) return seconds;
    const message = `${name} gives ${String(count())} results driven, ${String(wanted)} under its testbench.`;
    throw new NeardataError("check-failed", message);
  };
  const measurements = await interleave({ main: inMain, driven: inBatches }, repeats);
  const { medians: seconds } = measurements;
  const nanoseconds = (of: number): number => (1e9 * of) / cycles;
  const figures: readonly BenchFigure[] = [
    { name: `${name}, C++ testbench`, value: nanoseconds(seconds.main), unit: "ns/cycle" },
    {
      name: `${name}, driven from TypeScript`,
      value: nanoseconds(seconds.driven),
      unit: "ns/cycle",
    },
  ];
  return [
    ...figures,
    {
      name: `${name} driven from TypeScript / C++ testbench, time per cycle`,
      unit: "ratio",
      ...atMost(measurements.ratio("driven", "main"), maxRatio),
    },
  ];
}

const rtl = (names: readonly string[]): readonly string[] =>
  names.map((name) => inRepository("rtl", rtlPath(`${name}.sv`)));

const array = { Streams: 8, Mults: 32, Lanes: 8, Bits: 1, MaxTokens: 64, Banks: 1 };
const arraySources = [
  ...["ndp_pkg", "sram_1r1w", "fp_normalise", "fp_add", "fp_narrow"],
  ...["ndp_gemv_bank", "ndp_gemv_array", "ndp_slot_root", "ndp_gemv_unit"],
];
const slotCycles = 16;
const slots = 4000;

/** Slots of one token with new weights each; every twentieth slot produces a result. */
async function gemv(directory: string): Promise<Both> {
  const { Streams, Mults, Lanes } = array;
  const block = Mults * Lanes;
  const value = (i: number): number => (Math.imul(i, 2654435761) >>> 16) & 0xbbff;
  const input = join(directory, "slots");
  const width = 2 + Mults / 2 + (Streams * Mults) / 2 + 4;
  const words = new Uint32Array(slots * Lanes * width);
  const halves = new Uint16Array(words.buffer);
  const parts: Buffer[] = [];
  for (let slot = 0; slot < slots; slot += 1) {
    const [first, last] = [Number(slot % 20 === 0), Number(slot % 20 === 19)];
    const values = Uint16Array.from({ length: (Streams + 1) * block }, (_, i) => value(slot + i));
    const header = Uint32Array.of(slot & 0xff, first, last);
    parts.push(Buffer.from(header.buffer), Buffer.from(values.buffer));
    for (let lane = 0; lane < Lanes; lane += 1) {
      const at = (slot * Lanes + lane) * width;
      words.set([lane, 1], at);
      for (let row = 0; row <= Streams; row += 1) {
        const from = row * block + lane * Mults;
        halves.set(values.subarray(from, from + Mults), 2 * (at + 2) + row * Mults);
      }
      words.set([slot & 0xff, 0, first, last], at + width - 4);
    }
  }
  writeFileSync(input, Buffer.concat(parts));
  const main = await verilate({
    top: "ndp_gemv_unit",
    parameters: array,
    sources: rtl(arraySources),
    kind: "executable",
    harness: [inRepository("testbench", "gemv_tb.cc")],
  });
  const unit = await openUnit({
    top: "ndp_gemv_unit",
    parameters: array,
    uses: arraySources.map((name) => `${name}.sv`),
    streams: {
      beat: {
        valid: "load_valid_i",
        payload: [
          ...["load_lane_i", "load_weights_i", "x_i", "weights_i"],
          ...["meta_i", "token_i", "first_i", "last_i"],
        ],
      },
    },
  });
  const pauses = Array.from({ length: slots * Lanes }, (_, i) =>
    i % Lanes === 0 && i > 0 ? slotCycles - Lanes : 0,
  );
  return {
    name: "an array of 2048 lanes",
    cycles: slots * slotCycles,
    maxRatio: 1.05,
    main: [main, input],
    send: () => {
      unit.reset();
      const { beat } = unit.streams;
      beat?.sendWords(words, { pauses });
    },
    drive: async () => {
      const until = { moved: { res: slots / 20 }, outputs: { busy_o: 0 } };
      await unit.run({ until, limit: 1e9 });
      const { res } = unit.streams;
      res?.takenWords();
    },
    count: () => {
      const { res } = unit.streams;
      return res?.movedAt().length ?? 0;
    },
  };
}

const pages = 200;

/** Pages with half of the rows passing the filter, without pauses. */
async function filter(directory: string): Promise<Both> {
  const main = await verilate({
    top: filterTop,
    parameters: {},
    sources: [filterSource()],
    kind: "executable",
    harness: [inRepository("testbench", "nfc_filter_main.cc")],
  });
  const { send, drive, outputs } = await openFilter(pages);
  const input = join(directory, "pages");
  writePages(input, pages);
  return {
    name: "a filter of one flash channel",
    cycles: pageBeats * pages,
    maxRatio: 1.3,
    main: [main, input],
    send,
    drive,
    count: () => outputs().cycles.length,
  };
}
