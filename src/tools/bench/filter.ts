// SPDX-License-Identifier: Apache-2.0
// The load of a bench on the filter of one flash channel: pages of which half of the rows pass, without pauses. The
// filter is so small that there is little beside the driving.

import { writeFileSync } from "node:fs";

import { openUnit } from "../../rtl/unit.ts";
import { inRepository } from "../../base/paths.ts";
import { rtlPath } from "../../native/compile/rtl-sources.ts";

export const filterTop = "sparf_nfc_filter";
export const filterSource = (): string => inRepository("rtl", rtlPath(`${filterTop}.sv`));

const [rows, rowBeats, mask] = [16, 512, 0x5555];
/** Beats of a page. */
export const pageBeats = rows * rowBeats;

/** Writes the pages as testbench/nfc_filter_main.cc reads them. */
export function writePages(path: string, pages: number): void {
  const page = Uint32Array.of(mask, rows, rowBeats, rowBeats, ...pageData());
  writeFileSync(path, Buffer.concat(Array.from({ length: pages }, () => Buffer.from(page.buffer))));
}

/** Two words per beat. */
function pageData(): Uint32Array {
  return Uint32Array.from({ length: 2 * pageBeats }, (_, i) => i);
}

/** The filter driven from TypeScript. */
export interface DrivenFilter {
  /** Resets the unit and enqueues all pages. */
  readonly send: () => void;
  /** Runs the unit to the end of the last page, and reads the outputs. */
  readonly drive: () => Promise<void>;
  /** The outputs, four words each (data, row_last, last), and the cycle of each. */
  readonly outputs: () => { readonly words: Uint32Array; readonly cycles: Float64Array };
}

export async function openFilter(pages: number): Promise<DrivenFilter> {
  const unit = await openUnit({ top: filterTop, uses: [`${filterTop}.sv`] });
  const data = pageData();
  return {
    send: () => {
      unit.reset();
      const { page: asked, in: into } = unit.streams;
      for (let p = 0; p < pages; p += 1) {
        asked?.send([{ mask, rows, row_beats: rowBeats, used_beats: rowBeats }]);
        into?.sendWords(data);
      }
    },
    drive: async () => {
      await unit.run({ until: { moved: { in: pageBeats * pages }, rest: 1 }, limit: 1e9 });
      const { out } = unit.streams;
      out?.takenWords();
    },
    outputs: () => {
      const { out } = unit.streams;
      return {
        words: out?.takenWords() ?? new Uint32Array(),
        cycles: out?.movedAt() ?? new Float64Array(),
      };
    },
  };
}
