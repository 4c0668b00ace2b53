// SPDX-License-Identifier: Apache-2.0
// What driving a unit from TypeScript costs beside a C++ main of the same unit and messages: the filter of
// a flash channel without pauses, which is so small that there is little beside the driving.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { inRepository } from "../native/paths.ts";
import { verilate } from "../native/verilate.ts";
import { openUnit } from "../rtl/unit.ts";
import { interleave } from "./measure.ts";
import type { BenchFigure } from "./result.ts";

const pages = 200;
const rows = 16;
const rowBeats = 512;
const mask = 0x5555;
const beats = rows * rowBeats;

/** Nanoseconds a cycle of both; the difference is the same for every unit of three streams. */
export async function benchUnit(repeats: number): Promise<readonly BenchFigure[]> {
  const main = await verilate({
    top: "nfc_filter",
    parameters: {},
    sources: [inRepository("rtl", "sparf", "nfc_filter.sv")],
    harness: [inRepository("testbench", "nfc_filter_main.cc")],
    kind: "executable",
  });
  const data = Uint32Array.from({ length: 2 * beats }, (_, i) => i);
  const directory = mkdtempSync(join(tmpdir(), "neardata-bench-"));
  await using unit = await openUnit({ top: "nfc_filter", uses: ["sparf/nfc_filter.sv"] });
  const [input, output] = [join(directory, "pages"), join(directory, "results")];
  const page = Uint32Array.of(mask, rows, rowBeats, rowBeats, 0, 0, ...data);
  writeFileSync(
    input,
    Buffer.concat(Array.from({ length: pages }, () => Buffer.from(page.buffer))),
  );
  const timed = (work: () => Promise<unknown>) => async (): Promise<number> => {
    const begin = performance.now();
    await work();
    return (performance.now() - begin) / 1000;
  };
  try {
    const seconds = await interleave(
      {
        main: timed(() => Promise.resolve(execFileSync(main, [input, output]))),
        driven: timed(async () => {
          unit.reset();
          const { page: asked, in: into } = unit.streams;
          for (let p = 0; p < pages; p += 1) {
            asked?.send([{ mask, rows, row_beats: rowBeats, used_beats: rowBeats }]);
            into?.sendWords(data);
          }
          await unit.run({ until: { moved: { in: beats * pages } }, limit: 1e9 });
        }),
      },
      repeats,
    );
    const nanoseconds = (of: number): number => (1e9 * of) / (beats * pages);
    const extra = nanoseconds(seconds.driven - seconds.main);
    const engine = 2450;
    return [
      { name: "smallest unit, C++ main", value: nanoseconds(seconds.main), unit: "ns/cycle" },
      { name: "smallest unit, driven", value: nanoseconds(seconds.driven), unit: "ns/cycle" },
      {
        name: "driving a unit, beside the SparF engine's clock",
        value: (100 * extra) / engine,
        unit: "%",
        aim: "at most 5 %",
        met: extra <= 0.05 * engine,
      },
    ];
  } finally {
    rmSync(directory, { recursive: true });
  }
}
