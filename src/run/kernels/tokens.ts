// SPDX-License-Identifier: Apache-2.0
// The kernel of tokens: decode steps of a whole model on DIMMs and storage devices.

import { isDeepStrictEqual } from "node:util";
import { tokenHeadlines } from "../../report/summary.ts";
import { tokenDocument } from "../../lm/token/token-metrics.ts";
import { tokenSpans } from "../../lm/token/token-report.ts";
import type { TokenCase } from "../../lm/token/token-case.ts";
import { buildNdpUnit, ndpSources } from "../../native/ndp/ndp-unit.ts";
import { openSession } from "../../native/session.ts";
import type { ResolvedConfig } from "../../scenario/resolve.ts";
import type { TokenScenario } from "../../scenario/token.ts";
import { csdsOn } from "../csd.ts";
import { anyKernel, type TypedKernel, type UnitBuild } from "../kernel.ts";
import { loadToken, runToken, tokenDimm } from "../token.ts";

interface TokenSettings {
  readonly token: TokenScenario;
  readonly config: ResolvedConfig;
}

/** Decode steps of a scenario. */
export const tokens: TypedKernel<TokenCase> = anyKernel(
  {
    name: "token",
    priority: 1,
    inputs: ({ token: { model, text } }: TokenSettings) => [model, text],
    prepare: ({ token }, { directory }) => loadToken(token, directory),
    run: async (
      { settings: { token }, workload },
      { threads, progress, signal, whenCoresFree, seed },
    ) =>
      whenCoresFree(
        async () => {
          const line = progress.share("a token");
          const open = { openNdp: openSession, openCsd: csdsOn(threads) };
          const sessions = { ...open, onProgress: line.update, signal };
          try {
            return [await runToken(token, workload, sessions, { seed })];
          } finally {
            line.end();
          }
        },
        { signal },
      ),
    metrics: ({ metrics }) => metrics,
    checks: ({ checks }) => checks,
    fidelity: ({ machine }) => machine.fidelity,
    rtlUnits: ["ndp", "sparf"],
    document: tokenDocument,
    headlines: tokenHeadlines,
    sections: async (cases) => {
      const { tokenSections } = await import("../../report/token.ts");
      return tokenSections(cases);
    },
    tables: (cases) => cases.map((one) => [{ ...one, accuracy: null }]),
    timeline: (cases) => ({
      spans: cases.flatMap(({ title, runs }) => tokenSpans(runs, title)),
      samples: [],
    }),
    units: tokenUnits,
  },
  (config) => {
    const { token } = config.scenario;
    return token === undefined ? null : { token, config };
  },
);

/** The DIMMs' unit where the expert has another; the engine is built with its session, as heads of files. */
function tokenUnits({ token, config }: TokenSettings): readonly UnitBuild[] {
  if (token.fidelity !== "rtl") return [];
  const { scenario, ownUnit } = config;
  const { unit } = tokenDimm(token);
  const expertHasRtl = scenario.expert !== null && scenario.fidelity === "rtl" && ownUnit === null;
  if (expertHasRtl && isDeepStrictEqual(unit, scenario.unit)) return [];
  return [async (slots) => buildNdpUnit(unit, ndpSources(), slots)];
}
