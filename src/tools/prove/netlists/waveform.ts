// SPDX-License-Identifier: Apache-2.0
// A run as a value change dump (IEEE 1364), in which bits called `name[bit]` are vectors.

/** By name of each bit, `0`, `1` or `x`. */
export interface Signals {
  readonly ports: ReadonlyMap<string, string>;
  readonly rtl: ReadonlyMap<string, string>;
  readonly netlist: ReadonlyMap<string, string>;
}

interface Vector {
  readonly name: string;
  readonly id: string;
  /** Names of its bits, the highest first; null for a bit without a register. */
  readonly bits: readonly (string | null)[];
}

const scopes = ["ports", "rtl", "netlist"] as const;
type Scope = (typeof scopes)[number];
/** Duration of a cycle in ps. */
const period = 1000;

/** `called` names scopes otherwise. */
export function waveform(
  run: readonly Signals[],
  called: Readonly<Partial<Record<Scope, string>>> = {},
): string {
  let count = 0;
  const of = scopes.map((scope) => ({
    scope,
    vectors: vectorsOf([...(run[0]?.[scope].keys() ?? [])], () => `s${String((count += 1))}`),
  }));
  const head = of.flatMap(({ scope, vectors }) => [
    `$scope module ${called[scope] ?? scope} $end`,
    ...vectors.map(({ name, id, bits }) => `$var wire ${String(bits.length)} ${id} ${name} $end`),
    "$upscope $end",
  ]);
  const cycles = run.flatMap((signals, cycle) => [
    `#${String(cycle * period)}`,
    ...of.flatMap(({ scope, vectors }) =>
      vectors.map(({ id, bits }) => {
        const letters = bits.map((bit) => (bit === null ? "x" : (signals[scope].get(bit) ?? "x")));
        return `b${letters.join("")} ${id}`;
      }),
    ),
  ]);
  const end = `#${String(run.length * period)}`;
  return ["$timescale 1ps $end", ...head, "$enddefinitions $end", ...cycles, end, ""].join("\n");
}

function vectorsOf(names: readonly string[], nextId: () => string): readonly Vector[] {
  const bits = new Map<string, Map<number, string>>();
  for (const name of names) {
    const [, base = name, bit = "0"] = /^(.*)\[(\d+)\]$/.exec(name) ?? [];
    const shown = base.replaceAll(/\s/g, "");
    const vector = bits.get(shown) ?? new Map<number, string>();
    bits.set(shown, vector.set(Number(bit), name));
  }
  return [...bits].map(([name, values]) => {
    const width = 1 + Math.max(...values.keys());
    const from = Array.from({ length: width }, (_, i) => values.get(width - 1 - i) ?? null);
    return { name, id: nextId(), bits: from };
  });
}
