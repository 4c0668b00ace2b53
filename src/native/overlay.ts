// SPDX-License-Identifier: Apache-2.0
// Changes of neardata's own RTL: a directory whose files replace the files with the same names. The
// changed unit replaces the unit of the paper, as a unit of the scenario.

import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { inputError } from "../base/errors.ts";
import { formatPath } from "../base/files/reason.ts";
import { rtlFilesBelow } from "./compile/rtl-sources.ts";
import { didYouMean } from "../base/nearest.ts";
import { hashOfValue } from "../base/hash.ts";
import {
  customUnitSources,
  type CustomUnitMachine,
  type CustomUnit,
} from "./custom-unit-choice.ts";
import { floatFormats } from "../golden/names.ts";

type Changed = Pick<CustomUnit, "top" | "uses" | "parameters">;

const units: Readonly<Record<CustomUnitMachine, Changed>> = {
  "ndp-dimm": {
    top: "dimm_ndp",
    uses: ["common", "ndp"],
    parameters: {
      Streams: "streams",
      MultPerStream: "multipliersPerStream",
      Lanes: "lanes",
      BitsPerCycle: "bitsPerCycle",
      LowBitWeights: "lowBitWeights",
      AlignedBits: "alignedBits",
      BufferBytes: "buffer",
      QueueBursts: "queueBursts",
      ActLanes: "activationLanes",
      MaxTokens: "maxTokens",
      Descriptors: "descriptors",
    },
  },
  "storage-device": {
    top: "sparf_engine",
    uses: ["common", "sparf", "ndp/ndp_pkg.sv"],
    parameters: {
      Channels: "channels",
      Kernels: "kernels",
      Lanes: "lanes",
      Width: "width",
      MaxKeys: "maxKeys",
      MaxGroup: "maxGroup",
      Slots: "slots",
      RingLines: "ringLines",
      MaxPageRows: "maxPageRows",
      Tags: "tags",
      QuerySets: "querySets",
    },
  },
};

/**
 * The units of both machines with the changes of the directory; null for a unit without changes.
 */
export interface Overlay {
  readonly unit: CustomUnit | null;
  readonly engine: CustomUnit | null;
}

/**
 * The directory is relative to `from`. @throws NeardataError `bad-input` if it does not exist, or
 * if none of its files has the name of a file of neardata
 */
export function readOverlay(folder: string, from: string): Overlay {
  const directory = resolve(from, folder);
  if (!existsSync(directory)) throw inputError("rtl", `there is no folder ${formatPath(folder)}.`);
  const files = customUnitSources(directory);
  const [unit, engine] = (["ndp-dimm", "storage-device"] as const).map((machine) =>
    changedUnit(machine, directory, files),
  );
  if (!unit && !engine) {
    const known = Object.values(units).flatMap(({ uses }) => filesOf(uses));
    const [first = ""] = files;
    const message = `no file of ${formatPath(folder)} has the name of one of neardata's RTL.`;
    throw inputError("rtl", `${message}${didYouMean(first, known)}`);
  }
  return { unit: unit ?? null, engine: engine ?? null };
}

function changedUnit(
  machine: CustomUnitMachine,
  directory: string,
  files: readonly string[],
): CustomUnit | null {
  const changed = units[machine];
  const known = filesOf(changed.uses);
  if (!files.some((name) => known.includes(name))) return null;
  const name = `${changed.top} with ${basename(directory)}`;
  const contents = files.map((file) => [file, readFileSync(join(directory, file), "utf8")]);
  return {
    ...changed,
    machine,
    name,
    title: name,
    directory,
    ndp: {},
    slotCycles: null,
    formats: floatFormats,
    separately: [],
    golden: null,
    digest: hashOfValue([changed.top, contents]),
  };
}

function filesOf(uses: readonly string[]): readonly string[] {
  return uses.flatMap((name) =>
    name.endsWith(".sv") ? [basename(name)] : rtlFilesBelow(name).map((path) => basename(path)),
  );
}
