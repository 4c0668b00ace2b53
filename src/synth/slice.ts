// SPDX-License-Identifier: Apache-2.0
// Synthesizes one slice, once: what was made is kept under a hash of everything that went into it,
// as the Verilated units are, and appears there only when it is complete.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";

import { withBuildLock } from "../native/build-lock.ts";
import { inRepository, synthCacheDirectory } from "../native/paths.ts";
import { hashOf, sourceClosure } from "../native/source-hash.ts";
import type { Library } from "./liberty.ts";
import { areDefaults, closureOf, portsOf, withDefaults } from "./rtl-files.ts";
import { asicScript, files, mappingScript, xc7Script } from "./scripts.ts";
import { abcPath, findOpenSta, openStaPath, yosysPath } from "./timing.ts";
import { units } from "./units.ts";
import type { Box, Instance, Parameters, Slice } from "./types.ts";
import { findYosys, type Yosys } from "./yosys.ts";

/** What slices are made with. */
export interface Flow {
  readonly yosys: Yosys;
  /** Version of OpenSTA, or null. */
  readonly openSta: string | null;
  /** Null for an FPGA. */
  readonly library: Library | null;
  /** Files to read in place of the repository's, by module. */
  readonly replaced: Readonly<Record<string, string>>;
}

/**
 * The tools of this machine.
 * @throws NeardataError `tool-missing`
 */
export async function findFlow(
  library: Library | null,
  replaced: Readonly<Record<string, string>> = {},
): Promise<Flow> {
  return { yosys: await findYosys(), openSta: findOpenSta(), library, replaced };
}

/**
 * The slice, from the cache if it is there. Modules of `apart` are left out and listed.
 * @throws NeardataError `build-failed`, `bad-input`
 */
export async function synthesizeSlice(
  flow: Flow,
  instance: Instance,
  apart: readonly string[],
): Promise<Slice> {
  const closure = closureOf(instance.module, apart, flow.replaced);
  const stubs = closure.filter((f) => f.stub).map((f) => f.path);
  const whole = closure.filter((f) => !f.stub).map((f) => f.path);
  const sources = sourceClosure(whole, [inRepository("rtl", "include")]);
  const named = closure.map(({ path, stub }) => ({ name: basename(path), stub }));
  const own = closure.at(-1)?.path ?? "";
  // Yosys 0.23 loses a top with -chparam when it has to look at it again, as it does at big ones.
  const written = units.some((unit) => unit.top === instance.module) ? instance.parameters : {};
  const told = Object.keys(written).length > 0 || areDefaults(own, instance.parameters);
  const top = told ? { ...instance, parameters: {} } : instance;
  const script =
    flow.library === null ? xc7Script(top, named) : asicScript(top, named, flow.library);
  const tools = [flow.yosys.version, flow.library === null ? null : flow.openSta];
  const ports = stubs.map(portsOf);
  const inFile = areDefaults(own, written) ? {} : { written };
  const key = {
    script,
    ports,
    mappingScript,
    tools,
    library: flow.library?.text ?? null,
    ...inFile,
  };
  const hash = hashOf(key, sources).slice(0, 24);
  const place = join(synthCacheDirectory(), `${instance.module}-${hash}`);
  if (!existsSync(place)) {
    await mkdir(synthCacheDirectory(), { recursive: true });
    await withBuildLock(`${place}.lock`, async () => {
      if (existsSync(place)) return;
      const work = await mkdtemp(`${place}.tmp-`);
      try {
        copy(work, sources, stubs);
        writeFileSync(join(work, basename(own)), withDefaults(own, written));
        await make(flow, instance, script, work);
        await rename(work, place);
      } finally {
        await rm(work, { recursive: true, force: true });
      }
    });
  }
  const made = JSON.parse(readFileSync(join(place, "slice.json"), "utf8")) as Omit<
    Slice,
    "netlist"
  >;
  return { ...made, netlist: join(place, files.netlist) };
}

function copy(work: string, sources: readonly string[], stubs: readonly string[]): void {
  for (const path of sources) writeFileSync(join(work, basename(path)), readFileSync(path));
  for (const path of stubs) writeFileSync(join(work, basename(path)), portsOf(path));
}

async function make(flow: Flow, instance: Instance, script: string, work: string): Promise<void> {
  const { library } = flow;
  const place = (name: string): string => join(work, name);
  if (library !== null) {
    writeFileSync(place(files.library), library.text);
    writeFileSync(place(files.constraints), `set_driving_cell ${library.buffer}\nset_load 4\n`);
    writeFileSync(place(files.mapping), mappingScript);
  }
  try {
    await flow.yosys.run(script, work);
  } catch (error) {
    // Yosys 0.23 aborts in ABC9 on some netlists; its other mapper takes them all.
    if (library !== null) throw error;
    await flow.yosys.run(script.replace(" -abc9", ""), work);
  }
  const slice: Omit<Slice, "netlist"> = {
    ...instance,
    target: library === null ? "xc7" : "asic",
    cells: readCounts(place(files.counts), instance.module),
    boxes: readBoxes(place(files.boxes), instance.module),
    path:
      library === null
        ? yosysPath(work)
        : flow.openSta === null
          ? abcPath(work)
          : await openStaPath(work, instance.module, library),
  };
  writeFileSync(place("slice.json"), JSON.stringify(slice, null, 2));
  await Promise.all(
    [files.library, files.boxes, files.bits].map((name) => rm(place(name), { force: true })),
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

/** The cells that are no primitives, equal ones counted. */
function readBoxes(path: string, top: string): readonly Box[] {
  const { modules } = JSON.parse(readFileSync(path, "utf8")) as BoxesFile;
  const boxes = new Map<string, Box>();
  for (const { type } of Object.values(modules[top]?.cells ?? {})) {
    if (!(type in modules)) continue;
    // A module with parameters is called $paramod...\name, or $paramod\name\parameters.
    const module = type.startsWith("$") ? (type.split("\\")[1] ?? type) : type;
    const parameters = parametersOf(modules[type]?.parameter_default_values ?? {});
    boxes.set(type, { module, parameters, count: (boxes.get(type)?.count ?? 0) + 1 });
  }
  return [...boxes.values()];
}

function parametersOf(parameters: Readonly<Record<string, string>>): Parameters {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, bits]) => [name, parseInt(bits, 2)]),
  );
}
