// SPDX-License-Identifier: Apache-2.0
// Requests of a trace: how they are read, shrunk to a model, and scheduled in one running batch.

import { describe, expect, it } from "vitest";

import {
  batchRequests,
  positionsOf,
  shrunk,
  smallestShrink,
  type BatchRequest,
} from "../../src/lm/batch/batch-requests.ts";
import type { CsdMachine } from "../../src/machine/csd/csd-machine.ts";
import { batchSchedule, type StepPart } from "../../src/lm/batch/batch-schedule.ts";
import { batchDevices, pageCapacity } from "../../src/lm/batch/batch-storage.ts";
import { readMoeModel } from "../../src/lm/moe/model.ts";
import { rejection } from "../helpers/rejection.ts";
import { tracedRequests } from "../helpers/traced-requests.ts";
import { request } from "./batch-request.ts";
import { checkpointOf, settings, tensorsOf, text } from "./moe-checkpoint.ts";

const model = readMoeModel(checkpointOf(tensorsOf("deepseek-moe")), settings);

const trace = (...rows: readonly string[]): string =>
  ["TIMESTAMP,ContextTokens,GeneratedTokens", ...rows, ""].join("\n");
const day = "2023-11-16 23:59";

const { requests: traced } = await tracedRequests(
  trace(`${day}:01,100,9`, `${day}:03,20,30`, `${day}:04,640,1`),
  "t",
);

describe("requests of a trace", () => {
  it("have arrivals after the first, across midnight, and none of no tokens", async () => {
    const rows = [`${day}:58.5000001,100,3`, `${day}:59,0,3`, "2023-11-17 00:00:00.25,7,1"];
    const { requests } = await tracedRequests(trace(...rows), "t.csv");
    expect(requests.map(({ prompt, generated }) => [prompt, generated])).toEqual([
      [100, 3],
      [7, 1],
    ]);
    expect(requests[1]?.arrival).toBeCloseTo(1.7499999, 9);
  });

  it.each([
    ["yesterday,1,1", /^t\.csv:2: .*TIMESTAMP/],
    ["2023-13-16 10:00:00,1,1", /^t\.csv:2: .*TIMESTAMP/],
    [`${day}:58,1,1\n${day}:57,1,1`, "t.csv:3"],
    [`${day}:58,1.5,1`, /^t\.csv:2: .*ContextTokens/],
    [`${day}:58,1`, "t.csv:2"],
    [`${day}:58,1,0`, "t.csv"],
  ])("refuse %s", async (rows, where) => {
    await expect(tracedRequests(trace(rows), "t.csv")).rejects.toThrow(
      rejection("bad-input", where),
    );
  });

  it("refuse a trace without a column", async () => {
    const noTimes = tracedRequests("ContextTokens,GeneratedTokens\n1,1\n", "t.csv");
    await expect(noTimes).rejects.toThrow(rejection("bad-input", /^t\.csv: .*TIMESTAMP/));
  });

  it("shrink so that longer stays longer, one token stays one, and the longest fits", () => {
    const lengths = Array.from({ length: 200 }, (_, i) => i + 1);
    for (const by of [1, 3, 14]) {
      const shorter = lengths.map((n) => shrunk(n, by));
      expect(shorter).toEqual([...shorter].sort((a, b) => a - b));
      expect(shorter[0]).toBe(1);
      expect(shorter.at(-1)).toBe(Math.ceil(200 / by));
    }
    const lengthsOfTwo = [
      { prompt: 100, generated: 29 },
      { prompt: 640, generated: 1 },
    ];
    // 64 positions suffice for 50 + 15 - 1 (100 and 29 divided by 2), but 640 + 1 - 1 must be
    // divided by 10.
    expect(smallestShrink(lengthsOfTwo.slice(0, 1), 64)).toBe(2);
    expect(smallestShrink(lengthsOfTwo, 64)).toBe(10);
    expect(smallestShrink(lengthsOfTwo, 63)).toBe(11);
  });

  const rules = { requests: 2, shrink: null, pace: 10 };
  it("are pieces of the text one behind another, arriving as fast as asked", () => {
    const { requests } = batchRequests(traced, "t", { ...rules, shrink: 10 }, text, 64);
    expect(requests.map(({ prompt, generated }) => [prompt, generated])).toEqual([
      [10, 1],
      [2, 3],
    ]);
    expect(requests.map(({ arrival }) => arrival)).toEqual([0, 0.2]);
    expect(requests.map((one) => one.text)).toEqual([text.subarray(0, 11), text.subarray(11, 16)]);
    // Where the text ends, the next begins at its begin.
    const shrunkBy10 = { ...rules, shrink: 10 };
    const short = batchRequests(traced, "t", shrunkBy10, text.subarray(0, 15), 64).requests;
    expect(short[1]?.text).toEqual(text.subarray(0, 5));
  });

  it("shrink by the needs of the selected requests, not of later ones", () => {
    expect(batchRequests(traced, "t", rules, text, 64).shrink).toBe(2);
    expect(batchRequests(traced, "t", { ...rules, requests: 3 }, text, 64).shrink).toBe(10);
  });

  it.each([
    [{ requests: 4 }, 64, 300, /^--requests: .* 3 .* 4\./],
    [{ shrink: 1 }, 64, 300, /^--shrink: .* 108 /],
    [{ shrink: 2 }, 64, 20, /^--text: .* 20 .* 55\./],
  ])("refuse %o", (change, positions, bytes, where) => {
    const asked = { ...rules, ...change };
    expect(() => batchRequests(traced, "t", asked, text.subarray(0, bytes), positions)).toThrow(
      rejection("bad-input", where),
    );
  });
});

describe("a schedule", () => {
  const shown = (parts: readonly StepPart[]): readonly string[] =>
    parts.map(({ request: { id }, from, to, kind }) => `${id}:${from}-${to} ${kind}`);
  const bounds = { batch: 2, chunk: 4, fitsStorage: (): boolean => true };

  it("has the next token of each sequence and a chunk of prompts, and admits who has arrived", () => {
    const requests = [
      request(0, 6, 2),
      request(1, 3, 2),
      request(2, 1, 1),
      request(3, 1, 1, { arrival: 9 }),
    ];
    const schedule = batchSchedule(requests, bounds);
    const step = (time: number): readonly string[] => {
      schedule.admit(time);
      const parts = schedule.next();
      schedule.end(parts, time + 1);
      return shown(parts);
    };
    expect(step(0)).toEqual(["0:0-4 prompt"]);
    expect(step(1)).toEqual(["0:4-6 prompt", "1:0-2 prompt"]);
    expect(step(2)).toEqual(["0:6-7 decode", "1:2-3 prompt"]);
    // Request 0 has left; request 2 had waited for its place.
    expect(step(3)).toEqual(["1:3-4 decode", "2:0-1 prompt"]);
    expect(schedule.running()).toEqual([]);
    expect(step(4)).toEqual([]);
    expect(schedule.arrival()).toBe(9);
    expect(step(9)).toEqual(["3:0-1 prompt"]);
    expect(schedule.arrival()).toBeNull();
  });

  it("admits none before one that has no room", () => {
    const requests = [request(0, 6, 2), request(1, 30, 2), request(2, 1, 1)];
    const tokens = (of: readonly BatchRequest[]): number =>
      of.reduce((sum, one) => sum + positionsOf(one), 0);
    const schedule = batchSchedule(requests, {
      batch: 8,
      chunk: 64,
      fitsStorage: (inside, next) => tokens([...inside, next]) <= 31,
    });
    expect(schedule.admit(0).map(({ id }) => id)).toEqual([0]);
    expect(schedule.waiting(0)).toBe(2);
    const first = schedule.next();
    expect(schedule.end(first, 1)).toEqual([]);
    const left = schedule.end(schedule.next(), 2);
    expect(left.map(({ tokens: at }) => at)).toEqual([[1, 2]]);
    expect(schedule.admit(2).map(({ id }) => id)).toEqual([1]);
  });

  it("counts pages of all heads on the device that has them", () => {
    const { architecture } = model;
    // Width 16: 128 rows of K or V a page of 4096 bytes, 512 tokens of four dimensions.
    const need = architecture.layers.length * (2 * 1 + 4);
    const held = { batch: 8, tokens: 64 };
    const on = (devices: number): CsdMachine => batchDevices(architecture, "cycle", devices, held);
    const room = (pages: number): ReturnType<typeof pageCapacity> =>
      pageCapacity(architecture, on(2), pages);
    expect(room(need).fitsStorage([], request(0, 30, 3))).toBe(true);
    expect(room(need - 1).fitsStorage([], request(0, 30, 3))).toBe(false);
    expect(room(need).fitsStorage([request(0, 30, 3)], request(1, 2, 1))).toBe(false);
    expect(room(2 * need).fitsStorage([request(0, 30, 3)], request(1, 2, 1))).toBe(true);
    // With three devices the second request's second head is stored on the first device.
    const three = pageCapacity(architecture, on(3), need);
    expect(three.fitsStorage([request(0, 30, 3)], request(1, 2, 1))).toBe(false);
    expect(pageCapacity(architecture, on(2), null).pages).toBe(458_752);
  });

  it("gives every head of the batch a block of its own in every plane, and an eighth more", () => {
    const { architecture } = model;
    const blocks = (batch: number, devices: number, tokens = 64): number =>
      batchDevices(architecture, "cycle", devices, { batch, tokens }).blocksPerPlane;
    // Two layers with two heads of keys and values: on one device four blocks a sequence, on two two of them.
    expect(blocks(14, 1)).toBe(64);
    expect(blocks(15, 1)).toBe(128);
    expect(blocks(28, 2)).toBe(64);
    expect(blocks(29, 2)).toBe(128);
    expect(blocks(256, 16)).toBe(1024);
  });
});
