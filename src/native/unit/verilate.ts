// SPDX-License-Identifier: Apache-2.0
// Builds one Verilated unit: SystemVerilog and a C++ harness in, an executable or a shared object
// out. The artifact is named by a hash of sources, parameters and tool versions, so it is built once
// and never stale; it appears under its name only when it is complete.

import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";

import { cached } from "../../base/files/cache.ts";
import { tellBuild } from "../compile/build-news.ts";
import { askCompiler } from "../compile/compiler.ts";
import { compileModel, otherOptimise } from "../compile/compile-model.ts";
import { foreignObject, isForeign } from "../compile/foreign-sources.ts";
import { jobSlots, type JobSlots } from "../compile/job-slots.ts";
import { inRepository, rtlCacheDirectory } from "../../base/paths.ts";
import { plainPaths } from "../compile/plain-paths.ts";
import { runTool } from "../compile/process.ts";
import { verilatorVersion } from "../compile/verilator-version.ts";
import { processorOf } from "../compile/processor.ts";
import { sanitizerFlags } from "../compile/sanitizers.ts";
import { rtlError } from "../compile/rtl-errors.ts";
import { hashOf, sourceClosure } from "../compile/source-hash.ts";
import { nameTriggers } from "../compile/trigger-names.ts";
import { descriptionIn, describeUnit } from "./describe.ts";
import {
  pluginFlags,
  pluginHarness,
  shimGenerator,
  writeShim,
  type PortRule,
  type DescribedStreams,
} from "./plugin.ts";

/** A whole number, a real number or a string without quotes, backslashes and control characters. */
export type ParameterValue = number | string;

/** A build. Paths are absolute or relative to the current directory. */
export interface RtlBuild {
  /** Top module; the harness includes `V<top>.h`. */
  readonly top: string;
  /** Top-level parameters, by name. */
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /**
   * SystemVerilog files, packages before their users, `.vlt` waivers if any, and C or C++ files with
   * functions that the RTL imports.
   */
  readonly sources: readonly string[];
  /** Directories of `include files; `rtl/include` is always among them. */
  readonly includeDirectories?: readonly string[];
  /**
   * C++ files compiled with the model, with the repository root and `sim` on their include path and
   * each parameter as `RTL_PARAMETER_<name>`.
   */
  readonly harness: readonly string[];
  readonly kind: "executable" | "sharedObject";
  /**
   * Generates the plug-in interface of the top (sim/rtl/shim/unit_plugin.h) from its ports and compiles it
   * in, with flags that make a failing assertion an answer instead of the end of the process.
   */
  readonly plugin?: PortRule;
  /** Streams of a plug-in of any unit that do not follow from the names of ports. */
  readonly streams?: DescribedStreams;
  /** Compile FST tracing in (costs nothing measurable while it is off). Default true. */
  readonly trace?: boolean;
  /** Compile SystemVerilog assertions in. Default true. */
  readonly assertions?: boolean;
  /**
   * Registers and memories have random initial contents, from the seed of their context
   * (randReset), which exposes a missing reset. Otherwise they are initialised to zeros.
   */
  readonly drawnContents?: boolean;
  /** Optimisation of the model; for short runs, "-O0" compiles much faster. */
  readonly optimise?: string;
  /**
   * Whether a coverage build also counts toggles of bits. Default true; a top that joins units with
   * coverage of their own would add a hundred megabytes of C++.
   */
  readonly toggles?: boolean;
  /** Statements in one file of C++, for models of many: each file reads all headers again. */
  readonly outputSplit?: number;
  /** More flags for the C++ compiler. */
  readonly cxxFlags?: readonly string[];
  /**
   * Compiles the Verilog Procedural Interface in, and exports its functions to a library that the harness loads.
   * A `.vlt` file among the sources makes signals visible to it. Default false.
   */
  readonly vpi?: boolean;
  /** Preprocessor defines for the SystemVerilog side. */
  readonly defines?: readonly string[];
}

/** The define with which no clock gate closes. */
export const openGates = "NEARDATA_OPEN_GATES";

// Warnings are the business of `make lint`; a newer Verilator must not stop a build with new ones.
const verilatorFlags: readonly string[] = [
  "--cc",
  "-O3",
  "--x-assign",
  "fast",
  "-Wno-fatal",
  // ... but errors that the sources report, such as illegal parameters, stop it.
  "-Werror-USERERROR",
  "-Werror-USERFATAL",
  // Loops over the lanes of a bank stay loops, which g++ vectorises; those over streams, lanes of a
  // multiplier and tree levels are unrolled, which makes their indices constant. Unrolling both, or
  // neither, costs a factor of five.
  "--unroll-count",
  "16",
];
// Loops over flags of triggers, a few bytes long, run many times per cycle: where one straddles two lines
// of the cache is an accident of the text before it, worth 2 % of a cycle of the SparF engine.
const fullOptimise = "-O3 -march=native -falign-functions=64 -falign-loops=32";
/**
 * Every access of a model is checked at run time; further optimisation costs more than it saves.
 */
const sanitizedOptimise = "-O1";
// Two plug-ins of one process contain classes of the same names, so the symbols of a plug-in are
// hidden.
const cxxFlags = (): readonly string[] => [
  "-std=gnu++23",
  "-fPIC",
  "-fvisibility=hidden",
  "-fno-semantic-interposition",
  ...sanitizers(),
];
const cxxIncludes = (): readonly string[] => [inRepository(), inRepository("sim")];
const exportFlags: readonly string[] = ["-rdynamic", "-ldl"];
const sharedLinkFlags: readonly string[] = ["-shared", "-Wl,-Bsymbolic"];
/** An undefined function fails the build; the process defines the functions of sanitizers. */
const completeLinkFlags = (): readonly string[] =>
  sanitizerFlags().length > 0 ? [] : ["-Wl,-z,defs"];

/**
 * The path of the artifact. Builds it if it is not cached. Concurrent callers, also of other
 * processes, build it once and share it.
 * @throws NeardataError `tool-missing`, `build-failed` (with the tool's last words), `bad-input`.
 */
export async function verilate(given: RtlBuild, slots: JobSlots = jobSlots()): Promise<string> {
  const build = withGates(given);
  const includes = [inRepository("rtl", "include"), ...(build.includeDirectories ?? [])].map((p) =>
    resolve(p),
  );
  const pluginFiles =
    build.plugin === undefined ? [] : [...sharedOf(build), ...shimGenerator(build.plugin)];
  const files = sourceClosure(
    [...build.sources, ...build.harness, ...pluginFiles],
    [...includes, ...cxxIncludes()],
  );
  const args = [...verilatorArguments(build, includes), ...coverageArguments(build)];
  const versions = await Promise.all([verilatorVersion(), askCompiler(["--version"])]);
  const ownFlags = flagsOf(build);
  const optimise = optimisationOf(build);
  const key = {
    top: build.top,
    kind: build.kind,
    args,
    optimise,
    otherOptimise,
    cxxFlags: cxxFlags(),
    ownFlags,
    streams: build.streams,
    versions,
    processor: await processorOf(optimise),
  };
  // The path of the repository does not affect the artifact: equal trees share a cache.
  const anywhere = JSON.stringify(key).replaceAll(inRepository(), "");
  const hash = hashOf(anywhere, files).slice(0, 24);
  const cache = rtlCacheDirectory();
  const suffix = build.kind === "sharedObject" ? ".so" : "";
  return cached(cache, `${build.top}-${hash}${suffix}`, async (work) =>
    reported(build.top, async () => {
      const { timing } = await slots.run(() => generate(build, args, includes, work));
      const runtime = join(cache, runtimeName(build, versions));
      const { foreign } = sourcesOf(build);
      const closure = { foreign, foreignIncludes: includes, shared: sharedOf(build) };
      await compileModel({ work, top: build.top, optimise, timing, runtime, slots, ...closure });
      return join(work, "artifact");
    }),
  );
}

/** Adds clock gates that never close if NEARDATA_OPEN_GATES is 1 (rtl/common/clock_gate.sv). */
function withGates(build: RtlBuild): RtlBuild {
  if (process.env["NEARDATA_OPEN_GATES"] !== "1") return build;
  return { ...build, defines: [...(build.defines ?? []), openGates] };
}

/** A unit as a plug-in for a session; as `verilate`. */
export async function verilateUnit(
  unit: Pick<RtlBuild, "top" | "parameters" | "sources" | "includeDirectories" | "toggles">,
  slots: JobSlots,
): Promise<string> {
  return verilate({ ...unit, harness: [], kind: "sharedObject", plugin: "machine" }, slots);
}

/** Reports the beginning and the end of a build. */
async function reported(unit: string, work: () => Promise<string>): Promise<string> {
  const none = { compiled: 0, files: 0 };
  tellBuild({ unit, state: "verilating", ...none });
  try {
    const made = await work();
    tellBuild({ unit, state: "built", ...none });
    return made;
  } catch (error) {
    tellBuild({ unit, state: "failed", ...none });
    throw error;
  }
}

/** More flags for the C++ compiler than all builds have. */
function flagsOf({ plugin, vpi, cxxFlags: unitFlags }: RtlBuild): readonly string[] {
  return [
    ...(plugin === undefined ? [] : pluginFlags()),
    // A library calls the functions of the interface.
    ...(vpi === true ? ["-fvisibility=default"] : []),
    ...(unitFlags ?? []),
  ];
}

/** A coverage model has a counter for every bit, and its compile time dominates. */
function optimisationOf({ optimise }: RtlBuild): string {
  if (counts()) return "-O0";
  if (sanitizerFlags().length > 0) return sanitizedOptimise;
  return optimise ?? process.env["NEARDATA_RTL_OPTIMISE"] ?? fullOptimise;
}

function counts(): boolean {
  return process.env["NEARDATA_COVERAGE"] !== undefined;
}

/** C++ files of the harness that are the same for every model, which they do not include. */
function sharedOf({ plugin }: RtlBuild): readonly string[] {
  return plugin === undefined ? [] : pluginHarness();
}

/**
 * Key of the cached objects of Verilator's run time and of the shared files: a hash of compiler, flags and
 * sources.
 */
function runtimeName(build: RtlBuild, versions: readonly string[]): string {
  const key = {
    trace: build.trace,
    own: flagsOf(build),
    counts: counts(),
    cxxFlags: cxxFlags(),
    otherOptimise,
    versions,
  };
  return `runtime-${hashOf(key, sourceClosure(sharedOf(build), cxxIncludes())).slice(0, 24)}`;
}

/** The settings with which the sources are elaborated. */
export function elaboration(
  build: Pick<RtlBuild, "defines" | "parameters">,
  includes: readonly string[],
): readonly string[] {
  return [
    ...(build.defines ?? []).map((define) => `-D${define}`),
    ...Object.entries(build.parameters)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `-G${name}=${typeof value === "string" ? `"${value}"` : value}`),
    ...includes.map((directory) => `-I${directory}`),
  ];
}

function verilatorArguments(build: RtlBuild, includes: readonly string[]): readonly string[] {
  return [
    ...verilatorFlags,
    "--x-initial",
    build.drawnContents === true ? "unique" : "fast",
    "--top-module",
    build.top,
    "--prefix",
    `V${build.top}`,
    ...(build.assertions === false ? [] : ["--assert"]),
    ...(build.trace === false ? [] : ["--trace-fst"]),
    ...(build.vpi === true ? ["--vpi"] : []),
    ...(build.outputSplit === undefined ? [] : ["--output-split", String(build.outputSplit)]),
    ...elaboration(build, includes),
  ];
}

// Counters have no operands, so Verilator's splitting of processes moves them before the blocking
// assignments that control them: whole tasks of a bank would appear as never called.
const countsInPlace = "-fno-split";

/**
 * Flags of a coverage build; none unless NEARDATA_COVERAGE is set (the directory of the counts).
 * The hook replaces the model's final().
 */
function coverageArguments(build: RtlBuild): readonly string[] {
  if (!counts()) return [];
  const { top, parameters } = build;
  const model = `V${top}`;
  const final = `_ZN${String(model.length)}${model}5finalEv`;
  const name = `${top}-${hashOf([build.harness, parameters], []).slice(0, 12)}`;
  const define = (what: string, text: string): readonly string[] => [
    "-CFLAGS",
    `-DRTL_COVERAGE_${what}=${text}`,
  ];
  return [
    ...[countsInPlace, "--coverage-line", "--coverage-user"],
    ...(build.toggles === false ? [] : ["--coverage-toggle"]),
    ...define("HEADER", `'"${model}.h"'`),
    ...define("NAME", `'"${name}"'`),
    ...define("MODEL", model),
    ...define("REAL", `__real_${final}`),
    ...define("WRAP", `__wrap_${final}`),
    ...["-LDFLAGS", `-Wl,--wrap=${final}`],
    inRepository("testbench", "coverage_hook.cc"),
  ];
}

/** The sources of a build by the tool that reads them. */
function sourcesOf({ sources }: Pick<RtlBuild, "sources">): {
  readonly rtl: readonly string[];
  readonly foreign: readonly string[];
} {
  const all = sources.map((file) => resolve(file));
  return { rtl: all.filter((file) => !isForeign(file)), foreign: all.filter(isForeign) };
}

/** Runs Verilator, which writes C++ and a makefile into a separate directory. */
async function generate(
  build: RtlBuild,
  args: readonly string[],
  includes: readonly string[],
  work: string,
): Promise<{ readonly timing: boolean }> {
  const { top } = build;
  const paths = plainPaths(work);
  const { rtl, foreign } = sourcesOf(build);
  const elaborated = [...elaboration(build, includes), ...rtl];
  const unit = build.plugin === undefined ? undefined : await describeUnit(top, elaborated, work);
  const timing = unit?.timing ?? false;
  const shim = `${top}_shim.cc`;
  const flags = [
    ...cxxFlags(),
    ...cxxIncludes().map((directory) => `-I${directory}`),
    ...flagsOf(build),
    ...numbersOf(build.parameters).map(([n, v]) => `-DRTL_PARAMETER_${n}=${v}`),
  ];
  const link = [
    ...(build.kind === "sharedObject" ? [...sharedLinkFlags, ...completeLinkFlags()] : []),
    ...(build.vpi === true ? exportFlags : []),
    ...sanitizerFlags(),
  ];
  const shared = sharedOf(build);
  const root = inRepository();
  const inPlace = (text: string): string => text.replaceAll(root, paths.of(root));
  await runTool("verilator", [
    ...args.map((arg) => (arg.endsWith(".cc") ? paths.of(arg) : arg)),
    ...(timing ? ["--timing"] : []),
    ...["--exe", "-o", "artifact", "--Mdir", work],
    ...["-CFLAGS", inPlace(flags.join(" "))],
    ...(link.length === 0 ? [] : ["-LDFLAGS", link.join(" ")]),
    ...rtl,
    ...[...build.harness.map((file) => resolve(file)), ...shared].map((file) => paths.of(file)),
    ...(unit === undefined ? [] : [shim]),
    ...foreign.map((_, i) => foreignObject(i)),
  ]).catch((error: unknown) => {
    throw rtlError(error, rtl, top);
  });
  // The file lists the sources as prerequisites. They exist, so make need not parse their names.
  writeFileSync(join(work, `V${top}__ver.d`), "");
  if (unit !== undefined && build.plugin !== undefined) {
    writeShim({ ...build, unit }, work, shim, build.plugin);
    nameTriggers(work, descriptionIn(work));
  }
  return { timing };
}

const numbersOf = (
  parameters: RtlBuild["parameters"],
): readonly (readonly [name: string, value: string])[] =>
  Object.entries(parameters).flatMap(([name, value]) =>
    typeof value === "number" ? [[name, String(value)] as const] : [],
  );

/** Verilator's waveforms load and store words at any address where the processor can. */
function sanitizers(): readonly string[] {
  const flags = sanitizerFlags();
  return flags.length > 0 ? [...flags, "-fno-sanitize=alignment"] : [];
}
