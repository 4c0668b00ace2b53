// SPDX-License-Identifier: Apache-2.0
// Calls of NDP units and of memories that ended the process, or might.

import { descriptorWords } from "../../src/workload/ndp/layout.ts";
import { call, descriptor, dram, ndp, result, type Fields } from "./api-base.ts";
import {
  bad,
  misuse,
  value,
  fault,
  most,
  one,
  unitRun,
  readBursts,
  times,
  type Row,
} from "./api-ending.ts";

export const unitsCases: readonly Row[] = [
  ["open: nothing", one("ndpOpen", undefined), misuse(/config/)],
  ["open: streams 3", one("ndpOpen", ndp({}, { streams: 3 })), bad(/streams/)],
  ["open: clock 10^300 Hz", one("ndpOpen", ndp({ unitClock: 1e300 })), bad(/unitClock/)],
  ["open: clock 1 Hz", one("ndpOpen", ndp({ memoryClock: 1 })), bad(/memoryClock/)],
  [
    "open: a plug-in with a zero in its name",
    one("ndpOpen", ndp({ model: "rtl", plugin: "a\0b" })),
    bad(/plugin/),
  ],
  ["read: 2^31 bursts", readBursts(0, 2 ** 31), bad(/bursts/)],
  ["read: 2^32 bursts", readBursts(0, 2 ** 32), bad(/bursts/)],
  ["read: burst 1, 2^63 bursts", readBursts(1, 2 ** 63), bad(/bursts/)],
  ["read: burst 4096, 2^63 bursts", readBursts(4096, 2 ** 63), bad(/bursts/)],
  ["read: burst 2^32-1, 2 bursts", readBursts(most, 2), bad(/beyond/)],
  ["read: burst 1.5", readBursts(1.5, 1), misuse(/burst/)],
  ["read: NaN bursts", readBursts(0, NaN), misuse(/bursts/)],
  [
    "load: beyond the rank",
    [call("ndpOpen", ndp()), call("ndpLoad", result(0), 0, most, new Uint8Array(64))],
    bad(/beyond/),
  ],
  ["run: bufferBytes 0", unitRun(ndp({}, { bufferBytes: 0 })), bad(/bufferBytes/)],
  ["run: lanes 0", unitRun(ndp({}, { lanes: 0 })), bad(/lanes/)],
  [
    "run: multipliers 0",
    unitRun(ndp({}, { multipliersPerStream: 0 })),
    bad(/multipliersPerStream/),
  ],
  ["run: bitsPerCycle 0", unitRun(ndp({}, { bitsPerCycle: 0 })), bad(/bitsPerCycle/)],
  ["run: activationLanes 0", unitRun(ndp({}, { activationLanes: 0 })), bad(/activationLanes/)],
  ["run: maxTokens 0", unitRun(ndp({}, { maxTokens: 0 })), bad(/maxTokens/)],
  ["run: queueBursts 3", unitRun(ndp({}, { queueBursts: 3 })), bad(/queueBursts/)],
  ["run: queueEntries 2^32-1", unitRun(ndp({}, {}, { queueEntries: most })), bad(/queue/)],
  [
    "run: a descriptor of zeros",
    unitRun(ndp(), { descriptors: new Uint32Array(descriptorWords) }),
    bad(/descriptor 0.*tokens/),
  ],
  [
    "run: a descriptor of ones",
    unitRun(ndp(), { descriptors: new Uint32Array(descriptorWords).fill(most) }),
    bad(/descriptor 0.*operation/),
  ],
  [
    "run: no blocks",
    unitRun(ndp(), { descriptors: descriptor({ 3: 0 }) }),
    bad(/descriptor 0.*input/),
  ],
  [
    "run: rows that its blocks do not hold",
    unitRun(ndp(), { descriptors: descriptor({ 4: most }) }),
    bad(/descriptor 0.*rows/),
  ],
  [
    "run: a pass of 2^31 tokens",
    unitRun(ndp(), { descriptors: descriptor({ 2: 2 ** 31 }) }),
    bad(/descriptor 0.*pass/),
  ],
  ["run: 19 words", unitRun(ndp(), { descriptors: new Uint32Array(19) }), misuse(/descriptors/)],
  [
    "run: an address beyond the rank",
    unitRun(ndp(), { descriptors: descriptor({ 7: 2 ** 31 - 1 }) }),
    fault("protocol"),
  ],
  [
    "run: an address that wraps",
    unitRun(ndp(), { descriptors: descriptor({ 7: most }) }),
    bad(/descriptor 0.*base of the inputs/),
  ],
  [
    "run: ideal, latency 2^53",
    unitRun(ndp({ memory: { kind: "ideal", latency: 2 ** 53, burstCycles: 8 } })),
    bad(/latency/),
  ],
  [
    "run: ideal, burstCycles 0",
    unitRun(ndp({ memory: { kind: "ideal", latency: 10, burstCycles: 0 } })),
    fault("guard-failed"),
  ],
  ["run: keepCommands 2^53", unitRun(ndp(), { keepCommands: 2 ** 53 }), bad(/keepCommands/)],
  ["run: maxCycles 2^53", unitRun(ndp(), { maxCycles: 2 ** 53 }), fault("none")],
  [
    "run: stalls with probability 1",
    unitRun(ndp(), { stalls: { seed: 1, probability: 1 } }),
    bad(/probability/),
  ],
  [
    "run: a burst of 0 cycles",
    unitRun(
      ndp({}, {}, { timing: { ...((ndp()["memory"] as Fields)["timing"] as Fields), burst: 0 } }),
    ),
    bad(/burst/),
  ],
  ["run: a refresh before the run", unitRun(ndp({}, {}, { refreshStart: 1e9 })), bad(/begins/)],
];

export const memoriesCases: readonly Row[] = [
  ["readyAt: nothing", [call("dramReadyAt")], misuse(/config/)],
  [
    "readyAt: command 255, NaN",
    one("dramReadyAt", dram(), Float64Array.of(0, 255, 0, 0, 0), times(NaN).slice(0, 4)),
    misuse(/past command/),
  ],
  [
    "readyAt: command -1",
    one("dramReadyAt", dram(), new Float64Array(0), Float64Array.of(-1, 0, 0, 0)),
    misuse(/next command/),
  ],
  [
    "readyAt: command 256",
    one("dramReadyAt", dram(), new Float64Array(0), Float64Array.of(256, 0, 0, 0)),
    misuse(/next command/),
  ],
  [
    "readyAt: cycle 1e300",
    one("dramReadyAt", dram(), Float64Array.of(1e300, 0, 0, 0, 0), Float64Array.of(0, 0, 0, 0)),
    misuse(/past command/),
  ],
  ["replay: nothing", [call("dramReplayOpen")], misuse(/config/)],
  [
    "replay: 4096 banks of 1024 channels",
    one(
      "dramReplayOpen",
      dram({ organization: { ...(dram()["organization"] as Fields), channels: 1024, ranks: 128 } }),
    ),
    bad(/banks/),
  ],
  [
    "replay: bytes that are no text",
    [
      call("dramReplayOpen", dram()),
      call("dramReplayFeed", result(0), new Uint8Array(1 << 20).fill(200)),
    ],
    value,
  ],
  [
    "replay: fed after its end",
    [
      call("dramReplayOpen", dram()),
      call("dramReplayFinish", result(0)),
      call("dramReplayFeed", result(0), new Uint8Array(8)),
      call("dramReplayFinish", result(0)),
    ],
    misuse(/is over/),
  ],
];
