// SPDX-License-Identifier: Apache-2.0
// A run of RTL and netlist from equal registers, with any contents, to a cycle in which an output differs. ABC finds it
// in a graph of both. It counts if it also occurs in the two separate graphs, which are simulated here for the
// waveform.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { NeardataError } from "../../../base/errors.ts";
import { present } from "../../../base/present.ts";
import type { Outcome } from "../types.ts";
import type { Workplace } from "../workers.ts";
import {
  aigerOf,
  anyOfThem,
  defined,
  differ,
  or,
  emptyGates,
  not,
  undefinedBit,
  type Bit,
} from "./gates.ts";
import type { Named } from "./graphs.ts";
import { inStates, netlistState, rtlState, type Registers } from "./registers.ts";
import { step } from "./step.ts";
import { waveform, type Signals } from "./waveform.ts";

const names = { graph: "beside.aig", cex: "beside.cex", waveform: "trace.vcd" } as const;

interface TraceOptions {
  readonly rtl: Named;
  readonly mapped: Named;
  readonly registers: Registers;
  /** Longest run to look for. */
  readonly cycles: number;
  /** Limit of processor time. */
  readonly seconds: number;
}

/** Looks for a run of at most `cycles`, for so many seconds of processor time. */
export async function trace(
  { directory, ask }: Workplace,
  { rtl, mapped, registers, cycles, seconds }: TraceOptions,
): Promise<Outcome> {
  writeFileSync(join(directory, names.graph), besides(rtl, mapped, registers));
  const place = join(directory, names.cex);
  const command = `read_aiger ${names.graph}; strash; bmc3 -F ${cycles}; write_cex -a ${names.cex}`;
  await ask(["yosys-abc", "-c", command], seconds);
  if (!existsSync(place)) {
    return { kind: "undecided", reason: `no output differs within ${cycles} cycles` };
  }
  const frames = framesOf(readFileSync(place, "utf8"));
  const run = simulated(rtl, mapped, registers, frames);
  if (run === null) {
    throw new NeardataError("build-failed", "RTL and netlist do not differ where ABC says so");
  }
  writeFileSync(join(directory, names.waveform), waveform(run));
  for (const made of [names.graph, names.cex]) rmSync(join(directory, made));
  return { kind: "refuted", label: "Netlist", steps: frames.length, waveform: names.waveform };
}

/** A frame's bits: ports of the RTL, registers of the netlist, registers of the RTL. */
type Frame = readonly boolean[];

/** The rows after the state of the latches, which is 0. */
function framesOf(cex: string): readonly Frame[] {
  const [, ...rows] = cex
    .replace(/# DONE\s*$/, "")
    .trim()
    .split("\n");
  return rows.map((row) => Array.from(row, (bit) => bit === "1"));
}

/** Both as one graph, whose first cycle loads the registers from inputs. */
function besides(rtl: Named, mapped: Named, registers: Registers): Buffer {
  const ports = rtl.graph.inputs;
  const length = mapped.graph.latches.length;
  const shared = rtl.graph.latches.length;
  const inputs = ports + length + shared;
  // Latches: whether the first cycle is over, whether it began with state machines in a state,
  // registers of the netlist, pairs of those of the RTL.
  const latches = 2 + length + 2 * shared;
  const gates = emptyGates(inputs + latches);
  const input = (place: number): number => 2 * (1 + place);
  const latch = (place: number): number => input(inputs + place);
  const later = latch(0);
  const begins = (first: number, then: number): number =>
    or(gates, gates.and(not(later), first), gates.and(later, then));
  const first = (place: number): number => input(ports + place);
  const rtlFirst = rtlState(gates, registers, first, (i) => input(ports + length + i));
  const mappedFirst = netlistState(mapped, registers, first, rtlFirst);
  const rtlHeld = rtlFirst.map(([one, zero], i): Bit => {
    const place = 2 + length + 2 * i;
    return [begins(one, latch(place)), begins(zero, latch(place + 1))];
  });
  const mappedHeld = mappedFirst.map((literal, i) => begins(literal, latch(2 + i)));
  const next = step(gates, {
    rtl,
    mapped,
    port: input,
    rtlHolds: rtlHeld,
    mappedHolds: mappedHeld,
  });
  const inState = begins(inStates(gates, registers, first), latch(1));
  const differences = next.outputs.map((o) => differ(gates, o.rtl, o.mapped));
  const shows = gates.and(inState, anyOfThem(gates, differences));
  return aigerOf(gates, [shows], [1, inState, ...next.mapped, ...next.rtl.flat()]);
}

/**
 * The values of ports, outputs and registers by cycle; null if no output differs in the last cycle.
 */
function simulated(
  rtl: Named,
  mapped: Named,
  registers: Registers,
  frames: readonly Frame[],
): readonly Signals[] | null {
  const ports = rtl.graph.inputs;
  const length = mapped.graph.latches.length;
  const [first = []] = frames;
  const given = (frame: Frame, place: number): number => (frame[place] === true ? 1 : 0);
  const begun = (place: number): number => given(first, ports + place);
  // Gates of constants are constants: a step of them is a simulation.
  const constants = emptyGates(0);
  let rtlHeld = rtlState(constants, registers, begun, (i) => given(first, ports + length + i));
  let mappedHeld = netlistState(mapped, registers, begun, rtlHeld);
  const run = frames.map((frame) => {
    const port = (i: number): number => given(frame, i);
    const now = step(constants, { rtl, mapped, port, rtlHolds: rtlHeld, mappedHolds: mappedHeld });
    const differs = now.outputs.some((o) => differ(constants, o.rtl, o.mapped) === 1);
    const signals: Signals = {
      ports: new Map([...rtl.inputs].map(([name, i]) => [name, letter(defined(port(i)))])),
      rtl: new Map([
        ...rtl.registers.map(
          (all, i) => [present(all[0]), letter(rtlHeld[i] ?? undefinedBit)] as const,
        ),
        ...now.outputs.map((o) => [o.name, letter(o.rtl)] as const),
      ]),
      netlist: new Map([
        ...mapped.registers.map(
          (all, i) => [present(all[0]), letter(defined(present(mappedHeld[i])))] as const,
        ),
        ...now.outputs.map((o) => [o.name, letter(defined(o.mapped))] as const),
      ]),
    };
    rtlHeld = now.rtl;
    mappedHeld = now.mapped;
    return { signals, differs };
  });
  return run.at(-1)?.differs === true ? run.map(({ signals }) => signals) : null;
}

function letter([one, zero]: Bit): string {
  if (one === 1 && zero === 1) return "x";
  return one === 1 ? "1" : "0";
}
