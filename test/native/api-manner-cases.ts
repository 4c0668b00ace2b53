// SPDX-License-Identifier: Apache-2.0
// Arguments that act when they are read, and calls at the wrong time.

import {
  anyFunction,
  call,
  csd,
  csdRun,
  descriptor,
  ndp,
  ndpRun,
  result,
  sparseJob,
  filled,
} from "./api-base.ts";
import { misuse, value, fault, thrown, word, one, unitRun, type Row } from "./api-ending.ts";

const big = ndpRun({ descriptors: word(descriptor(), 6, 100_000) });
export const mannersCases: readonly Row[] = [
  [
    "a getter that throws",
    one("ndpOpen", { $: "getter", of: ndp(), name: "unitClock" }),
    thrown(/thrown by a getter/),
  ],
  [
    "a getter that throws below",
    one("ndpOpen", ndp({ limits: { $: "getter", of: { readLatency: 1 }, name: "pins" } })),
    thrown(/thrown by a getter/),
  ],
  ["a proxy", one("csdOpen", { $: "proxy", of: csd() }), thrown(/thrown by a proxy/)],
  ["a symbol", one("ndpOpen", { $: "symbol" }), misuse(/config/)],
  [
    "a symbol for a number",
    one("ndpOpen", ndp({ unitClock: { $: "symbol" } })),
    misuse(/unitClock/),
  ],
  [
    "shared memory",
    unitRun(ndp(), { descriptors: { $: "shared", of: descriptor() } }),
    misuse(/descriptors/),
  ],
  [
    "detached memory",
    unitRun(ndp(), { descriptors: { $: "detached", of: descriptor() } }),
    fault("none"),
  ],
  [
    "bytes in shared memory",
    [
      call("ndpOpen", ndp()),
      call("ndpLoad", result(0), 0, 0, { $: "shared", of: new Uint8Array(64) }),
    ],
    misuse(/Uint8Array/),
  ],
  [
    "a getter that takes memory away",
    unitRun(ndp(), {
      $: "meddling",
      of: ndpRun(),
      name: "maxCycles",
      calls: [],
      detached: ["descriptors"],
    }),
    fault("none"),
  ],
  [
    "a getter that closes the session",
    [
      call("ndpOpen", ndp()),
      call(
        "ndpRun",
        result(0),
        { $: "meddling", of: ndpRun(), name: "maxCycles", calls: [call("ndpClose", result(0))] },
        anyFunction,
      ),
    ],
    misuse(/closed/),
  ],
  [
    "a getter that runs the session",
    [
      call("ndpOpen", ndp()),
      call(
        "ndpRun",
        result(0),
        {
          $: "meddling",
          of: ndpRun(),
          name: "maxCycles",
          calls: [call("ndpRun", result(0), ndpRun(), anyFunction)],
        },
        anyFunction,
      ),
    ],
    misuse(/running/),
  ],
  [
    "a getter that takes a job's rows away",
    [
      ...filled(),
      call(
        "csdRun",
        result(0),
        { $: "meddling", of: csdRun(sparseJob), name: "inFlight", calls: [], detached: ["rows"] },
        anyFunction,
      ),
    ],
    misuse(/job 0/),
  ],
  [
    "a getter that closes the devices",
    [
      ...filled(),
      call(
        "csdRun",
        result(0),
        {
          $: "meddling",
          of: csdRun(sparseJob),
          name: "inFlight",
          calls: [call("csdClose", result(0))],
        },
        anyFunction,
      ),
    ],
    misuse(/closed/),
  ],
  [
    "a call after close",
    [call("ndpOpen", ndp()), call("ndpClose", result(0)), call("ndpRead", result(0), 0, 0, 1)],
    misuse(/closed/),
  ],
  [
    "close twice",
    [call("ndpOpen", ndp()), call("ndpClose", result(0)), call("ndpClose", result(0))],
    value,
  ],
  [
    "a call during a run",
    [
      call("ndpOpen", ndp()),
      { ...call("ndpRun", result(0), big, anyFunction), free: true },
      call("ndpRead", result(0), 0, 0, 1),
    ],
    misuse(/running/),
  ],
  [
    "close during a run",
    [
      call("ndpOpen", ndp()),
      { ...call("ndpRun", result(0), big, anyFunction), free: true },
      call("ndpClose", result(0)),
    ],
    misuse(/running/),
  ],
  [
    "close of devices during a run",
    [
      ...filled(),
      { ...call("csdRun", result(0), csdRun(sparseJob), anyFunction), free: true },
      call("csdClose", result(0)),
    ],
    misuse(/running/),
  ],
  [
    "a handle of another kind",
    [call("csdOpen", csd()), call("ndpRead", result(0), 0, 0, 1)],
    misuse(/NDP session/),
  ],
  ["no handle", [call("dramReplayFeed")], misuse(/replay/)],
  [
    "progress that throws",
    [call("ndpOpen", ndp()), call("ndpRun", result(0), big, { $: "throws" })],
    fault("cancelled"),
  ],
];
