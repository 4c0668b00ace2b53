// SPDX-License-Identifier: Apache-2.0
// The whole SparF engine as a subject, its flash front with it: batches of heads against the golden
// arithmetic, the pages that they may read and the beats that the filters keep. Other subjects pair the
// state of a cycle model with that of the RTL; here the first of a pair is the state of the bench's
// flash, DRAM and doorbell.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import type { HeadJob, Traffic } from "../../src/tools/bench/sparf-case.ts";
import { buildEngine, runEngine, type EngineParameters } from "../helpers/sparf-bench.ts";
import {
  comparisons,
  flavourNames,
  goldenOutcome,
  headJobOf,
  layouts,
  pageSizes,
} from "../helpers/sparf-jobs.ts";
import { wordsOf } from "./pairs.ts";
import type { Case, Fields, Subject } from "./subject.ts";

const maxHeads = 5;
const longest = 40;
const dimensions = [2, 4, 8] as const;
/** Of a channel's beats: 1.4 GB/s on 285 MHz is 57 cycles for 35 beats. */
const ratePart = 35;

function fieldsOf(engine: EngineParameters): Fields {
  const flavour = [0, flavourNames.length - 1] as const;
  const head = {
    dense: [0, 1],
    tokens: [1, longest],
    group: [1, engine.MaxGroup],
    dims: [1, engine.Width],
    take: [1, longest + 3],
    window: [0, longest],
    m: [0, dimensions.length - 1],
    page: [0, pageSizes(engine).length - 1],
    layout: [0, layouts.length - 1],
    later: [0, 20],
    query: flavour,
    keys: flavour,
    values: flavour,
    constantKeys: [0, 1],
    seed: [0, 999],
    barrier: [0, 1],
  } as const;
  const heads = Array.from({ length: maxHeads }, (_, i) =>
    Object.entries(head).map(([name, range]) => [`${name}.${String(i)}`, range] as const),
  );
  return {
    heads: [1, maxHeads],
    latency: [1, 300],
    spread: [1, 1000],
    beat: [ratePart, 5 * ratePart],
    pageGap: [0, 30],
    dramLatency: [1, 150],
    pause: [0, 200],
    traffic: [0, 999],
    ...Object.fromEntries(heads.flat()),
  };
}

/**
 * `replaced` has sources that replace the repository's, by path; `goldenOf` replaces the golden
 * model.
 */
export async function sparfEngineSubject(
  name: string,
  engine: EngineParameters,
  scratch: string,
  replaced?: ReadonlyMap<string, string>,
  goldenOf = goldenOutcome,
): Promise<Subject> {
  const bench = await buildEngine(engine, replaced);
  const pairs = join(scratch, `${name}.pairs`);
  return {
    name,
    fields: fieldsOf(engine),
    fits: () => true,
    run: async (one) => {
      const jobs = Array.from({ length: one["heads"] ?? 1 }, (_, i) => headOf(engine, one, i));
      try {
        const run = await runEngine(bench, jobs, trafficOf(one), [], { pairs });
        const different = comparisons(run, jobs, jobs.map(goldenOf)).find(
          ({ found, wanted }) => !isDeepStrictEqual(found, wanted),
        );
        const wrong = different === undefined ? null : `${different.what}: not as the golden model`;
        return { pairs: wordsOf(readFileSync(pairs)), cycles: run.cycles, wrong };
      } catch (error) {
        const wrong = error instanceof Error ? error.message : String(error);
        return { pairs: new Uint32Array(), cycles: 0, wrong };
      }
    },
    close: () => undefined,
  };
}

function trafficOf(one: Case): Traffic {
  const of = (name: string): number => one[name] ?? 0;
  return {
    seed: of("traffic"),
    latency: [of("latency"), of("latency") + of("spread")],
    beatCycles: [of("beat"), ratePart],
    pageGap: of("pageGap"),
    dramLatency: of("dramLatency"),
    pause: of("pause"),
    longest: 1_000_000,
  };
}

/** Head `i` of a case. */
function headOf(engine: EngineParameters, one: Case, i: number): HeadJob {
  const of = (name: string): number => one[`${name}.${String(i)}`] ?? 0;
  const flavour = (name: string): (typeof flavourNames)[number] =>
    flavourNames[of(name)] ?? "ordinary";
  const job = headJobOf(engine.Width, {
    op: of("dense") === 1 ? "dense" : "sparse",
    length: of("tokens"),
    group: of("group"),
    r: of("dims"),
    k: of("take"),
    l: of("window"),
    m: dimensions[of("m")] ?? dimensions[0],
    pageBytes: pageSizes(engine)[of("page")] ?? 0,
    layout: layouts[of("layout")] ?? "padded",
    later: of("later"),
    flavours: [flavour("query"), flavour("keys"), flavour("values")],
    constantKeys: of("constantKeys") === 1,
    seed: of("seed"),
  });
  return { ...job, barrier: of("barrier") === 1 };
}
