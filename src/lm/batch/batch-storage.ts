// SPDX-License-Identifier: Apache-2.0
// Keys and values of a batch on storage devices that stay open: a sequence's heads are stored there from its
// first token to its last. A round is the work of one layer of one step for all devices, in one simulated time:
// each decode step appends its token and attends, and rows of prompts are appended after them, token by token,
// the heads of a token side by side.

import type { AttentionAnswer } from "../../kernels/csd/attention/attention-request.ts";
import { steppedMachine } from "../../kernels/csd/attention/stepped-attention.ts";
import {
  answerOf,
  appendJob,
  assertDefined,
  attentionJob,
  rejectUnusable,
} from "../../kernels/csd/csd-engine.ts";
import type { CsdJob, CsdSequence } from "../../machine/csd/csd-jobs.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import type { CsdRun, CsdSession, OpenCsdSession } from "../../machine/csd/csd-types.ts";
import { NeardataError } from "../../base/errors.ts";
import { outcomeSentence } from "../../results/checks.ts";
import { seconds, toSeconds, type Seconds } from "../../base/units.ts";
import { present } from "../../base/present.ts";
import type { Architecture } from "../moe/architecture.ts";
import { firstDeviceOf } from "../token/token-machine.ts";
import type { LayerRound } from "./batch-forward.ts";
import { positionsOf, type BatchRequest } from "./batch-requests.ts";

/** Results of a round. */
export interface RoundRun {
  readonly run: CsdRun;
  /** Numbers of the jobs that attend, in the order of the round's groups that do. */
  readonly attends: readonly number[];
  readonly answers: readonly (AttentionAnswer | null)[];
  /** By device: until the last answer is at the host, and from then until all rows are stored. */
  readonly attention: readonly Seconds[];
  readonly storing: readonly Seconds[];
}

/** Hears rounds, to run them again. */
export interface RoundAudit {
  /** Called before the run; decides whether the round is sampled. */
  readonly before: (session: CsdSession) => void;
  readonly after: (
    jobs: readonly CsdJob[],
    attends: readonly number[],
    run: CsdRun,
  ) => Promise<void>;
}

/** Devices of a batch. */
export interface BatchStorage {
  readonly machine: CsdMachine;
  readonly round: (round: LayerRound) => Promise<RoundRun>;
  /** The request's heads become garbage. */
  readonly leave: (request: BatchRequest) => void;
  readonly close: () => void;
}

/** Dimensions of an embedding-order page. */
const dimsPerPage = 4;

/**
 * Devices for the heads of `batch` sequences of `tokens`: each head has separate flash blocks in
 * every plane.
 */
export function batchDevices(
  { headWidth, kvHeads, layers }: Architecture,
  engine: CsdMachine["engine"],
  devices: number,
  { batch, tokens }: { readonly batch: number; readonly tokens: number },
): CsdMachine {
  const heads = batch * layers.length * Math.ceil(kvHeads / devices);
  return steppedMachine(engine, devices, headWidth, { heads, tokens });
}

export async function batchStorage(
  { kvHeads, layers }: Architecture,
  machine: CsdMachine,
  open: OpenCsdSession,
  audit: RoundAudit | null,
): Promise<BatchStorage> {
  const { devices } = machine;
  const session = await open(machine);
  const places = new Map<BatchRequest, readonly (readonly CsdSequence[])[]>();
  const placeOf = (request: BatchRequest, layer: number, head: number): CsdSequence => {
    const place =
      places.get(request) ??
      layers.map(() =>
        Array.from({ length: kvHeads }, (_, h) => {
          const device = deviceOf(kvHeads, request, h, devices);
          return session.createSequence({ device, heads: 1, dimsPerPage, tail: "dram-tail" });
        }),
      );
    places.set(request, place);
    return assertDefined(place[layer]?.[head]);
  };
  return {
    machine,
    round: async ({ layer, groups }) => {
      const decodes = groups.filter(({ attend }) => attend !== null);
      const on = ({ part, head }: LayerRound["groups"][number]): CsdSequence =>
        placeOf(part.request, layer, head);
      const stored = (group: LayerRound["groups"][number], token: number): CsdJob => {
        const { cache, part } = group;
        return appendJob(on(group), { ...cache, length: part.to }, token);
      };
      const prompts = groups
        .filter(({ attend }) => attend === null)
        .flatMap((group) => {
          const { from, to } = group.part;
          return Array.from({ length: to - from }, (_, i) => ({ group, token: from + i, nth: i }));
        })
        .sort((a, b) => a.nth - b.nth);
      const jobs = [
        ...decodes.map((group) => stored(group, group.part.from)),
        ...decodes.map((group) =>
          attentionJob(on(group), assertDefined(group.attend ?? undefined)),
        ),
        ...prompts.map(({ group, token }) => stored(group, token)),
      ];
      const attends = decodes.map((_, i) => decodes.length + i);
      audit?.before(session);
      const run = await session.run(jobs);
      const failed = run.devices.find(({ outcome }) => outcome.kind !== "completed");
      if (failed !== undefined) {
        throw new NeardataError("check-failed", outcomeSentence(failed.outcome));
      }
      for (const result of run.jobs) rejectUnusable(result);
      await audit?.after(jobs, attends, run);
      const numbers = new Map(decodes.map((group, i) => [group, attends[i]]));
      const answers = groups.map((group) => {
        const number = numbers.get(group);
        if (group.attend === null || number === undefined) return null;
        return answerOf(group.attend, run.jobs[number]);
      });
      const answered = run.devices.map((_, d) => {
        const matchingAttends = attends.filter((number) => jobs[number]?.sequence.device === d);
        const times = matchingAttends.flatMap((number) => run.jobs[number]?.received ?? []);
        return seconds(Math.max(0, ...times.map(toSeconds)));
      });
      const storing = run.devices.map(({ time }, d) =>
        seconds(Math.max(0, toSeconds(time) - present(answered[d]))),
      );
      // Without prompts the whole time of the device counts as attention, as for a single token.
      const alone = prompts.length === 0;
      return {
        run,
        attends,
        answers,
        attention: alone ? run.devices.map(({ time }) => toSeconds(time)) : answered,
        storing: alone ? storing.map(() => seconds(0)) : storing,
      };
    },
    leave: (request) => {
      for (const sequence of places.get(request)?.flat() ?? []) session.closeSequence(sequence);
      places.delete(request);
    },
    close: () => {
      session.close();
    },
  };
}

function deviceOf(kvHeads: number, { id }: BatchRequest, head: number, devices: number): number {
  return (firstDeviceOf({ kvHeads }, id) + head) % devices;
}

/** Pages of keys and values. */
export interface PageCapacity {
  /** Of each device. */
  readonly pages: number;
  readonly fitsStorage: (admitted: readonly BatchRequest[], next: BatchRequest) => boolean;
}

/** Of a device's pages, for keys and values; the others are the controller's to clean blocks with. */
const usedShare = 7 / 8;

/** Room by pages: each request's for all that it will ever have, on the devices of its heads. */
export function pageCapacity(
  { headWidth, kvHeads, layers }: Architecture,
  { devices, flash, blocksPerPlane, pagesPerBlock }: CsdMachine,
  asked: number | null,
): PageCapacity {
  const planes = flash.channels * flash.dies_per_channel * flash.planes_per_die;
  const pages = asked ?? Math.floor(planes * blocksPerPlane * pagesPerBlock * usedShare);
  const pagesOf = (tokens: number): number => {
    const rows = flash.page_bytes / (2 * headWidth);
    const blocks = Math.ceil(tokens / (flash.page_bytes / (2 * dimsPerPage)));
    return 2 * Math.ceil(tokens / rows) + blocks * Math.ceil(headWidth / dimsPerPage);
  };
  const needOn = (device: number, request: BatchRequest): number => {
    const heads = Array.from({ length: kvHeads }, (_, h) => deviceOf(kvHeads, request, h, devices));
    const length = heads.filter((one) => one === device).length;
    return length * layers.length * pagesOf(positionsOf(request));
  };
  return {
    pages,
    fitsStorage: (admitted, next) =>
      Array.from({ length: devices }, (_, device) =>
        [...admitted, next].reduce((sum, request) => sum + needOn(device, request), 0),
      ).every((need) => need <= pages),
  };
}
