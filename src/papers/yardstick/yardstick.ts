// SPDX-License-Identifier: Apache-2.0
// A comparison of all systems on one host, with one request mix and one scheduler (continuous batching, all
// requests waiting from the start), for a dense model and a mixture. Joules by design power, dollars by the
// only printed price. A missing number is not comparable, and has a reason.

import { effective, gpus } from "../../machine/host/devices.ts";
import { serveRequests, type Served } from "../llmshare/model/cluster.ts";
import type { ServedModel } from "../llmshare/model/iteration.ts";
import { serveByRates } from "../llmshare/model/rates.ts";
import {
  allWaiting,
  conversationLengths,
  drawRequests,
  type Lengths,
  type Request,
} from "../llmshare/model/requests.ts";
import { modelShape } from "../../workload/shapes.ts";
import type { Table } from "../../report/page.ts";
import { dots } from "../experiment/chart.ts";
import type { Experiment } from "../experiment/experiment.ts";
import { explained, compareNumber, type Finding } from "../experiment/finding.ts";
import { every } from "../experiment/internal-check.ts";
import { denseSystems, host, rates, type YardstickSystem } from "./dense.ts";
import { hilosDrives, hilosGain } from "./hilos.ts";
import { mixtureSystems } from "./mixture.ts";

const denseModel = "opt-30b";
const mixtureModel = "qwen3-235b-a22b";
const requestCount = 400;
const batchTokens = 8192;

/** LIA, section 7.6: systems over three years, and electricity. */
const prices = { "GNR-A100": 22_000, "DGX-A100": 200_000, kilowattHour: 0.1 };
const threeYears = 3 * 365.25 * 24 * 3600;

interface Row {
  readonly model: string;
  readonly system: string;
  readonly from: string;
  /** Tokens made of all requests. */
  readonly made: number | null;
  readonly tokensPerSecond: number | null;
  readonly joulesPerToken: number | null;
  readonly dollarsPerMillion: number | null;
  readonly note: string;
}

function serve(model: ServedModel, requests: readonly Request[]): Served | null {
  const pool = { servers: 1, model, networkRate: rates.pcie };
  return serveRequests({ ...pool, servers: 0 }, pool, requests, true, batchTokens);
}

const none = { made: null, tokensPerSecond: null, joulesPerToken: null, dollarsPerMillion: null };

interface Priced {
  readonly watts: number;
  /** Null if a part has no printed price. */
  readonly dollars: number | null;
  readonly note: string;
}

function rowOf(
  model: string,
  { name, from }: Pick<YardstickSystem, "name" | "from">,
  served: Served | null,
  { watts, dollars, note }: Priced,
): Row {
  const head = { model, system: name, from };
  if (served === null) {
    return { ...head, ...none, note: "not comparable: the longest request does not fit" };
  }
  const rate = served.tokens / served.servingTime;
  const perSecond =
    dollars === null ? null : dollars / threeYears + (watts / 1e3 / 3600) * prices.kilowattHour;
  return {
    ...head,
    made: served.tokens,
    tokensPerSecond: rate,
    joulesPerToken: watts / rate,
    dollarsPerMillion: perSecond === null ? null : (1e6 * perSecond) / rate,
    note,
  };
}

function priced({ gpu, extra }: YardstickSystem): Priced {
  const watts = host.cpu.watts.value + host.gpu.watts.value * (gpu ? 1 : host.gpu.idle.value);
  if (extra === "") return { watts, dollars: prices["GNR-A100"], note: "" };
  return {
    watts,
    dollars: null,
    note: `${extra}: the papers print no price and no power for them; the energy is that of CPU and GPU alone`,
  };
}

function absent(model: string, system: string, from: string, why: string): Row {
  return { model, system, from, ...none, note: `not comparable: ${why}` };
}

/** Eight A100 with everything in their memories, with which LIA compares its host. */
function eightGpus(model: string, requests: readonly Request[]): Row {
  const { compute, bandwidth, memory, watts } = gpus["a100-40"];
  const link = 12 * 25e9;
  const server = {
    devices: 8,
    compute: effective(compute),
    bandwidth: effective(bandwidth),
    memory,
    link,
  };
  const served = serveByRates(server, modelShape(model, "the yardstick"));
  const head = { name: "DGX-A100, all in GPU memory", from: "LIA" };
  return rowOf(model, head, served === null ? null : serve(served, requests), {
    watts: 8 * watts.value,
    dollars: prices["DGX-A100"],
    note: "another host with its printed price; power of eight GPUs",
  });
}

const noExperts = "it schedules experts, and this model has none";
const denseOnly = (what: string): string =>
  `${what} has no experts; the row of Klotski transfers all experts over the link in every pass`;

function rowsOf(requests: readonly Request[]): readonly Row[] {
  const run = (model: string, systems: readonly YardstickSystem[]): readonly Row[] =>
    systems.map((one) => rowOf(model, one, serve(one.model, requests), priced(one)));
  const dense = denseSystems(denseModel);
  const mixture = mixtureSystems(mixtureModel);
  const designs = "LLMShare designs devices and pools of them; it has no policy for one host";
  return [
    ...run(denseModel, dense),
    eightGpus(denseModel, requests),
    ...mixture
      .filter(({ from }) => from === "TriMoE")
      .map(({ name }) => absent(denseModel, name, "TriMoE", noExperts)),
    absent(denseModel, "LLMShare", "LLMShare", designs),
    ...run(mixtureModel, mixture),
    ...dense
      .filter(({ from, name }) => from !== "LIA" && name !== "LIA")
      .map(({ name, from }) => absent(mixtureModel, name, from, denseOnly(`the model of ${name}`))),
    absent(mixtureModel, "LLMShare", "LLMShare", designs),
  ];
}

/** "Up to" is the most over models, contexts and batches of long texts. */
function hilosFinding(): Finding {
  const most = (baseline: number): number =>
    Math.max(
      ...["opt-30b", "opt-66b", "opt-175b"].flatMap((model) =>
        [16384, 32768, 65536, 131072].flatMap((tokens) =>
          [1, 4, 16].map((batch) => hilosGain(rates, { model, tokens, batch, baseline })),
        ),
      ),
    );
  const finding = compareNumber("HILOS over the best offloading, most", {
    published: "7.86",
    ours: most(rates.pcie),
    unit: "x",
    kind: "S",
    note: "the abstract of arXiv 2502.09921 states 16 SmartSSDs, but not the drives of FlexGen, the model or the context; in our model FlexGen reads the same drives at the rate of their shared link",
  });
  return explained(finding, [
    { what: "FlexGen's caches on four drives of 3 GB/s", value: most(4 * 3e9) },
    {
      what: "FlexGen's path through the host as InstInfer measured it, 1.33 GB/s",
      value: most(1.33e9),
    },
  ]);
}

function tableOf(rows: readonly Row[]): Table {
  return {
    kind: "table",
    id: "yardstick",
    caption: `${requestCount} requests of the mix on ${host.cpu.title} and ${host.gpu.title} with ${hilosDrives} storage devices or NDP DIMMs where a system has them. Cost: dollars per million tokens, from LIA's printed system prices over three years, 0.1 $/kWh.`,
    columns: [
      { key: "model", title: "model" },
      { key: "system", title: "system" },
      { key: "from", title: "paper" },
      {
        key: "tokensPerSecond",
        title: "tokens made",
        unit: "token/s",
        source: "derived",
        digits: 3,
      },
      { key: "joulesPerToken", title: "energy", unit: "J/token", source: "derived", digits: 3 },
      { key: "dollarsPerMillion", title: "cost", unit: "$/Mtoken", source: "derived", digits: 3 },
      { key: "note", title: "note" },
    ],
    rows: rows.map((row) => ({ ...row })),
  };
}

/** The yardstick over some lengths of requests; by default those of conversations. */
export function yardstickExperiment(lengths: Lengths = conversationLengths()): Experiment {
  return {
    id: "llmshare/yardstick",
    paper: "llmshare",
    title: "All systems with one scheduler and the same requests",
    run: () => {
      const requests = allWaiting(drawRequests(lengths, requestCount, 1, 1));
      const rows = rowsOf(requests);
      const served = rows.filter(({ made }) => made !== null);
      const wanted = requests.reduce((sum, { output }) => sum + output, 0);
      const ran = served.flatMap(({ model, system, tokensPerSecond }) =>
        tokensPerSecond === null
          ? []
          : [{ x: `${system}, ${model}`, series: model, y: tokensPerSecond }],
      );
      return {
        findings: [hilosFinding()],
        checks: [
          every(
            "systems that made every token of every request",
            served.filter(({ made }) => made === wanted).length,
            served.length,
            "systems",
          ),
        ],
        blocks: [
          {
            kind: "prose",
            text: "All systems have the same scheduler: it admits a prompt as soon as its caches fit, in batches of at most 8192 tokens. Kernel launches and software frameworks need no time, because the papers differ in them. The rates are those of LIA's figures, of InstInfer's calibrated paths, and of TriMoE's equations with these devices.",
          },
          tableOf(rows),
          dots(
            {
              id: "yardstick-rates",
              caption: "Generated tokens per second.",
              xTitle: "system",
              yTitle: "tokens made",
              unit: "token/s",
              logY: true,
            },
            ran,
          ),
        ],
        rows: rows.map((row) => ({ ...row })),
        timeline: [],
      };
    },
  };
}
