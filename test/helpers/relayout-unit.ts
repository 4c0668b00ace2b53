// SPDX-License-Identifier: Apache-2.0
// What is round the relayout unit in RTL: streams that answer in any order, links, a director.

import type { Unit } from "../../src/rtl/index.ts";

/** A burst of a packet, with the 12 bytes of the packet's header, the first one lowest. */
export interface Flit {
  readonly header: bigint;
  readonly data: bigint;
  readonly last: number;
}

/** The fields of a header on the wires: byte offset and size. */
const headerFields = {
  target: [0, 1],
  stream: [1, 1],
  flow: [2, 2],
  payload: [4, 2],
  sequence: [6, 2],
  burst: [8, 4],
} as const;
type HeaderField = keyof typeof headerFields;

function headerOf(values: Readonly<Record<HeaderField, number>>): bigint {
  return (Object.keys(headerFields) as HeaderField[]).reduce(
    (all, name) => all | (BigInt(values[name]) << BigInt(8 * headerFields[name][0])),
    0n,
  );
}

function fieldOf({ header }: Flit, name: HeaderField): number {
  const [at, size] = headerFields[name];
  return Number((header >> BigInt(8 * at)) & ~(~0n << BigInt(8 * size)));
}

export interface Run {
  readonly flow: number;
  readonly from: number;
  readonly from_burst: number;
  readonly to_dimm: number;
  readonly to_stream: number;
  readonly to_burst: number;
  readonly bursts: number;
}

export interface RelayoutUnit {
  parameters: "Streams" | "Packets" | "Flows" | "Ways";
  streams: {
    run: { direction: "in"; message: Run };
    expect: { direction: "in"; message: { flow: number; bursts: number } };
    end: { direction: "out"; message: { flow: number } };
    read: { direction: "out"; message: { tag: number; burst: number } };
    rsp: { direction: "in"; message: { tag: number; data: bigint } };
    write: { direction: "out"; message: { flow: number; burst: number; data: bigint } };
    written: { direction: "in"; message: { flow: number } };
    link_out: { direction: "out"; message: Flit };
    link_in: { direction: "in"; message: Flit };
  };
  inputs: { dimm_i: number };
  outputs: { events_o: number };
}

/** The DIMM of the unit, where a test names no other. */
export const testedDimm = 3;
export const packetBursts = 4;

/** The initial contents of a burst of a stream of this DIMM. */
export function bytesAt(stream: number, burst: number): bigint {
  const word = (BigInt(stream + 1) << 32n) | BigInt(burst);
  return Array.from(
    { length: 8 },
    (_, i) => (word * 0x9e3779b97f4a7c15n + BigInt(i)) & ~(~0n << 64n),
  ).reduce((all, part, i) => all | (part << BigInt(64 * i)), 0n);
}

/** The packets that runs become, in order: bursts of a run by fours, each with its header. */
export function packetsOf(
  runs: readonly Run[],
  bytes: (run: Run, index: number) => bigint = (run, i) => bytesAt(run.from, run.from_burst + i),
): readonly (readonly Flit[])[] {
  return runs.flatMap((run) =>
    Array.from({ length: Math.ceil(run.bursts / packetBursts) }, (_, p) => {
      const first = p * packetBursts;
      const size = Math.min(packetBursts, run.bursts - first);
      return Array.from({ length: size }, (__, b): Flit => ({
        header: headerOf({
          target: run.to_dimm,
          stream: run.to_stream,
          flow: run.flow,
          payload: 64 * size,
          sequence: 0,
          burst: run.to_burst + first,
        }),
        data: bytes(run, first + b),
        last: Number(b === size - 1),
      }));
    }),
  );
}

export interface Write {
  readonly stream: number;
  readonly flow: number;
  readonly burst: number;
  readonly data: bigint;
}

/** The writes of packets. */
export function writesOf(packets: readonly (readonly Flit[])[]): readonly Write[] {
  return packets.flatMap((flits) =>
    flits.map((flit, i) => ({
      stream: fieldOf(flit, "stream"),
      flow: fieldOf(flit, "flow"),
      burst: fieldOf(flit, "burst") + i,
      data: flit.data,
    })),
  );
}

export interface Moved {
  readonly writes: readonly Write[];
  readonly linked: readonly Flit[];
  readonly ended: readonly number[];
}

export interface Moves {
  /** The DIMM of the unit. */
  readonly dimm: number;
  readonly runs: readonly Run[];
  readonly arriving: readonly (readonly Flit[])[];
}

/**
 * Sends runs and packets of links, answers reads in an order that `random` determines, and reports
 * every write as done, until the expected writes, flits and ends have arrived.
 */
export async function moveAll(
  unit: Unit<RelayoutUnit>,
  { dimm, runs, arriving }: Moves,
  random: (below: number) => number,
  waveform?: string,
): Promise<Moved> {
  const { run, expect, end, read, rsp, write, written, link_out, link_in } = unit.streams;
  const packets = packetsOf(runs.filter(({ to_dimm }) => to_dimm === dimm));
  const coming = writesOf(packets).map(({ flow }) => flow);
  const flows = [...coming, ...arriving.flat().map((flit) => fieldOf(flit, "flow"))];
  const expected = [...new Set(flows)].map((flow) => ({
    flow,
    bursts: flows.filter((one) => one === flow).length,
  }));
  unit.set({ dimm_i: dimm });
  expect.send(expected);
  await unit.run({ until: { moved: { expect: expected.length } }, waveform });
  run.send(runs);
  // Packets round-robin over the input ports of the links.
  for (let lane = 0; lane < link_in.lanes; lane += 1) {
    link_in.send(arriving.filter((_, p) => p % link_in.lanes === lane).flat(), { lane });
  }
  const leaving = runs.filter(({ to_dimm }) => to_dimm !== dimm);
  const flits = leaving.reduce((sum, { bursts }) => sum + bursts, 0);
  const lanes = Array.from({ length: read.lanes }, (_, lane) => ({ lane, asked: 0, done: 0 }));
  const waiting = lanes.map((): { tag: number; data: bigint }[] => []);
  for (let turn = 0; turn < 5000; turn += 1) {
    await unit.run({ cycles: 1 + random(6) });
    for (const one of lanes) {
      const { lane } = one;
      const asked = read.taken({ lane });
      for (const { tag, burst } of asked.slice(one.asked)) {
        waiting[lane]?.push({ tag, data: bytesAt(lane, burst) });
      }
      one.asked = asked.length;
      const own = waiting[lane] ?? [];
      for (let n = random(own.length + 1); n > 0; n -= 1) {
        rsp.send(own.splice(random(own.length), 1), { lane });
      }
      const done = write.taken({ lane });
      written.send(
        done.slice(one.done).map(({ flow }) => ({ flow })),
        { lane },
      );
      one.done = done.length;
    }
    const count = lanes.reduce((sum, { done }) => sum + done, 0);
    if (count < flows.length || link_out.movedAt().length < flits) continue;
    if (end.movedAt().length === expected.length) break;
  }
  await unit.run({ cycles: 40 });
  return {
    writes: lanes.flatMap(({ lane }) =>
      write.taken({ lane }).map((one) => ({ ...one, stream: lane })),
    ),
    linked: link_out.taken(),
    ended: end.taken().map(({ flow }) => flow),
  };
}
