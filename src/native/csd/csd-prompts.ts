// SPDX-License-Identifier: Apache-2.0
// Converts prompts into the addon's format, and its results into the driver's terms.

import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import type { PromptRows } from "../../machine/csd/csd-jobs.ts";
import type { CsdRunOptions, PromptRun } from "../../machine/csd/csd-types.ts";
import { NeardataError } from "../../base/errors.ts";
import { deviceRun, jobResults, sharedLinkUse } from "./csd-run.ts";
import type { Native } from "../layout.ts";
import { wordsOf } from "../record.ts";

export function nativePrompts(
  prompts: readonly PromptRows[],
  { unit }: CsdMachine,
  options: CsdRunOptions,
): Native<"CsdPrompts"> {
  for (const { keys, values } of prompts) {
    if (keys.length !== values.length || keys.length % unit.width !== 0) {
      throw new NeardataError("misuse", "keys and values are not equally many rows of a head.");
    }
  }
  const rows = new Uint16Array(
    prompts.reduce((sum, { keys, values }) => sum + keys.length + values.length, 0),
  );
  let at = 0;
  for (const part of prompts.flatMap(({ keys, values }) => [keys, values])) {
    rows.set(part, at);
    at += part.length;
  }
  return {
    heads: wordsOf(
      "PromptRow",
      prompts.map(({ sequence, head, keys }) => ({
        device: sequence.device,
        sequence: sequence.id,
        head,
        tokens: keys.length / unit.width,
      })),
    ),
    ready: Float64Array.from(prompts, ({ ready }) => Math.ceil(ready)),
    rows,
    maxCycles: options.maxCycles ?? 0,
  };
}

export function toPromptRun(
  result: Native<"CsdResult">,
  prompts: readonly PromptRows[],
): PromptRun {
  const writes = jobResults(result).map(({ status, sent, taken, done, pages, onFlash }) => ({
    done: status === "done",
    sent,
    arrived: taken,
    written: done,
    pages,
    onFlash,
  }));
  return {
    prompts: writes,
    sharedLink: sharedLinkUse(result),
    devices: result.devices.map((native, d) => {
      const device = deviceRun(native);
      const asked = writes
        .filter((_, i) => prompts[i]?.sequence.device === d)
        .reduce((sum, { pages }) => sum + pages.dims + pages.keys + pages.values, 0);
      // The engine, which counts programs elsewhere, has no part in this.
      return { ...device, pagesProgrammed: asked - device.writes.failedPrograms };
    }),
  };
}
