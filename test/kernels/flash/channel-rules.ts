// SPDX-License-Identifier: Apache-2.0
// The rules of a flash channel once more, from their description in sim/flash/channel.h and as plainly as
// they read: lists that are searched, no index beside them.

import type { Arbitration, FlashDevice } from "../../../src/machine/flash/device.ts";
import type { FlashFeatures, FlashOperation, FlashRequest, PageTimes } from "./flash-work.ts";

type State = "idle" | "command" | "array" | "sensed" | "draining" | "suspending";

/** A die, an independent plane, or the write unit of a die with independent planes. */
interface Unit {
  readonly die: number;
  readonly waiting: number[];
  state: State;
  op: FlashOperation;
  /** The pages of the unit's current command. */
  pages: readonly number[];
  /** Pages that have yet to leave. */
  undrained: number;
  /** When the array or a suspension is done, and which was begun first. */
  until: number;
  begun: number;
  /** When it writes since, and when it first may be suspended, unless that is over. */
  since: number;
  wake: number;
  suspended: { readonly op: FlashOperation; pages: readonly number[]; left: number } | null;
  suspensions: number;
}

export const never = Infinity;

/** Times of the requests of one channel, by their number. */
export class ChannelModel {
  private readonly units: Unit[] = [];
  private readonly ready: number[] = [];
  private bus: {
    until: number;
    use: "command" | "suspend" | "resume" | "data";
    unit: Unit;
  } | null = null;
  private leaving = -1;
  private nextUnit = 0;
  private begun = 0;
  readonly times = new Map<number, PageTimes>();
  /** Ticks in which the bus carried either. */
  readonly use = { commands: 0, data: 0 };

  private readonly device: FlashDevice;
  private readonly arbitration: Arbitration;
  private readonly requests: readonly FlashRequest[];
  private readonly features: FlashFeatures;
  private readonly independent: FlashFeatures["independentPlanes"];

  constructor(
    device: FlashDevice,
    arbitration: Arbitration,
    requests: readonly FlashRequest[],
    features: FlashFeatures,
  ) {
    this.device = device;
    this.arbitration = arbitration;
    this.requests = requests;
    this.features = features;
    const planes = device.planes_per_die;
    this.independent = planes === 1 ? undefined : features.independentPlanes;
    const each =
      this.independent === undefined ? 1 : planes + (this.independent === "reads" ? 1 : 0);
    for (let die = 0; die < device.dies_per_channel; die += 1) {
      for (let of = 0; of < each; of += 1) {
        this.units.push({
          die,
          waiting: [],
          state: "idle",
          op: "R",
          pages: [],
          undrained: 0,
          until: never,
          begun: 0,
          since: 0,
          wake: never,
          suspended: null,
          suspensions: 0,
        });
      }
    }
  }

  private unit(index: number): Unit {
    const unit = this.units[index];
    if (unit === undefined) throw new Error(`no unit ${String(index)}`);
    return unit;
  }

  private unitOf(index: number): Unit {
    const { op, die, plane } = this.request(index);
    const planes = this.device.planes_per_die;
    if (this.independent === undefined) return this.unit(die);
    if (this.independent === "all") return this.unit(die * planes + plane);
    return this.unit(die * (planes + 1) + (op === "R" ? plane : planes));
  }

  /** The units that cannot read while one of them writes. */
  private together(unit: Unit): readonly Unit[] {
    return this.independent === "reads" ? this.units.filter(({ die }) => die === unit.die) : [unit];
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
    const units = this.units.flatMap(({ until, wake }) => [until, wake]);
    return Math.min(this.bus?.until ?? never, ...units);
  }

  submit(now: number, batch: readonly number[]): void {
    for (const index of batch) this.unitOf(index).waiting.push(index);
    this.giveBus(now);
  }

  step(now: number): void {
    if (this.bus?.until === now) this.endBus(now);
    const ended = this.units.filter(({ until }) => until === now);
    for (const unit of ended.sort((a, b) => a.begun - b.begun)) this.endArray(unit, now);
    for (const unit of this.units) if (unit.wake === now) unit.wake = never;
    this.giveBus(now);
  }

  private begin(unit: Unit, until: number): void {
    this.begun += 1;
    Object.assign(unit, { until, begun: this.begun });
  }

  private write(unit: Unit, now: number, time: number): void {
    const least = this.features.suspends?.least ?? never;
    Object.assign(unit, { state: "array", since: now, wake: least < time ? now + least : never });
    this.begin(unit, now + time);
  }

  private endBus(now: number): void {
    if (this.bus === null) return;
    const { use, unit } = this.bus;
    this.bus = null;
    if (use === "data") {
      this.note(this.leaving, { done: now });
      unit.undrained -= 1;
      if (unit.undrained > 0) return;
      if (unit.state === "sensed") this.handOut(unit);
      else if (unit.state === "draining") unit.state = "idle";
    } else if (use === "suspend") {
      this.begin(unit, now + (this.features.suspends?.time ?? NaN));
    } else if (use === "resume") {
      const left = unit.suspended?.left ?? NaN;
      unit.suspended = null;
      this.write(unit, now, left);
    } else if (unit.op === "R") {
      unit.state = "array";
      this.begin(unit, now + this.sensing(this.request(unit.pages[0] ?? -1)));
    } else {
      const { tPROG_ns, tBERS_ns = 0 } = this.device;
      this.write(unit, now, unit.op === "W" ? tPROG_ns : tBERS_ns);
    }
  }

  private handOut(unit: Unit): void {
    // With cache read, the pages are in the cache register, so the array can sense again.
    unit.state = this.features.cacheRead === undefined ? "draining" : "idle";
    unit.undrained = unit.pages.length;
    this.ready.push(...unit.pages);
  }

  private endArray(unit: Unit, now: number): void {
    unit.until = never;
    if (unit.state === "suspending") {
      unit.state = "idle";
    } else if (unit.op === "R") {
      if (unit.undrained > 0) unit.state = "sensed";
      else this.handOut(unit);
    } else {
      for (const page of unit.pages) this.note(page, { done: now });
      unit.state = "idle";
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
    this.note(page, { dataOut: now });
    this.leaving = page;
    this.bus = { until: now + this.transfer(page), use: "data", unit: this.unitOf(page) };
    this.use.data += this.transfer(page);
    return true;
  }

  private startCommand(now: number): boolean {
    for (let looked = 0; looked < this.units.length; looked += 1) {
      const unit = this.unit(this.nextUnit);
      this.nextUnit = (this.nextUnit + 1) % this.units.length;
      if (this.suspends(unit, now)) return true;
      if (unit.state !== "idle") continue;
      const reads = unit.waiting.some((index) => this.request(index).op === "R");
      if (reads ? this.startRead(unit, now) : this.startWrite(unit, now)) return true;
    }
    return false;
  }

  private readsWait(unit: Unit): boolean {
    return this.together(unit).some(({ waiting }) =>
      waiting.some((index) => this.request(index).op === "R"),
    );
  }

  private suspends(unit: Unit, now: number): boolean {
    const { suspends } = this.features;
    if (suspends === undefined || unit.state !== "array" || unit.op === "R") return false;
    if (unit.until <= now || now - unit.since < suspends.least) return false;
    if (unit.suspensions === suspends.most || !this.readsWait(unit)) return false;
    unit.suspended = { op: unit.op, pages: unit.pages, left: unit.until - now };
    Object.assign(unit, { state: "suspending", until: never, wake: never });
    unit.suspensions += 1;
    this.use.commands += suspends.command;
    this.bus = { until: now + suspends.command, use: "suspend", unit };
    return true;
  }

  /** A read starts only if no other unit of the group writes. */
  private startRead(unit: Unit, now: number): boolean {
    const writes = this.together(unit).some(({ state, op }) => state !== "idle" && op !== "R");
    if (writes || !this.covers(unit, "R")) return false;
    this.issue(unit, "R", now);
    return true;
  }

  /** A write starts after all pages that were read are transferred and no read waits. */
  private startWrite(unit: Unit, now: number): boolean {
    const rests = this.together(unit).every(
      ({ state, undrained }) => state === "idle" && undrained === 0,
    );
    if (this.readsWait(unit) || !rests) return false;
    if (unit.suspended !== null) {
      const { op, pages } = unit.suspended;
      if (!this.covers(unit, op)) return false;
      Object.assign(unit, { state: "command", op, pages });
      const { command = NaN } = this.features.suspends ?? {};
      this.use.commands += command;
      this.bus = { until: now + command, use: "resume", unit };
      return true;
    }
    const op = (["W", "E"] as const).find((kind) => this.startable(unit, kind).length > 0);
    if (op === undefined || !this.covers(unit, op)) return false;
    this.issue(unit, op, now);
    return true;
  }

  /** Whether the package's current budget allows another operation with those in progress. */
  private covers(unit: Unit, op: FlashOperation): boolean {
    const { package: supply } = this.features;
    if (supply === undefined) return true;
    const of = ({ die }: Unit): number => Math.floor(die / supply.dies);
    const drawing = this.units.filter(
      (other) => of(other) === of(unit) && ["command", "array", "suspending"].includes(other.state),
    );
    const drawn = drawing.reduce((sum, other) => sum + supply.draws[other.op], 0);
    return drawn + supply.draws[op] <= supply.most;
  }

  /** Programs and erases of a block start in their order of arrival. */
  private startable(unit: Unit, op: FlashOperation): readonly number[] {
    return unit.waiting.filter((index, at) => {
      const flashRequest = this.request(index);
      if (flashRequest.op !== op) return false;
      return (
        op === "R" ||
        !unit.waiting.slice(0, at).some((other) => {
          const older = this.request(other);
          return (
            older.op !== "R" &&
            older.plane === flashRequest.plane &&
            older.block === flashRequest.block
          );
        })
      );
    });
  }

  /** A page for each plane, with the number of the oldest one. */
  private issue(unit: Unit, op: FlashOperation, now: number): void {
    const line = this.startable(unit, op);
    const oldest = this.request(line[0] ?? -1);
    const planes = new Set<number>();
    const taken = line.filter((index) => {
      const { plane, page } = this.request(index);
      const fits = op === "E" || page === oldest.page;
      if (!fits || planes.has(plane)) return false;
      planes.add(plane);
      return true;
    });
    for (const index of taken) {
      unit.waiting.splice(unit.waiting.indexOf(index), 1);
      this.note(index, { command: now, planes: taken.length });
    }
    const { t_cmd_read_ns, t_cmd_program_ns, t_cmd_erase_ns = {} } = this.device;
    const command = { R: t_cmd_read_ns, W: t_cmd_program_ns, E: t_cmd_erase_ns }[op];
    const loads = op === "W" ? taken.map((index) => this.transfer(index)) : [];
    const data = loads.reduce((sum, one) => sum + one, 0);
    const time = command[String(taken.length)] ?? NaN;
    Object.assign(unit, { state: "command", op, pages: taken });
    if (op !== "R") unit.suspensions = 0;
    this.use.commands += time;
    this.use.data += data;
    this.bus = { until: now + time + data, use: "command", unit };
  }
}
