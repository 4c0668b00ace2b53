// SPDX-License-Identifier: Apache-2.0
// Both units of the papers at full size, in their C++ testbenches (testbench/ndp_main.cc, testbench/sparf_main.cc) and
// driven from TypeScript by `openUnit`. A run of each testbench without timing records the messages of all streams with
// their cycles (port-record.ts). The unit driven from TypeScript gets the same messages in the same cycles. A figure is
// printed only if its answers and their cycles are also equal (compared after the first and after the last repetition).
//
// Both are compiled from the same RTL with the same flags, with assertions, and start with all registers 0. Timed, in
// processor seconds:
// - The testbench, from the first cycle after the reset to the last: its memory or flash looks up the requests of the
//   unit and stores the writes. The contents are loaded earlier.
// - Driving: `run`, which reads the messages from arrays of JavaScript, records the cycle of each message, and counts
//   events; then all outputs of the unit, as such arrays. Requests need no lookup: the messages are recorded. The
//   second of two passes is timed, because the start of the testbench's process marks every page of this process for
//   copy-on-write (testbenches with timed_passes.h do the same).
// - For dimm_ndp also a testbench that only sends recorded messages to the unit and stores nothing (replay=1 of
//   ndp_main): the limit of the speed of every driver.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { defined } from "../../base/defined.ts";
import type { ExpertShape } from "../../workload/ndp/layout.ts";
import type { NdpMachine } from "../../machine/types.ts";
import { NeardataError } from "../../base/errors.ts";
import { temporaryDirectory } from "../../base/files/temporary.ts";
import { verilate } from "../../native/unit/verilate.ts";
import { sparfMain } from "../../native/csd/sparf-main.ts";
import { sparfRtlParameters } from "../../native/csd/csd-unit.ts";
import { buildNdpMain } from "../../native/ndp/ndp-main.ts";
import { rtlParameters } from "../../native/ndp/ndp-unit.ts";
import { openUnit } from "../../rtl/unit.ts";
import type { AnyUnit, Unit, Until } from "../../rtl/types.ts";
import { benchExpert, idealMemory } from "./expert.ts";
import {
  choice,
  headCaches,
  lastQuery,
  pageBytes,
  shape as headShape,
  sparfUnitOf,
} from "./heads.ts";
import { mainAnswer, type MainAnswer } from "./main-answer.ts";
import { interleave, processorSeconds, type Probe } from "./measure.ts";
import {
  readPortRecord,
  recordDifferences,
  recordedSender,
  takeRecorded,
  type PortRecord,
} from "./port-record.ts";
import { atMost, type BenchFigure } from "./result.ts";
import { calm, encodeCase, type HeadJob } from "./sparf-case.ts";

/** A unit with all inputs from its testbench, and its testbenches. */
interface Subject {
  readonly name: string;
  readonly unit: Unit;
  readonly record: PortRecord;
  /** When the driven unit is done. */
  readonly until: Until<AnyUnit>;
  /** Seconds of the testbench. */
  readonly main: Probe;
  /** Seconds of a testbench that sends the recorded messages. */
  readonly replay?: Probe;
}

const maxRatio = 1.02;
/** A round takes a second, and a slow period of the machine lasts some seconds. */
const turnsPerRepeat = 3;

/** Nanoseconds per cycle under the testbenches and driven, and their ratios. */
export async function benchDriven(
  machine: NdpMachine,
  expert: ExpertShape,
  repeats: number,
): Promise<readonly BenchFigure[]> {
  const directory = temporaryDirectory("bench");
  try {
    return [
      ...(await compared(await dimm(machine, expert, directory.path), repeats)),
      ...(await compared(await engine(directory.path), repeats)),
    ];
  } finally {
    directory.remove();
  }
}

async function compared(subject: Subject, repeats: number): Promise<readonly BenchFigure[]> {
  const { name, unit, record, main, replay } = subject;
  const send = recordedSender(unit, record);
  const once = async (): Promise<number> => {
    unit.reset();
    send();
    return processorSeconds(async () => drive(subject));
  };
  const driven = async (): Promise<number> => {
    await once();
    return once();
  };
  // Not after each round: garbage of a comparison would be collected in the time of the next one.
  const compare = (): void => {
    const differences = recordDifferences(unit, record);
    if (differences.length === 0) return;
    throw new NeardataError(
      "check-failed",
      differences.map((message) => ({ where: `${name}, driven`, message })),
    );
  };
  await driven();
  compare();
  const probes: Readonly<Record<string, Probe>> = {
    main,
    driven,
    ...defined({ replay }),
  };
  const measurements = await interleave(probes, turnsPerRepeat * repeats);
  compare();
  unit.close();
  const { main: ofMain = 0, driven: ofDriven = 0, replay: ofReplay } = measurements.medians;
  const perCycle = (what: string, of: number): BenchFigure => ({
    name: `${name}, ${what}`,
    value: (1e9 * of) / record.cycles,
    unit: "ns/cycle",
  });
  const ratio = measurements.ratio("driven", "main");
  return [
    perCycle("C++ testbench", ofMain),
    ...(ofReplay === undefined ? [] : [perCycle("C++ testbench of recorded messages", ofReplay)]),
    perCycle("driven from TypeScript", ofDriven),
    {
      name: `${name} driven from TypeScript / C++ testbench, time per cycle`,
      unit: "ratio",
      ...atMost(ratio, maxRatio),
    },
  ];
}

/** All messages and results, from and in arrays of JavaScript. */
async function drive({ unit, record, until }: Subject): Promise<void> {
  await unit.run({ until, limit: record.cycles + 1 });
  takeRecorded(unit, record);
  unit.events();
}

/** The DIMM's unit with one expert. */
async function dimm(machine: NdpMachine, shape: ExpertShape, directory: string): Promise<Subject> {
  const { image } = await benchExpert(machine, shape, directory);
  const path = await buildNdpMain(machine.unit);
  const words = ["engine=rtl", "check=0", `image=${image}`, ...idealMemory.words];
  const seconds = async (...more: readonly string[]): Promise<number> =>
    secondsOf(await mainAnswer(path, [...words, ...more]));
  const file = join(directory, "dimm-record");
  await mainAnswer(path, [...words, `record=${file}`]);
  return {
    name: "dimm_ndp",
    unit: await openUnit({
      top: "dimm_ndp",
      parameters: rtlParameters(machine.unit),
      uses: ["common", "ndp"],
    }),
    record: readPortRecord(readFileSync(file), file),
    // Like the testbench, the run continues for some cycles after the end.
    until: { moved: { done: 1 }, rest: 3 },
    main: async () => seconds("skip=1"),
    replay: async () => seconds("replay=1"),
  };
}

/** The engine at its default size with heads of OPT-13B. */
async function engine(directory: string): Promise<Subject> {
  const parameters = sparfRtlParameters(sparfUnitOf());
  const path = await verilate(sparfMain(parameters));
  const [input, output] = [join(directory, "case"), join(directory, "result")];
  const file = join(directory, "engine-record");
  const jobs = headJobs();
  writeFileSync(input, encodeCase(jobs, calm, []).bytes);
  await mainAnswer(path, [input, output, "-", "-", file]);
  return {
    name: "sparf_engine",
    unit: await openUnit({
      top: "sparf_engine",
      parameters,
      uses: ["ndp_pkg.sv", "common", "sparf"],
    }),
    record: readPortRecord(readFileSync(file), file),
    until: { moved: { done: jobs.length }, outputs: { quiet_o: 1 } },
    main: async () => secondsOf(await mainAnswer(path, [input, output])),
  };
}

/** Sparse and dense heads, all of them on flash. */
function headJobs(): readonly HeadJob[] {
  const { width, length, dimsPerPage: m } = headShape;
  return headCaches().flatMap(({ queries, keys, values }, i): HeadJob[] => {
    const job = {
      queries: [lastQuery(queries)],
      cache: { width, length, keys, values },
      ...choice,
      m,
      pageBytes,
      dimFlash: length,
      tokenFlash: length,
    };
    return [
      { op: "sparse", ...job },
      { op: "sparse", ...job },
      ...(i % 2 === 0 ? [{ op: "dense", ...job } as const] : []),
    ];
  });
}

const secondsOf = ({ seconds }: MainAnswer): number => seconds;
