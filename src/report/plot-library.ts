// SPDX-License-Identifier: Apache-2.0
// Observable Plot and linkedom, which draw figures, if they are installed. Without them, modules with
// figures can be imported, and the first figure reports the missing package.

import type * as PlotModule from "@observablehq/plot";
import type * as LinkedomModule from "linkedom";
import { codeOf } from "../base/files/reason.ts";

export const Plot: typeof PlotModule = await whereInstalled(() => import("@observablehq/plot"));
export const linkedom: typeof LinkedomModule = await whereInstalled(() => import("linkedom"));

async function whereInstalled<Module extends object>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (absence) {
    if (codeOf(absence) !== "ERR_MODULE_NOT_FOUND") throw absence;
    const get = (_: object, name: string | symbol): undefined => {
      // `await` reads `then` to check for a promise.
      if (name === "then") return undefined;
      throw absence;
    };
    return new Proxy<Partial<Module>>({}, { get }) as Module;
  }
}
