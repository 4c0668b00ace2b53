// SPDX-License-Identifier: Apache-2.0
// A mixture-of-experts model as a judge of a text.

import type { LanguageModel } from "../language-model.ts";
import { moeWindowBits, type MoeRun } from "./forward.ts";
import type { MoeModel } from "./model.ts";
import type { Routes } from "./router.ts";

/** How its windows are run; `onRoutes` hears the choices of each layer of each window. */
export interface MoeOptions extends Pick<MoeRun, "experts" | "dispatch"> {
  readonly onRoutes?: (window: number, routes: Routes) => void;
}

export function moeLanguageModel(
  model: MoeModel,
  { experts, dispatch, onRoutes }: MoeOptions,
): LanguageModel {
  const { inputs, architecture } = model;
  return {
    inputs,
    headWidth: architecture.headWidth,
    vocabulary: architecture.vocabulary,
    bits: async (window, text, attention) =>
      moeWindowBits(model, text, attention, {
        experts,
        dispatch,
        prompt: Math.floor(inputs / 2),
        ...(onRoutes === undefined
          ? {}
          : {
              onRoutes: (routes) => {
                onRoutes(window, routes);
              },
            }),
      }),
  };
}
