// SPDX-License-Identifier: Apache-2.0
// What a sweep is judged by: named metrics, and without names the first time that its settings move.

import { describe, expect, it } from "vitest";
import type { StoredMetric } from "../../src/explore/store.ts";
import { objectivesOf } from "../../src/explore/table.ts";
import { rejection } from "../helpers/rejection.ts";

/** Times of two cases and a loss, of two points. */
const metrics = [3, 5].flatMap((value, point): StoredMetric[] => {
  const metric = { point, title: "time", unit: "us", source: "measured" } as const;
  return [
    { ...metric, case: "still", id: "time", value: 7 },
    { ...metric, case: "moved", id: "time", value },
    { ...metric, case: "moved", id: "loss", value: 1 },
  ];
});
const keysOf = (...names: readonly string[]): readonly string[] =>
  objectivesOf({ objectives: names.map((metric) => ({ metric })) }, metrics).map(({ key }) => key);

describe("objectives of a sweep", () => {
  it("are the first time in which points differ, where none is named", () => {
    expect(objectivesOf({}, metrics)).toMatchObject([{ key: "moved.time", unit: "us" }]);
    expect(objectivesOf({}, metrics.slice(0, 3))).toMatchObject([{ key: "still.time" }]);
    expect(objectivesOf({}, [])).toEqual([]);
  });

  it("may name a case or leave it open", () => {
    expect(keysOf("still.time", "time", "loss")).toEqual([
      "still.time",
      "moved.time",
      "moved.loss",
    ]);
  });

  it("are refused, all of them, where no point has such a metric", () => {
    expect(() => keysOf("tmie", "time", "moved.speed")).toThrow(
      rejection("bad-input", /^objectives: .*"tmie".*"time"/, /^objectives: .*"moved\.speed"/),
    );
  });
});
