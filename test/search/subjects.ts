// SPDX-License-Identifier: Apache-2.0
// Units that are searched, at sizes at which odd shapes meet every boundary.

import { lowBitUnit, shortSlotUnit, smallUnit } from "../helpers/machines.ts";
import { smallEngine } from "../helpers/sparf-bench.ts";
import { ndpSubject } from "./ndp.ts";
import { sparfEngineSubject } from "./sparf-engine.ts";
import { sparfKernelSubject } from "./sparf-kernel.ts";
import type { Subject } from "./subject.ts";

/** Makes a subject with its files in `scratch`. */
type Open = (scratch: string, replaced?: ReadonlyMap<string, string>) => Promise<Subject>;

const small = { MaxKeys: 64, MaxGroup: 2, Slots: 2, RingLines: 64, QuerySets: 1 };

export const subjects: Readonly<Record<string, Open>> = {
  ndp: (...files) => ndpSubject("ndp", smallUnit, ...files),
  "ndp-short-slot": (...files) => ndpSubject("ndp-short-slot", shortSlotUnit, ...files),
  "ndp-low-bit": (...files) => ndpSubject("ndp-low-bit", lowBitUnit, ...files),
  "sparf-kernel": (...files) =>
    sparfKernelSubject(
      "sparf-kernel",
      { ...small, Lanes: 4, Width: 16, MaxGroup: 4, MaxKeys: 128 },
      ...files,
    ),
  "sparf-kernel-slots": (...files) =>
    sparfKernelSubject("sparf-kernel-slots", { ...small, Lanes: 8, Width: 8, Slots: 4 }, ...files),
  "sparf-engine": (...files) => sparfEngineSubject("sparf-engine", smallEngine, ...files),
};
