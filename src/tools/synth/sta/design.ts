// SPDX-License-Identifier: Apache-2.0
// The mapped netlists of the slices of a unit, linked: every instance of a slice, with its ports joined
// to those of the surrounding slice. Nets of all instances are numbered in one range.

import { readFileSync } from "node:fs";

import { NeardataError } from "../../../base/errors.ts";
import { present } from "../../../base/present.ts";
import { parseMapped, type MappedNetlist } from "../gates/gate-netlist.ts";
import { isMemory } from "../../../machine/memories/memory.ts";
import { instancesIn, synthesizeSlice, type Flow, type Standing } from "../slice.ts";
import type { Instance } from "../../../machine/slices.ts";
import { piecesOf } from "../units.ts";

/** The netlist of a slice, which all its instances share. */
export interface SliceNetlist extends Instance {
  readonly netlist: MappedNetlist;
}

/** A slice at its place in the unit. */
export interface LinkedInstance {
  /** Names from the top, with dots between; empty for the top. */
  readonly path: string;
  readonly slice: SliceNetlist;
  /** The nets of the slice are those of its netlist plus this. */
  readonly firstNet: number;
}

/** Pins of a memory macro. */
export interface LinkedMemory {
  readonly path: string;
  readonly module: string;
  /** Nets of its data outputs, and of its other pins. */
  readonly outputs: readonly number[];
  readonly inputs: readonly number[];
}

export interface LinkedDesign {
  readonly instances: readonly LinkedInstance[];
  readonly memories: readonly LinkedMemory[];
  readonly nets: number;
  /** The representative of a net: joined nets have one. */
  readonly netOf: (net: number) => number;
  /** Nets, by their representative, that go from one slice to another or to a memory. */
  readonly isBetween: (net: number) => boolean;
}

/** Ports of an instance, with the nets of the enclosing slice. */
type Ports = (port: string) => readonly number[] | undefined;

/** The source of slices. */
export interface SliceSource {
  readonly netlistOf: (slice: Instance) => Promise<MappedNetlist>;
  readonly instancesIn: (slice: Instance) => Promise<readonly Standing[]>;
}

/** Slices as a flow makes them. */
export function slicesOf(flow: Flow): SliceSource {
  return {
    netlistOf: async (slice) => {
      const { netlist } = await synthesizeSlice(flow, slice, flow.separately);
      return parseMapped(readFileSync(netlist, "utf8"), slice.module);
    },
    instancesIn: (slice) => instancesIn(flow, slice),
  };
}

/**
 * Links a unit.
 * @throws NeardataError `build-failed`, `bad-input`; `check-failed` where ports do not fit.
 */
export async function linkDesign(source: SliceSource, top: Instance): Promise<LinkedDesign> {
  const builder = new Builder(source);
  await builder.place(top, "", () => undefined);
  return builder.design();
}

/** A slice with its sub-instances, and the nets of their ports. */
interface PlacedSlice {
  readonly slice: SliceNetlist;
  readonly inside: readonly (Standing & { readonly ports: PortNets })[];
}

/** Nets of a slice by port of an instance in it, and whether the instance drives them. */
type PortNets = ReadonlyMap<string, { readonly nets: readonly number[]; readonly driven: boolean }>;

class Builder {
  readonly #source: SliceSource;
  readonly #slices = new Map<string, Promise<PlacedSlice>>();
  readonly #instances: LinkedInstance[] = [];
  readonly #memories: LinkedMemory[] = [];
  /** Pairs of nets that are one. */
  readonly #joints: number[] = [];
  #nets = 0;

  constructor(source: SliceSource) {
    this.#source = source;
  }

  /** Adds an instance with all sub-instances; `outside` has the nets of its ports. */
  async place(instance: Instance, path: string, outside: Ports): Promise<void> {
    const { instance: piece, count } = piecesOf(instance);
    const placed = await this.#sliceOf(piece);
    const { outputs } = placed.slice.netlist;
    for (let copy = 0; copy < count; copy += 1) {
      const name = count === 1 ? path : `${path}[${copy}]`;
      await this.#placeCopy(placed, name, (port, width) => {
        const nets = outside(port);
        if (nets === undefined) return undefined;
        const parts = partsOf(nets.length, width, `${path}.${port}`);
        // Copies agree on an output that they share: one of them drives it.
        if (copy >= parts && outputs.has(port)) return undefined;
        const from = (copy % parts) * width;
        return nets.slice(from, from + width);
      });
    }
  }

  async #placeCopy(
    { slice, inside: standing }: PlacedSlice,
    path: string,
    outside: (port: string, width: number) => readonly number[] | undefined,
  ): Promise<void> {
    const firstNet = this.#nets;
    const { netlist } = slice;
    this.#instances.push({ path, slice, firstNet });
    this.#nets += netlist.nets;
    for (const [port, nets] of [...netlist.inputs, ...netlist.outputs]) {
      outside(port, nets.length)?.forEach((net, i) => {
        this.#joints.push(firstNet + present(nets[i]), net);
      });
    }
    for (const { name, module, parameters, ports } of standing) {
      const inside = path === "" ? name : `${path}.${name}`;
      const globally = (nets: readonly number[]): readonly number[] =>
        nets.map((net) => firstNet + net);
      if (isMemory(module)) {
        const pins = (driven: boolean): readonly number[] =>
          [...ports].flatMap(([port, pin]) =>
            pin.driven === driven && port !== "clk_i" ? globally(pin.nets) : [],
          );
        this.#memories.push({ path: inside, module, outputs: pins(true), inputs: pins(false) });
        continue;
      }
      await this.place({ module, parameters }, inside, (port) => {
        const nets = ports.get(port)?.nets;
        return nets === undefined ? undefined : globally(nets);
      });
    }
  }

  #sliceOf(instance: Instance): Promise<PlacedSlice> {
    const key = JSON.stringify(instance);
    const known = this.#slices.get(key);
    if (known !== undefined) return known;
    const made = this.#make(instance);
    this.#slices.set(key, made);
    return made;
  }

  async #make(instance: Instance): Promise<PlacedSlice> {
    const netlist = await this.#source.netlistOf(instance);
    const standing = await this.#source.instancesIn(instance);
    const inside = standing.map((one) => ({ ...one, ports: portsOf(netlist, one.name) }));
    return { slice: { ...instance, netlist }, inside };
  }

  design(): LinkedDesign {
    const parent = Int32Array.from({ length: this.#nets }, (_, net) => net);
    const netOf = (net: number): number => {
      let at = net;
      for (let next = parent[at] ?? at; next !== at; next = parent[at] ?? at) {
        parent[at] = parent[next] ?? next;
        at = next;
      }
      return at;
    };
    for (let i = 0; i < this.#joints.length; i += 2) {
      const [one, other] = [netOf(present(this.#joints[i])), netOf(present(this.#joints[i + 1]))];
      parent[one] = other;
    }
    const between = new Uint8Array(this.#nets);
    for (const net of this.#joints) between[netOf(net)] = 1;
    for (const { inputs, outputs } of this.#memories) {
      for (const net of [...inputs, ...outputs]) between[netOf(net)] = 1;
    }
    return {
      instances: this.#instances,
      memories: this.#memories,
      nets: this.#nets,
      netOf,
      isBetween: (net) => between[net] === 1,
    };
  }
}

/** The ports of an instance in a slice: ports of the slice, `instance.port`, as synthesis leaves them. */
function portsOf({ inputs, outputs }: MappedNetlist, name: string): PortNets {
  const prefix = `${name}.`;
  const exposed = (
    all: MappedNetlist["inputs"],
    driven: boolean,
  ): readonly (readonly [string, { nets: readonly number[]; driven: boolean }])[] =>
    [...all].flatMap(([port, nets]) =>
      port.startsWith(prefix) ? [[port.slice(prefix.length), { nets, driven }] as const] : [],
    );
  return new Map([...exposed(inputs, true), ...exposed(outputs, false)]);
}

/**
 * Number of parts into which a port is split for copies of a slice: one if all copies share it.
 * Consecutive copies use consecutive parts, cyclically if there are fewer parts.
 */
function partsOf(outside: number, inside: number, port: string): number {
  const parts = outside / inside;
  if (Number.isInteger(parts)) return parts;
  const message = `the port has ${outside} bits outside and ${inside} inside the slice.`;
  throw new NeardataError("check-failed", [{ where: port, message }]);
}
