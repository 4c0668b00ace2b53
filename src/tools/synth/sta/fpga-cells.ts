// SPDX-License-Identifier: Apache-2.0
// Delays of the cells of Xilinx' 7 series: Yosys' models with their parameters (registers of a DSP or
// a block RAM decide which arcs exist) and synth/xc7_lutram.v, as `sta` of Yosys reads them. Constants:
// they depend neither on loads nor on slews.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { NeardataError } from "../../../base/errors.ts";
import { cached } from "../../../base/files/cache.ts";
import { inRepository, synthCacheDirectory } from "../../../base/paths.ts";
import { hashOf } from "../../../native/compile/source-hash.ts";
import { files } from "../scripts.ts";
import type { Yosys } from "../yosys.ts";
import { constantTable, type CellTiming, type Delay } from "./cell-timing.ts";

/** A cell type with the parameters of an instance, as Verilog writes them. */
export interface FpgaCell {
  readonly type: string;
  readonly parameters: string;
}

const lutRams = inRepository("synth", files.delays);
const instances = "cells.v";
const models = "cells.json";

/**
 * `read_verilog` provides only models without generated parts; `sta` creates models with
 * parameters.
 */
const script = [
  `read_verilog ${instances}`,
  "read_verilog -lib -specify +/xilinx/cells_sim.v",
  `read_verilog -lib -specify -overwrite ${files.delays}`,
  "sta",
  // JSON has no processes.
  "delete =*/p:*",
  `write_json ${models}`,
  "",
].join("\n");

/**
 * The delays of these cells, in their order.
 * @throws NeardataError `build-failed` for a cell without delays.
 */
export async function fpgaCells(
  yosys: Yosys,
  cells: readonly FpgaCell[],
): Promise<readonly CellTiming[]> {
  const text = cells
    .map(({ type, parameters }, i) => `  ${type} ${parameters} c${i} ();\n`)
    .join("");
  const verilog = `module neardata_cells;\n${text}endmodule\n`;
  const hash = hashOf({ script, verilog, tools: yosys.version }, [lutRams]).slice(0, 24);
  const place = await cached(synthCacheDirectory(), `xc7-cells-${hash}`, async (work) => {
    writeFileSync(join(work, instances), verilog);
    writeFileSync(join(work, files.delays), readFileSync(lutRams));
    await yosys.run(script, work);
    return join(work, models);
  });
  const { modules } = JSON.parse(readFileSync(place, "utf8")) as ModelsFile;
  const made = modules["neardata_cells"]?.cells ?? {};
  const timings = cells.map(({ type }, i) =>
    timingOf(type, modelOf(modules, type, made[`c${i}`]?.parameters ?? {})),
  );
  const without = cells.filter((_, i) => !hasDelays(timings[i])).map(({ type }) => type);
  if (without.length === 0) return timings;
  const names = [...new Set(without)].join(", ");
  throw new NeardataError(
    "build-failed",
    `${names}: no delays; state them in synth/${files.delays}`,
  );
}

type Values = Readonly<Record<string, string>>;

interface Model {
  readonly attributes?: Readonly<Record<string, string>>;
  readonly parameter_default_values?: Values;
  readonly ports?: Readonly<
    Record<string, { readonly direction: string; readonly bits: readonly Bit[] }>
  >;
  readonly cells: Readonly<
    Record<
      string,
      {
        readonly type: string;
        readonly parameters: Values;
        readonly connections: Readonly<Record<string, readonly Bit[]>>;
      }
    >
  >;
}

/** A net by its number, or a constant. */
type Bit = number | string;

interface ModelsFile {
  readonly modules: Readonly<Record<string, Model>>;
}

/** The model that was made for these parameters, or that of the type. */
function modelOf(modules: ModelsFile["modules"], type: string, parameters: Values): Model {
  const made = Object.entries(modules).find(
    ([name, { parameter_default_values: values = {} }]) =>
      name.startsWith("$paramod") &&
      name.split("\\").includes(type) &&
      Object.entries(parameters).every(([key, value]) => sameValue(values[key], value)),
  );
  const model = made?.[1] ?? modules[type];
  if (model !== undefined) return model;
  throw new NeardataError("build-failed", `${type}: Yosys has no model of this cell`);
}

function sameValue(left: string | undefined, right: string): boolean {
  const digits = (text: string): string => text.replace(/^0+(?=[01])/, "");
  return left !== undefined && digits(left) === digits(right);
}

function hasDelays(timing: CellTiming | undefined): boolean {
  return timing !== undefined && timing.arcs.length + timing.launches.length > 0;
}

/**
 * The longest delays, whatever their conditions: the conditions of block RAMs in Yosys 0.23 match
 * no parameters, and `sta` ignores conditions as well.
 */
function timingOf(type: string, { ports = {}, cells }: Model): CellTiming {
  const names = new Map<Bit, string>();
  for (const [port, { bits }] of Object.entries(ports)) {
    bits.forEach((bit, i) => names.set(bit, bits.length === 1 ? port : `${port}[${i}]`));
  }
  const named = (bits: readonly Bit[] = []): readonly string[] =>
    bits.flatMap((bit) => names.get(bit) ?? []);
  const arcs = new Map<string, { from: string; to: string; ps: number }>();
  const launches = new Map<string, number>();
  const captures = new Map<string, number>();
  for (const { type: kind, parameters, connections } of Object.values(cells)) {
    const ps = (name: string): number => parseInt(parameters[name] ?? "0", 2);
    const latest = Math.max(ps("T_RISE_MAX"), ps("T_FALL_MAX"));
    const [from, to] = [named(connections["SRC"]), named(connections["DST"])];
    if (kind === "$specify2") {
      const isFull = ps("FULL") === 1;
      from.forEach((source, i) => {
        for (const target of isFull ? to : to.slice(i, i + 1)) {
          const key = `${source} ${target}`;
          const known = arcs.get(key)?.ps ?? 0;
          arcs.set(key, { from: source, to: target, ps: Math.max(known, latest) });
        }
      });
    } else if (kind === "$specify3") {
      for (const pin of to) launches.set(pin, Math.max(launches.get(pin) ?? 0, latest));
    } else if (kind === "$specrule" && parameters["TYPE"] === "$setup") {
      const setup = ps("T_LIMIT_MAX");
      for (const pin of from) captures.set(pin, Math.max(captures.get(pin) ?? 0, setup));
    }
  }
  return {
    arcs: [...arcs.values()].map(({ from, to, ps }) => ({ from, to, delay: constantDelay(ps) })),
    launches: [...launches].map(([to, ps]) => ({ to, delay: constantDelay(ps) })),
    captures: [...captures].map(([from, ps]) => {
      const table = constantTable(ps);
      return { from, setup: [table, table] as const };
    }),
    loads: new Map(),
    blockRam: /^RAMB(?:18|36)E1$/.test(type),
  };
}

/** Equal delays are one object. */
const constants = new Map<number, Delay>();
const noSlew = constantTable(0);

function constantDelay(ps: number): Delay {
  const table = constantTable(ps);
  const delay: Delay = constants.get(ps) ?? {
    sense: "positive",
    delay: [table, table],
    slew: [noSlew, noSlew],
  };
  constants.set(ps, delay);
  return delay;
}
