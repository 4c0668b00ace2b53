// SPDX-License-Identifier: Apache-2.0
// A search for a case in which RTL, cycle model and golden values disagree. Guided: a case that
// reached a new pair of states is stored. Most new cases are changes of stored cases, preferably of
// those whose pairs few later cases reached. What it draws depends on the seed and on what the unit
// did, and on nothing else.

import fc from "fast-check";

import type { Case, Subject } from "./subject.ts";

/** Whole numbers from 0 to below a limit, the same ones for a seed. */
type Draw = (below: number) => number;

/** fast-check's generator, a number at a time. */
function drawOf(seed: number): Draw {
  const numbers = fc.sample(fc.infiniteStream(fc.nat(0x7fffffff)), { seed, numRuns: 1 })[0];
  if (numbers === undefined) throw new Error("fast-check drew nothing");
  return (below) => Number(numbers.next().value) % below;
}

/** Changes of one field; the last copies the field of another stored case. */
const changes = 7;

export interface Disagreement {
  readonly one: Case;
  readonly wrong: string;
}

export class Search {
  /** Cases that reached new pairs, with these pairs, in the order of their discovery. */
  readonly kept: { readonly one: Case; readonly reached: readonly number[] }[] = [];
  /** How many cases reached a pair. */
  readonly seen = new Map<number, number>();
  cases = 0;
  cycles = 0;
  private readonly subject: Subject;
  private readonly guided: boolean;
  private readonly draw: Draw;

  constructor(subject: Subject, seed: number, guided = true) {
    this.subject = subject;
    this.guided = guided;
    this.draw = drawOf(seed);
  }

  /** Runs another case. */
  async step(): Promise<Disagreement | null> {
    return this.take(this.next());
  }

  /** Runs this case, and retains it if it reached new pairs. */
  async take(one: Case): Promise<Disagreement | null> {
    const { cycles, pairs, wrong } = await this.subject.run(one);
    this.cases += 1;
    this.cycles += cycles;
    if (wrong !== null) return { one, wrong };
    const reached = [...pairs].filter((pair) => !this.seen.has(pair));
    for (const pair of pairs) this.seen.set(pair, (this.seen.get(pair) ?? 0) + 1);
    if (reached.length > 0) this.kept.push({ one, reached });
    return null;
  }

  private next(): Case {
    const fresh = !this.guided || this.kept.length === 0 || this.draw(4) === 0;
    for (;;) {
      const one = fresh ? this.fresh() : this.changed();
      if (this.subject.fits(one)) return one;
    }
  }

  private fresh(): Case {
    const fields = Object.entries(this.subject.fields);
    return Object.fromEntries(fields.map(([name, range]) => [name, this.within(range)]));
  }

  /** A stored case with some fields changed. */
  private changed(): Case {
    const one = { ...this.rare() };
    const other = this.rare();
    const names = Object.keys(this.subject.fields);
    for (let left = 1 + this.draw(4); left > 0; left -= 1) {
      const name = names[this.draw(names.length)] ?? "";
      one[name] = this.changedField(name, one[name] ?? 0, other[name] ?? 0);
    }
    return one;
  }

  /** The stored case, among a few, whose pairs the fewest cases reached. */
  private rare(): Case {
    const some = Array.from({ length: 4 }, () => this.kept[this.draw(this.kept.length)]);
    const cases = some.map((kept) => {
      const counts = (kept?.reached ?? []).map((pair) => this.seen.get(pair) ?? 0);
      return { one: kept?.one ?? {}, fewest: Math.min(...counts) };
    });
    return cases.reduce((best, next) => (next.fewest < best.fewest ? next : best)).one;
  }

  private changedField(name: string, value: number, other: number): number {
    const range = this.subject.fields[name] ?? [0, 0];
    const [least, most] = range;
    const by = 2 ** this.draw(5);
    const to = [value - 1, value + 1, value - by, value + by, least, most, other];
    const kind = this.draw(changes + 2);
    const chosen = to[kind] ?? this.within(range);
    return Math.min(most, Math.max(least, chosen));
  }

  private within([least, most]: readonly [number, number]): number {
    return least + this.draw(most - least + 1);
  }
}

/** The same disagreement, or another one, in a case none of whose fields can be made smaller. */
export async function shrunk(subject: Subject, disagreement: Disagreement): Promise<Disagreement> {
  let best = disagreement;
  for (let smaller = true; smaller;) {
    smaller = false;
    for (const [name, [least]] of Object.entries(subject.fields)) {
      const value = best.one[name] ?? least;
      const middle = least + Math.floor((value - least) / 2);
      for (const to of new Set([least, middle, value - 1])) {
        const one = { ...best.one, [name]: to };
        if (to < least || to >= value || !subject.fits(one)) continue;
        const { wrong } = await subject.run(one);
        if (wrong === null) continue;
        best = { one, wrong };
        smaller = true;
        break;
      }
    }
  }
  return best;
}

/** Runs steps until a case disagrees; null after this many cases. */
export async function searched(search: Search, cases: number): Promise<Disagreement | null> {
  while (search.cases < cases) {
    const wrong = await search.step();
    if (wrong !== null) return wrong;
  }
  return null;
}
