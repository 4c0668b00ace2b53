// SPDX-License-Identifier: Apache-2.0
// Opens a unit and drives its ports in batches: sent messages wait here until the next run.

import { defined } from "../base/defined.ts";
import { checkArguments } from "../base/entry.ts";
import { inputError, NeardataError } from "../base/errors.ts";
import { disposal } from "../base/disposal.ts";
import { loadAddon } from "../native/addon.ts";
import { controlledRun } from "../native/controlled-run.ts";
import type { Native } from "../native/layout.ts";
import { buildAnyUnit, tablesOf } from "../native/unit/any-unit.ts";
import { lanesOf, type LaneQueue } from "./lanes.ts";
import { runOptions } from "./options.ts";
import { portsOf, wordsOfPorts, type PortBank } from "./ports.ts";
import { buildOf } from "./source.ts";
import { streamsOf } from "./streams.ts";
import type {
  AnyUnit,
  Shape,
  Unit,
  UnitMessage,
  UnitOptions,
  UnitRunOptions,
  Until,
  WaveformOptions,
} from "./types.ts";

const defaultLimit = 1_000_000;
const maxCycles = 2 ** 53 - 1;

/**
 * Builds the unit, if the cache lacks it, and opens it after its reset. With the type that `neardata
 * types` writes, names of streams, ports, fields and parameters are checked by the compiler.
 * @throws NeardataError `bad-input` with every problem of the sources and ports, `build-failed`,
 * `tool-missing`
 */
export async function openUnit<T extends Shape = AnyUnit>(
  options: UnitOptions<T["parameters"]>,
): Promise<Unit<T>> {
  const { seed = 0, assertions = true, onMessage } = options;
  const build = {
    ...buildOf(options),
    ...defined({
      drawnContents: seed === 0 ? undefined : true,
      assertions: assertions ? undefined : false,
    }),
  };
  const tables = await tablesOf(build);
  const { top } = tables.ports;
  const lanes = lanesOf(tables);
  const ports = portsOf(tables);
  const plugin = await buildAnyUnit(build);
  const addon = loadAddon();
  const handle = addon.unitOpen({
    plugin,
    name: top,
    seed,
  });
  let cycle = 0;
  let open = true;
  let running = false;
  let lost = false;

  const idle = (): void => {
    if (lost) throw new NeardataError("misuse", `a run of the unit ${top} never ended`);
    if (!open) throw new NeardataError("misuse", `the unit ${top} is closed`);
    if (running) throw new NeardataError("misuse", `the unit ${top} is running`);
  };

  const run = async (asked: UnitRunOptions<T>): Promise<number> => {
    checkArguments(`${top}.run`, { options: runOptions }, [asked]);
    idle();
    const begun = cycle;
    const request = requestOf(asked, { top, lanes, ports, cycle });
    running = true;
    try {
      const result = await controlledRun(
        async (progress) => addon.unitRun(handle, request, progress),
        {
          cancel: () => {
            addon.unitCancel(handle);
          },
          abandon: () => {
            lost = addon.unitAbandon(handle);
          },
        },
        (now) => asked.onProgress?.(now),
        asked.signal,
      );
      cycle = result.cycle;
      for (const taken of result.lanes) lanes[taken.lane]?.add(taken);
      ports.see(result.outputs, result.strobes);
      tellMessages(result, onMessage);
      rejectFault(result, top);
      if (asked.until !== undefined && !result.reached) throw notReached(top, asked, lanes);
      return cycle - begun;
    } catch (error) {
      throw lost ? neverEnds(top, begun, error) : error;
    } finally {
      running = false;
    }
  };

  const close = (): void => {
    if (!open) return;
    if (!lost) idle();
    open = false;
    addon.unitClose(handle);
  };

  return {
    top,
    parameters: tables.ports.parameters,
    streams: streamsOf(tables, lanes) as never,
    set: (values) => {
      ports.set(values);
    },
    outputs: () => ports.outputs(),
    events: () => ports.events(),
    cycle: () => cycle,
    run,
    reset: (to = seed) => {
      idle();
      addon.unitReset(handle, to);
      cycle = 0;
      ports.clear();
      for (const lane of lanes) lane.clear();
    },
    close,
    ...disposal(close),
  };
}

interface Present {
  readonly top: string;
  readonly lanes: readonly LaneQueue[];
  readonly ports: PortBank;
  readonly cycle: number;
}

function requestOf<T extends Shape>(
  asked: UnitRunOptions<T>,
  { top, lanes, ports, cycle }: Present,
): Native<"UnitRun"> {
  const { cycles, until, limit, waveform } = asked;
  if ((cycles === undefined) === (until === undefined)) {
    const message = "a run has either a number of cycles or what it runs until.";
    throw new NeardataError("bad-input", [{ where: `${top}.run`, message }]);
  }
  const most = cycles ?? limit ?? defaultLimit;
  if (!Number.isInteger(most) || most < 1 || most > maxCycles) {
    const where = `${top}.run: ${cycles === undefined ? "limit" : "cycles"}`;
    throw new NeardataError("bad-input", [
      { where, message: `${String(most)} is no number of cycles.` },
    ]);
  }
  return {
    cycles: most,
    sends: lanes.flatMap((lane) => lane.sends()),
    pauses: lanes.flatMap((lane) => lane.pauses()),
    answers: lanes.flatMap((lane) => lane.answers()),
    sets: ports.sets(),
    ...endOf(top, until, lanes, ports),
    ...(waveform === undefined ? {} : { waveform: waveformOf(waveform, cycle, most) }),
  };
}

function endOf<T extends Shape>(
  top: string,
  until: Until<T> | undefined,
  lanes: readonly LaneQueue[],
  ports: PortBank,
): Pick<Native<"UnitRun">, "counts" | "words" | "seen" | "rest"> {
  const lanesNamed = (
    key: string,
    stream: string,
    direction?: string,
  ): readonly [LaneQueue, ...LaneQueue[]] => {
    const [first, ...others] = lanes.filter(({ stream: of }) => {
      return of.name === stream && (direction === undefined || of.direction === direction);
    });
    if (first !== undefined) return [first, ...others];
    const message = `there is no ${direction ?? ""} stream ${stream}.`.replace("  ", " ");
    throw inputError(`${top}.run: until.${key}`, message);
  };
  const moved: Readonly<Record<string, number | undefined>> = { ...until?.moved };
  const counts = Object.entries(moved).map(([stream, count = 0]) => {
    const [first, ...others] = lanesNamed("moved", stream);
    return { lane: first.number, lanes: 1 + others.length, count };
  });
  const asked: Readonly<Record<string, unknown>> = { ...until?.seen };
  const seen = Object.entries(asked).map(([stream, values]) => {
    const [first, ...others] = lanesNamed("seen", stream, "output");
    if (others.length > 0) {
      throw inputError(
        `${top}.run: until.seen`,
        `${stream} has lanes; count its messages instead.`,
      );
    }
    const isMessage = typeof values === "object" && values !== null;
    const fields = isMessage ? values : { "": values };
    return { lane: first.number, words: wordsOfPorts(`${top}.${stream}`, first.fields, fields) };
  });
  const { rest } = until ?? {};
  return {
    counts,
    seen,
    words: ports.expected(until?.outputs ?? {}),
    ...defined({ rest }),
  };
}

function waveformOf(
  asked: string | WaveformOptions,
  cycle: number,
  cycles: number,
): Native<"Waveform"> {
  const options: WaveformOptions = typeof asked === "string" ? { path: asked } : asked;
  const { path, from = cycle, to = cycle + cycles } = options;
  return { path, from, to };
}

function rejectFault(result: Native<"UnitResult">, top: string): void {
  const { fault, place, message, faultCycle } = result;
  if (fault === "none") return;
  if (fault === "cancelled") throw new NeardataError("cancelled", `the run of ${top} was stopped`);
  const code = fault === "bad-config" ? "bad-input" : "check-failed";
  const text = code === "bad-input" ? message : `${message} (cycle ${String(faultCycle)})`;
  throw new NeardataError(code, [{ where: place, message: text }]);
}

/** Of a run that was stopped within a cycle that does not end. */
function neverEnds(top: string, begun: number, cause: unknown): NeardataError {
  const message =
    `the run of ${top}, from cycle ${String(begun)} on, was stopped in a cycle that does not end: ` +
    "a loop in its RTL, or a function that it imports; its thread goes on until the process ends.";
  return new NeardataError("cancelled", message, { cause });
}

/** Passes the printed lines of the RTL on. The last line counts the lines that were dropped. */
function tellMessages(
  { messages, lostMessages, cycle }: Native<"UnitResult">,
  onMessage: ((message: UnitMessage) => void) | undefined,
): void {
  for (const message of messages) onMessage?.(message);
  if (lostMessages > 0) onMessage?.({ text: `neardata: ${lostMessages} lines more`, cycle });
}

function notReached<T extends Shape>(
  top: string,
  { limit = defaultLimit }: UnitRunOptions<T>,
  lanes: readonly LaneQueue[],
): NeardataError {
  const waiting = lanes
    .filter((lane) => lane.waiting() > 0)
    .map((lane) => `${String(lane.waiting())} messages wait in front of ${lane.stream.name}`);
  const moved = lanes
    .filter((lane) => lane.stream.direction === "output")
    .map((lane) => `${lane.stream.name} gave ${String(lane.count())}`);
  const state = [...waiting, ...moved].join(", ");
  const message = `what the run was to run until did not come within ${String(limit)} cycles: ${state}.`;
  return new NeardataError("check-failed", [{ where: top, message }]);
}
