// SPDX-License-Identifier: Apache-2.0
// Compiles Verilator's C++: every file in a separate slot, small files together, the longest first. Code
// of every cycle has the requested optimisation, other code compiles with a lower level. Verilator's run
// time is equal for every model of a kind, and so are files of the harness that do not include the model:
// the first build caches their objects for the others.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { cached } from "../../base/files/cache.ts";
import { tellBuild } from "./build-news.ts";
import { compiler } from "./compiler.ts";
import { compileForeign, undefinedFunctions } from "./foreign-sources.ts";
import type { JobSlots } from "./job-slots.ts";
import { runTool } from "./process.ts";
import { hashOf } from "./source-hash.ts";

/** A directory that Verilator has filled, and how to compile it. */
export interface ModelFiles {
  readonly work: string;
  readonly top: string;
  /** Of the code that runs every cycle. */
  readonly optimise: string;
  /** Whether the model has delays, which Verilator makes coroutines of. */
  readonly timing: boolean;
  /** C++ files of the harness whose objects are cached with those of the run time. */
  readonly shared: readonly string[];
  /**
   * Cache directory of the objects of the run time. The key of the objects depends on more than its
   * name.
   */
  readonly runtime: string;
  /** C and C++ files of the user, compiled into the model. */
  readonly foreign: readonly string[];
  /** Include directories of these files. */
  readonly foreignIncludes: readonly string[];
  readonly slots: JobSlots;
}

/** One object: its name without a suffix, and its approximate compile time. */
interface ModelObject {
  readonly name: string;
  readonly cost: number;
  readonly optimise: string;
}

/** Code that runs once, before the first clock, is not worth optimising. */
const slowOptimise = "-O0";
/** For code that only writes waveforms, which is among the largest files, and for the run time. */
const modestOptimise = "-O1";
/** The generated C++ needs no newer language, and the library's headers are shorter in it. */
const modelLanguage = "-std=gnu++17";
/** But for coroutines. */
const timingLanguage = "-std=gnu++20";
/** Options in the cache key of artifacts, in addition to the requested optimisation. */
export const otherOptimise: readonly string[] = [
  slowOptimise,
  modestOptimise,
  modelLanguage,
  timingLanguage,
];
const languageOf = ({ timing }: ModelFiles): string => (timing ? timingLanguage : modelLanguage);
/** Ratio of the time to optimise a byte of generated C++ and the time to compile it only. */
const optimisingCost = 4;
/** A harness is short and includes much. */
const harnessCost = 1e6;
/**
 * Bytes of small files that are compiled as one file: most of the compile time of each is in its
 * headers.
 */
const maxGroupBytes = 250_000;

/** Leaves `artifact` in the directory. @throws NeardataError `build-failed` */
export async function compileModel(model: ModelFiles): Promise<void> {
  const { work, top } = model;
  const classes = join(work, `V${top}_classes.mk`);
  const { fast, slow, one } = classesOf(model, classes);
  const objects = [...fast, ...slow, ...one, ...harnessOf(model)].sort((a, b) => b.cost - a.cost);
  const files = objects.length;
  const lists = one.length > 0 ? [] : [`VM_FAST=${namesOf(fast)}`, `VM_SLOW=${namesOf(slow)}`];
  let compiled = 0;
  tellBuild({ unit: top, state: "compiling", compiled, files });
  const compile = objectCompiler(model, lists);
  await allOf([
    ...objects.map(async (object) => {
      await compile(object);
      compiled += 1;
      tellBuild({ unit: top, state: "compiling", compiled, files });
    }),
    ...model.foreign.map(async (path, i) =>
      model.slots.run(async () =>
        compileForeign(path, i, { work, top, includes: model.foreignIncludes }),
      ),
    ),
    withRuntime(model, runtimeOf(model, listed(classes, runtimeLists)), compile),
  ]);
  await model.slots.run(async () => {
    try {
      await make(model, [...lists, "artifact"]);
    } catch (error) {
      throw undefinedFunctions(error, model.foreign);
    }
  });
}

function namesOf(objects: readonly ModelObject[]): string {
  return objects.map(({ name }) => name).join(" ");
}

/** Objects that the first build of a kind makes for all. */
function runtimeOf(model: ModelFiles, names: readonly string[]): readonly ModelObject[] {
  const optimise = `${languageOf(model)} ${modestOptimise}`;
  return [
    ...names.map((name) => ({ name, optimise, cost: 0 })),
    // The harness uses a newer language than the model; the flags of the build select it.
    ...sharedNames(model).map((name) => ({ name, optimise: modestOptimise, cost: harnessCost })),
  ];
}

function sharedNames({ shared }: ModelFiles): readonly string[] {
  return shared.map((file) => basename(file, ".cc"));
}

function harnessOf(model: ModelFiles): readonly ModelObject[] {
  const { work, top, optimise } = model;
  const shared = sharedNames(model);
  const names = listed(join(work, `V${top}.mk`), ["VM_USER_CLASSES"]).filter(
    (name) => !shared.includes(name),
  );
  return names.map((name) => ({ name, optimise, cost: harnessCost }));
}

/** Verilator's classes: those that run every cycle and those that run once, or all in one file. */
interface ModelClasses {
  readonly fast: readonly ModelObject[];
  readonly slow: readonly ModelObject[];
  readonly one: readonly ModelObject[];
}

function classesOf(model: ModelFiles, makefile: string): ModelClasses {
  const { work, top, optimise } = model;
  const language = languageOf(model);
  // Of a small model Verilator has one file made that includes all.
  if (!/^VM_PARALLEL_BUILDS = 1$/m.test(readFileSync(makefile, "utf8"))) {
    const all = { name: `V${top}__ALL`, cost: harnessCost };
    return { fast: [], slow: [], one: [{ ...all, optimise: `${language} ${optimise}` }] };
  }
  const group = (variables: readonly string[], how: string): readonly ModelObject[] =>
    together(work, listed(makefile, variables)).map(({ name, size }) => ({
      name,
      optimise: `${language} ${how}`,
      cost: how === slowOptimise ? size : optimisingCost * size,
    }));
  const tracing = optimise === slowOptimise ? slowOptimise : modestOptimise;
  return {
    fast: [...group(["VM_CLASSES_FAST"], optimise), ...group(["VM_SUPPORT_FAST"], tracing)],
    slow: group(["VM_CLASSES_SLOW", "VM_SUPPORT_SLOW"], slowOptimise),
    one: [],
  };
}

interface SourceFile {
  readonly name: string;
  readonly size: number;
}

/** Files of the directory in the place of these, where small ones are included by one. */
function together(work: string, names: readonly string[]): readonly SourceFile[] {
  const groups: { names: string[]; size: number }[] = [];
  for (const name of names) {
    const { size } = statSync(join(work, `${name}.cpp`));
    const room = groups.find((one) => one.size + size <= maxGroupBytes);
    if (room === undefined) groups.push({ names: [name], size });
    else {
      room.names.push(name);
      room.size += size;
    }
  }
  return groups.map(({ names: [first = "", ...others], size }) => {
    if (others.length === 0) return { name: first, size };
    const includes = [first, ...others].map((name) => `#include "${name}.cpp"\n`);
    const name = `${first}_and_others`;
    writeFileSync(join(work, `${name}.cpp`), includes.join(""));
    return { name, size };
  });
}

/** Compiles one object when a slot is free. After a failure, compiles no further object. */
function objectCompiler(
  model: ModelFiles,
  lists: readonly string[],
): (object: ModelObject) => Promise<void> {
  let failed = false;
  return async ({ name, optimise }) =>
    model.slots.run(async () => {
      if (failed) return;
      const options = ["OPT_FAST", "OPT_SLOW", "OPT_GLOBAL"].map((kind) => `${kind}=${optimise}`);
      try {
        await make(model, [...lists, ...options, `${name}.o`]);
      } catch (error) {
        failed = true;
        throw error;
      }
    });
}

/**
 * Copies the objects of the run time, made by the first build of its kind, to the model's
 * directory.
 */
async function withRuntime(
  model: ModelFiles,
  objects: readonly ModelObject[],
  compile: (object: ModelObject) => Promise<void>,
): Promise<void> {
  const { work } = model;
  const names = objects.map(({ name }) => name);
  // The necessary objects depend on the features of the model: imported functions, delays,
  // waveforms.
  const key = [basename(model.runtime), names, objects.map(({ optimise }) => optimise)];
  const runtime = join(dirname(model.runtime), `runtime-${hashOf(key, []).slice(0, 24)}`);
  const copy = async (from: string, to: string): Promise<void> => {
    await Promise.all(names.map((n) => copyFile(join(from, `${n}.o`), join(to, `${n}.o`))));
  };
  const objectDirectory = await cached(dirname(runtime), basename(runtime), async (fresh) => {
    await allOf(objects.map((object) => compile(object)));
    await copy(work, fresh);
    return fresh;
  });
  // Copied at the end, so that the objects are newer than Verilator's files.
  await copy(objectDirectory, work);
}

async function make({ work, top }: ModelFiles, goals: readonly string[]): Promise<void> {
  const cxx = compiler().join(" ");
  // Verilator's makefile refuses a current directory with a blank, though all of its names are relative.
  const settings = ["CURDIR=.", `CXX=${cxx}`, `LINK=${cxx}`];
  await runTool("make", ["-f", `V${top}.mk`, ...settings, ...goals], { cwd: work });
}

/**
 * Waits for all jobs, also after one has failed, because the others still write files. @throws the
 * first error
 */
async function allOf(jobs: readonly Promise<void>[]): Promise<void> {
  const ended = await Promise.allSettled(jobs);
  for (const one of ended) if (one.status === "rejected") throw one.reason;
}

const runtimeLists: readonly string[] = ["VM_GLOBAL_FAST", "VM_GLOBAL_SLOW"];

/** The names in lists of one of Verilator's makefiles. */
function listed(file: string, variables: readonly string[]): readonly string[] {
  const makefile = readFileSync(file, "utf8");
  return variables.flatMap((variable) => {
    const list = new RegExp(`^${variable} \\+?= \\\\\\n((?:\\t.*\\n)*)`, "m").exec(makefile);
    return (list?.[1] ?? "").split(/[\s\\]+/).filter((name) => name !== "");
  });
}
