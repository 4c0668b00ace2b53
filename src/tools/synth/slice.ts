// SPDX-License-Identifier: Apache-2.0
// Synthesizes one slice, once. The result is cached under a hash of all inputs, like Verilated
// units, and appears in the cache only when it is complete.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";

import { inputError, NeardataError } from "../../base/errors.ts";
import { cached } from "../../base/files/cache.ts";
import { inRepository, synthCacheDirectory } from "../../base/paths.ts";
import { hashOf, sourceClosure } from "../../native/compile/source-hash.ts";
import { fpgaTiming } from "./fpga-timing.ts";
import { builtInLibrary, type Library } from "./cells/liberty.ts";
import { closureOf, portsOf, withDefaults } from "./rtl-files.ts";
import {
  asicScript,
  files,
  instancesScript,
  mappingScript,
  type Memories,
  type ScriptSource,
  xc7Script,
  xc7TimingScript,
} from "./scripts.ts";
import { abcPath, findOpenSta, openStaPath } from "./timing.ts";
import type { Box, Instance, Parameters, Slice } from "../../machine/slices.ts";
import { separateModules } from "./units.ts";
import { findYosys, type Yosys } from "./yosys.ts";

/** The tools and settings of synthesis. */
export interface Flow {
  readonly yosys: Yosys;
  /** Version of OpenSTA, or null. */
  readonly openSta: string | null;
  /** Null for an FPGA. */
  readonly library: Library | null;
  /** Files to read in place of the repository's, by module. */
  readonly replaced: Readonly<Record<string, string>>;
  /** Modules that are always separate slices. */
  readonly separately: readonly string[];
  /** Memories of a chip; on an FPGA memories are block RAMs. */
  readonly memories: Memories;
}

/**
 * The tools of this machine; `more` are further modules that are separate slices.
 * @throws NeardataError `tool-missing`
 */
export async function findFlow(
  library: Library | null,
  replaced: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
): Promise<Flow> {
  const yosys = await findYosys();
  const openSta = findOpenSta();
  return {
    yosys,
    openSta,
    library,
    replaced,
    separately: [...separateModules, ...more],
    memories: "macros",
  };
}

/** Names and versions of the tools, as a report has them. */
export function toolsOf({ yosys, openSta }: Flow): readonly string[] {
  return [yosys.version, ...(openSta === null ? [] : [`OpenSTA ${openSta}`])];
}

/**
 * The slice, from the cache if possible. Modules of `separately` are left out and listed.
 * @throws NeardataError `build-failed`, `bad-input`
 */
export async function synthesizeSlice(
  flow: Flow,
  instance: Instance,
  separately: readonly string[],
): Promise<Slice> {
  const { sources, stubs, named, lay } = sourcesOf(flow, instance, separately);
  const { module: top, parameters } = instance;
  const tools = [flow.yosys.version, flow.library === null ? null : flow.openSta];
  const timing = flow.library === null ? [xc7TimingScript, readFileSync(lutRamDelays, "utf8")] : [];
  const ports = stubs.map(portsOf);
  const made = async (script: string, mapper: string): Promise<Slice | null> => {
    const key = {
      script,
      ports,
      mappingScript,
      timing,
      tools,
      library: flow.library?.text ?? null,
      parameters,
    };
    const hash = hashOf(key, sources).slice(0, 24);
    const place = await cached(synthCacheDirectory(), `${top}-${hash}`, async (work) => {
      lay(work);
      await make(flow, instance, { script, mapper }, work);
      return work;
    });
    if (existsSync(join(place, abortFile))) return null;
    const slice = JSON.parse(readFileSync(join(place, "slice.json"), "utf8")) as object;
    return { mapper, ...slice, netlist: join(place, files.netlist) } as Slice;
  };
  if (flow.library !== null) {
    const slice = await made(asicScript(top, named, flow.library, flow.memories), "ABC");
    if (slice !== null) return slice;
  }
  // A failure of ABC9 is cached under the hash of its script, and ABC's result under that of its
  // own script.
  const slice =
    (await made(xc7Script(top, named, "ABC9"), "ABC9")) ??
    (await made(xc7Script(top, named, "ABC"), "ABC, as ABC9 aborted"));
  if (slice === null) throw new NeardataError("build-failed", `${top}: no mapper`);
  return slice;
}

/** An instance in a slice that is a separate slice or memory. */
export interface Standing extends Instance {
  /** Name of the instance in the slice: ports of the mapped netlist begin with it and a dot. */
  readonly name: string;
}

/**
 * The instances in a slice of every module of `flow.separately`, and of every memory macro.
 * @throws NeardataError `build-failed`, `bad-input`
 */
export async function instancesIn(flow: Flow, instance: Instance): Promise<readonly Standing[]> {
  const { sources, stubs, named, lay } = sourcesOf(flow, instance, flow.separately);
  if (stubs.length === 0) return [];
  const { module: top, parameters } = instance;
  const script = instancesScript(top, named, flow.library === null ? "cells" : flow.memories);
  const key = { script, ports: stubs.map(portsOf), tools: flow.yosys.version, parameters };
  const name = `${top}-instances-${hashOf(key, sources).slice(0, 24)}`;
  const place = await cached(synthCacheDirectory(), name, async (work) => {
    lay(work);
    await flow.yosys.run(script, work);
    const instances = readInstances(join(work, files.boxes), top);
    const instancesFile = join(work, "instances.json");
    writeFileSync(instancesFile, JSON.stringify(instances));
    return instancesFile;
  });
  return JSON.parse(readFileSync(place, "utf8")) as readonly Standing[];
}

/** Files that Yosys reads for a slice. */
interface SliceSources {
  readonly sources: readonly string[];
  /** Files of which only the ports are used. */
  readonly stubs: readonly string[];
  readonly named: readonly ScriptSource[];
  /** Writes them into a directory. */
  readonly lay: (work: string) => void;
}

function sourcesOf(flow: Flow, instance: Instance, separately: readonly string[]): SliceSources {
  const closure = closureOf(instance.module, separately, flow.replaced);
  const stubs = closure.filter((f) => f.stub).map((f) => f.path);
  const whole = closure.filter((f) => !f.stub).map((f) => f.path);
  const sources = sourceClosure(whole, [inRepository("rtl", "include")]);
  const moduleFile = closure.at(-1)?.path ?? "";
  return {
    sources,
    stubs,
    named: closure.map(({ path, stub }) => ({ name: basename(path), stub })),
    lay: (work) => {
      copy(work, sources, stubs);
      // Yosys 0.23 loses some tops with parameters of -chparam.
      writeFileSync(
        join(work, basename(moduleFile)),
        withDefaults(moduleFile, instance.parameters),
      );
    },
  };
}

/** Delays of an FPGA's memories of look-up tables. */
const lutRamDelays = inRepository("synth", files.delays);

/** Written instead of a slice: the reason of the failure. */
const abortFile = "aborted.txt";

/** Whether Yosys aborted during ABC9 or its preparation. */
function abortedInAbc9(work: string, error: unknown): boolean {
  if (/signal SIG(TERM|KILL|INT)/.test(String(error))) return false;
  const log = readFileSync(join(work, files.log), "utf8");
  const pass = [...log.matchAll(/^[\d.]+ Executing (\S+)/gm)].at(-1)?.[1] ?? "";
  return /ABC9|AIGER/.test(pass);
}

/** ABC9 may fail in its last step, with the netlist of the step before already written. */
function mapperOf(mapper: string, work: string): string {
  const log = readFileSync(join(work, files.log), "utf8");
  return /^Warning: ABC: execution of command/m.test(log) ? `${mapper}, without its &mfs` : mapper;
}

function copy(work: string, sources: readonly string[], stubs: readonly string[]): void {
  for (const path of sources) writeFileSync(join(work, basename(path)), readFileSync(path));
  for (const path of stubs) writeFileSync(join(work, basename(path)), portsOf(path));
}

async function make(
  flow: Flow,
  instance: Instance,
  { script, mapper }: { readonly script: string; readonly mapper: string },
  work: string,
): Promise<void> {
  const { library } = flow;
  const place = (name: string): string => join(work, name);
  if (library === null) {
    writeFileSync(place(files.delays), readFileSync(lutRamDelays));
  } else {
    writeFileSync(place(files.library), library.text);
    writeFileSync(place(files.constraints), `set_driving_cell ${library.buffer}\nset_load 4\n`);
    writeFileSync(place(files.mapping), mappingScript);
  }
  try {
    await flow.yosys.run(script, work);
  } catch (error) {
    if (library !== null) throw refusalOf(library, error);
    if (mapper !== "ABC9" || !abortedInAbc9(work, error)) throw error;
    writeFileSync(place(abortFile), `${String(error)}\n`);
    return;
  }
  const slice: Omit<Slice, "netlist"> = {
    ...instance,
    target: library === null ? "xc7" : "asic",
    cells: readCounts(place(files.counts), instance.module),
    boxes: readBoxes(place(files.boxes), instance.module),
    mapper: mapperOf(mapper, work),
    ...(library === null
      ? await fpgaTiming(flow.yosys, work)
      : {
          path:
            flow.openSta === null
              ? abcPath(work)
              : await openStaPath(work, instance.module, library),
          memoryRead: null,
        }),
  };
  writeFileSync(place("slice.json"), JSON.stringify(slice, null, 2));
  const { library: cells, boxes, delays, bits, mapped, feeding } = files;
  const passing = [cells, boxes, delays, bits, mapped, feeding];
  await Promise.all(passing.map((name) => rm(place(name), { force: true })));
}

/** An error for a library of the user that Yosys rejects: the user must fix it. */
function refusalOf(library: Library, error: unknown): unknown {
  const message = /^ERROR: (.*(?:liberty|library|cell|ABC).*)$/im.exec(String(error))?.[1];
  if (message === undefined || library.path === builtInLibrary()) return error;
  return inputError(
    library.path,
    `Yosys does not take the library: ${message.slice(0, 200)}`,
    error,
  );
}

interface Counts {
  readonly modules: Readonly<Record<string, { num_cells_by_type: Record<string, number> }>>;
}

function readCounts(path: string, top: string): Slice["cells"] {
  const { modules } = JSON.parse(readFileSync(path, "utf8")) as Counts;
  return modules[`\\${top}`]?.num_cells_by_type ?? {};
}

interface BoxesFile {
  readonly modules: Readonly<
    Record<
      string,
      {
        readonly cells: Readonly<Record<string, { readonly type: string }>>;
        readonly parameter_default_values?: Readonly<Record<string, string>>;
      }
    >
  >;
}

/** The cells that are not primitives. */
function readInstances(path: string, top: string): readonly Standing[] {
  const { modules } = JSON.parse(readFileSync(path, "utf8")) as BoxesFile;
  return Object.entries(modules[top]?.cells ?? {}).flatMap(([name, { type }]) => {
    if (!(type in modules)) return [];
    // A module with parameters is called $paramod...\name, or $paramod\name\parameters.
    const module = type.startsWith("$") ? (type.split("\\")[1] ?? type) : type;
    return [
      { name, module, parameters: parametersOf(modules[type]?.parameter_default_values ?? {}) },
    ];
  });
}

/** The same with equal ones counted. */
function readBoxes(path: string, top: string): readonly Box[] {
  const boxes = new Map<string, Box>();
  for (const { module, parameters } of readInstances(path, top)) {
    const key = JSON.stringify([module, parameters]);
    boxes.set(key, { module, parameters, count: (boxes.get(key)?.count ?? 0) + 1 });
  }
  return [...boxes.values()];
}

function parametersOf(parameters: Readonly<Record<string, string>>): Parameters {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, bits]) => [name, parseInt(bits, 2)]),
  );
}
