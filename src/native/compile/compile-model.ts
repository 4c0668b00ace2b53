// SPDX-License-Identifier: Apache-2.0
// Compiles what Verilator wrote: every file in a slot of its own, the longest first, what runs every
// cycle at the optimisation that was asked for and the rest faster. Verilator's own run
// time is the same for every model of a kind: the first build keeps its objects for the others.

import { readFileSync, statSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { cached } from "../../files/cache.ts";
import { tellBuild } from "./build-news.ts";
import { compiler } from "./compiler.ts";
import type { JobSlots } from "./job-slots.ts";
import { runTool } from "./process.ts";

/** A directory that Verilator has filled, and how to compile it. */
export interface ModelFiles {
  readonly work: string;
  readonly top: string;
  /** Of what runs every cycle. */
  readonly optimise: string;
  /** Where the objects of the run time are kept. */
  readonly runtime: string;
  readonly slots: JobSlots;
}

/** One object: its name without an ending, and how long it takes to compile, roughly. */
interface ModelObject {
  readonly name: string;
  readonly cost: number;
  readonly optimise: string;
}

/** Code that runs once, before the first clock, is not worth optimising. */
const slowOptimise = "-O0";
/** Of what only writes waveforms, which is among the largest files, and of the run time. */
const modestOptimise = "-O1";
/** What the cache names artifacts by, beside the optimisation that was asked for. */
export const otherOptimise: readonly string[] = [slowOptimise, modestOptimise];
/** A byte of generated C++ takes so much longer to optimise than only to compile. */
const optimisingCost = 4;
/** A harness is short and includes much. */
const harnessCost = 1e6;

/** Leaves `artifact` in the directory. @throws NeardataError `build-failed` */
export async function compileModel(model: ModelFiles): Promise<void> {
  const { work, top } = model;
  const classes = join(work, `V${top}_classes.mk`);
  const objects = objectsOf(model, classes);
  const files = objects.length;
  let compiled = 0;
  tellBuild({ unit: top, state: "compiling", compiled, files });
  const compile = objectCompiler(model);
  await allOf([
    ...objects.map(async (object) => {
      await compile(object);
      compiled += 1;
      tellBuild({ unit: top, state: "compiling", compiled, files });
    }),
    withRuntime(model, listed(classes, runtimeLists), compile),
  ]);
  await model.slots.run(() => make(model, ["artifact"]));
}

/** All but the run time, the longest first. */
function objectsOf({ work, top, optimise }: ModelFiles, classes: string): readonly ModelObject[] {
  const group = (variable: string, how: string): readonly ModelObject[] =>
    listed(classes, [variable]).map((name) => {
      const { size } = statSync(join(work, `${name}.cpp`));
      return { name, optimise: how, cost: how === slowOptimise ? size : optimisingCost * size };
    });
  const harness = listed(join(work, `V${top}.mk`), ["VM_USER_CLASSES"]).map((name) => ({
    name,
    optimise,
    cost: harnessCost,
  }));
  // Of a small model Verilator has one file made that includes all.
  if (!/^VM_PARALLEL_BUILDS = 1$/m.test(readFileSync(classes, "utf8"))) {
    return [{ name: `V${top}__ALL`, optimise, cost: harnessCost }, ...harness];
  }
  return [
    ...group("VM_CLASSES_FAST", optimise),
    ...group("VM_SUPPORT_FAST", optimise === slowOptimise ? slowOptimise : modestOptimise),
    ...group("VM_CLASSES_SLOW", slowOptimise),
    ...group("VM_SUPPORT_SLOW", slowOptimise),
    ...harness,
  ].sort((a, b) => b.cost - a.cost);
}

/** Compiles one object when a slot is free; none any more once one has failed. */
function objectCompiler(model: ModelFiles): (object: ModelObject) => Promise<void> {
  let failed = false;
  return async ({ name, optimise }) =>
    model.slots.run(async () => {
      if (failed) return;
      const options = ["OPT_FAST", "OPT_SLOW", "OPT_GLOBAL"].map((kind) => `${kind}=${optimise}`);
      try {
        await make(model, [...options, `${name}.o`]);
      } catch (error) {
        failed = true;
        throw error;
      }
    });
}

/** Puts the run time's objects, those of the first build of its kind, beside the model's. */
async function withRuntime(
  { runtime, work }: ModelFiles,
  names: readonly string[],
  compile: (object: ModelObject) => Promise<void>,
): Promise<void> {
  const copy = async (from: string, to: string): Promise<void> => {
    await Promise.all(names.map((n) => copyFile(join(from, `${n}.o`), join(to, `${n}.o`))));
  };
  const kept = await cached(dirname(runtime), basename(runtime), async (fresh) => {
    await allOf(names.map((name) => compile({ name, optimise: modestOptimise, cost: 0 })));
    await copy(work, fresh);
    return fresh;
  });
  // Now, so that they are newer than what Verilator wrote.
  await copy(kept, work);
}

async function make({ work, top }: ModelFiles, goals: readonly string[]): Promise<void> {
  const cxx = compiler().join(" ");
  await runTool("make", ["-C", work, "-f", `V${top}.mk`, `CXX=${cxx}`, `LINK=${cxx}`, ...goals]);
}

/** Waits for all, also after one has failed: what runs still writes. @throws what the first threw */
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
