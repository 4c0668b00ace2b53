// SPDX-License-Identifier: Apache-2.0
// The rules of a flash channel once more, from their description in sim/flash/channel.h and as plainly as
// they read: lists that are searched, no index beside them. Every channel is worked by itself.

import type { Arbitration, FlashDevice } from "../../src/flash/device.ts";

export type FlashOperation = "R" | "W" | "E";

/** A page of work; requests of a batch are seen together. */
export interface FlashRequest {
  readonly submit: number;
  readonly batch: number;
  readonly op: FlashOperation;
  readonly channel: number;
  readonly die: number;
  readonly plane: number;
  readonly block: number;
  readonly page: number;
  readonly bytes: number;
}

/** In ticks, which are nanoseconds here. */
export interface PageTimes {
  readonly command: number;
  readonly dataOut: number | null;
  readonly done: number;
  readonly planes: number;
}

/** What newer parts do with reads, each by its switch; times in ticks. */
export interface ReadFeatures {
  /** The next page is sensed while the one before leaves. */
  readonly cacheRead?: { readonly transfer: number };
  readonly independentPlanes?: boolean;
  /** In place of tR and t_rb, for pages of a block in turn. */
  readonly senseByPageType?: readonly number[];
}

/** Or a plane that works by itself. */
interface Die {
  readonly waiting: number[];
  /** Taken by the command that the die works at. */
  pages: readonly number[];
  /** Pages that have yet to leave. */
  undrained: number;
  /** Sensed behind these, and to be handed out when they have left. */
  sensed: boolean;
  busy: boolean;
  /** When it has sensed, programmed or erased. */
  until: number;
}

const never = Infinity;

/** Times of the requests of one channel, by their number. */
class ChannelModel {
  private readonly dies: Die[];
  private readonly ready: number[] = [];
  private bus: { until: number; command: boolean; die: Die; page: number } | null = null;
  private nextDie = 0;
  readonly times = new Map<number, PageTimes>();
  /** Ticks in which the bus carried either. */
  readonly use = { commands: 0, data: 0 };

  private readonly device: FlashDevice;
  private readonly arbitration: Arbitration;
  private readonly requests: readonly FlashRequest[];
  private readonly features: ReadFeatures;

  constructor(
    device: FlashDevice,
    arbitration: Arbitration,
    requests: readonly FlashRequest[],
    features: ReadFeatures,
  ) {
    this.device = device;
    this.arbitration = arbitration;
    this.requests = requests;
    this.features = features;
    const each = features.independentPlanes === true ? device.planes_per_die : 1;
    this.dies = Array.from({ length: device.dies_per_channel * each }, () => {
      return { waiting: [], pages: [], undrained: 0, sensed: false, busy: false, until: never };
    });
  }

  private die(index: number): Die {
    const die = this.dies[index];
    if (die === undefined) throw new Error(`no die ${String(index)}`);
    return die;
  }

  private dieOf(index: number): Die {
    const { die, plane } = this.request(index);
    const { independentPlanes = false } = this.features;
    return this.die(independentPlanes ? die * this.device.planes_per_die + plane : die);
  }

  private sensing({ page }: FlashRequest): number {
    const types = this.features.senseByPageType ?? [this.device.tR_ns + this.device.t_rb_ns];
    return (types[page % types.length] ?? NaN) + (this.features.cacheRead?.transfer ?? 0);
  }

  private request(index: number): FlashRequest {
    const request = this.requests[index];
    if (request === undefined) throw new Error(`no request ${String(index)}`);
    return request;
  }

  private transfer(index: number): number {
    return (this.request(index).bytes / 2) * this.device.bus_ticks_per_2_bytes;
  }

  private note(index: number, times: Partial<PageTimes>): void {
    const usual = { command: NaN, dataOut: null, done: NaN, planes: 0 };
    this.times.set(index, { ...usual, ...this.times.get(index), ...times });
  }

  nextEvent(): number {
    return Math.min(this.bus?.until ?? never, ...this.dies.map((die) => die.until));
  }

  submit(now: number, batch: readonly number[]): void {
    for (const index of batch) this.dieOf(index).waiting.push(index);
    this.giveBus(now);
  }

  step(now: number): void {
    if (this.bus?.until === now) this.endBus(now);
    for (const die of this.dies) {
      if (die.until === now) this.endDie(die, now);
    }
    this.giveBus(now);
  }

  private endBus(now: number): void {
    const { command, die, page } = this.bus ?? { command: false, die: this.die(0), page: 0 };
    this.bus = null;
    if (command) {
      const request = this.request(page);
      const { tPROG_ns, tBERS_ns = 0 } = this.device;
      die.until = now + { R: this.sensing(request), W: tPROG_ns, E: tBERS_ns }[request.op];
    } else {
      this.note(page, { done: now });
      die.undrained -= 1;
      if (die.undrained > 0) return;
      if (die.sensed) this.handOut(die);
      else if (this.features.cacheRead === undefined) die.busy = false;
    }
  }

  private handOut(die: Die): void {
    die.sensed = false;
    die.undrained = die.pages.length;
    this.ready.push(...die.pages);
    // What holds the pages is not what senses.
    if (this.features.cacheRead !== undefined) die.busy = false;
  }

  private endDie(die: Die, now: number): void {
    die.until = never;
    if (this.request(die.pages[0] ?? -1).op === "R") {
      if (die.undrained > 0) die.sensed = true;
      else this.handOut(die);
    } else {
      for (const page of die.pages) this.note(page, { done: now });
      die.busy = false;
    }
  }

  private giveBus(now: number): void {
    if (this.bus !== null) return;
    const attempts = [() => this.startData(now), () => this.startCommand(now)];
    if (this.arbitration === "cmd_first") attempts.reverse();
    attempts.some((attempt) => attempt());
  }

  private startData(now: number): boolean {
    const page = this.ready.shift();
    if (page === undefined) return false;
    const die = this.dieOf(page);
    this.note(page, { dataOut: now });
    this.bus = { until: now + this.transfer(page), command: false, die, page };
    this.use.data += this.transfer(page);
    return true;
  }

  private startCommand(now: number): boolean {
    for (let looked = 0; looked < this.dies.length; looked += 1) {
      const die = this.die(this.nextDie);
      this.nextDie = (this.nextDie + 1) % this.dies.length;
      if (die.busy || die.waiting.length === 0) continue;
      // What has been read leaves before anything is written.
      const reads = die.waiting.some((index) => this.request(index).op === "R");
      if (!reads && die.undrained > 0) continue;
      this.issue(die, now);
      return true;
    }
    return false;
  }

  /** Reads before programs before erases; a page for each plane, with the number of the oldest one. */
  private issue(die: Die, now: number): void {
    const of = (op: FlashOperation): number[] =>
      die.waiting.filter((index) => this.request(index).op === op);
    const line = [of("R"), of("W"), of("E")].find((pages) => pages.length > 0) ?? [];
    const oldest = this.request(line[0] ?? -1);
    const planes = new Set<number>();
    const taken = line.filter((index) => {
      const { op, plane, page } = this.request(index);
      const fits = op === "E" || page === oldest.page;
      if (!fits || planes.has(plane)) return false;
      planes.add(plane);
      return true;
    });
    for (const index of taken) {
      die.waiting.splice(die.waiting.indexOf(index), 1);
      this.note(index, { command: now, planes: taken.length });
    }
    const { t_cmd_read_ns, t_cmd_program_ns, t_cmd_erase_ns = {} } = this.device;
    const command = { R: t_cmd_read_ns, W: t_cmd_program_ns, E: t_cmd_erase_ns }[oldest.op];
    const loads = oldest.op === "W" ? taken.map((index) => this.transfer(index)) : [];
    const data = loads.reduce((sum, one) => sum + one, 0);
    const time = command[String(taken.length)] ?? NaN;
    die.busy = true;
    die.pages = taken;
    this.use.commands += time;
    this.use.data += data;
    this.bus = { until: now + time + data, command: true, die, page: taken[0] ?? -1 };
  }
}

export interface FlashRun {
  /** Of every request. */
  readonly times: readonly PageTimes[];
  /** Of every channel. */
  readonly busCommand: readonly number[];
  readonly busData: readonly number[];
}

/** Works requests, which are in order of submission. */
export function flashRun(
  device: FlashDevice,
  arbitration: Arbitration,
  requests: readonly FlashRequest[],
  features: ReadFeatures = {},
): FlashRun {
  const times = new Map<number, PageTimes>();
  const [busCommand, busData]: [number[], number[]] = [[], []];
  for (let c = 0; c < device.channels; c += 1) {
    const channel = new ChannelModel(device, arbitration, requests, features);
    const runUntil = (end: number): void => {
      for (let now = channel.nextEvent(); now <= end && now < never; now = channel.nextEvent()) {
        channel.step(now);
      }
    };
    for (let i = 0; i < requests.length;) {
      const { submit = 0, batch } = requests[i] ?? {};
      const mine: number[] = [];
      for (; i < requests.length && requests[i]?.batch === batch; i += 1) {
        if (requests[i]?.channel === c) mine.push(i);
      }
      runUntil(submit);
      if (mine.length > 0) channel.submit(submit, mine);
    }
    runUntil(never);
    for (const [index, time] of channel.times) times.set(index, time);
    busCommand.push(channel.use.commands);
    busData.push(channel.use.data);
  }
  const all = Array.from(requests.keys(), (i) => {
    const time = times.get(i);
    if (time === undefined) throw new Error(`request ${String(i)} never ended`);
    return time;
  });
  return { times: all, busCommand, busData };
}
