// SPDX-License-Identifier: Apache-2.0
// Calls of machines of several DIMMs and of the generator that ended the process, or might.

import { descriptorWords } from "../../src/workload/ndp/layout.ts";
import { call, cxlStream, moe, ndp, result, type Fields } from "./api-base.ts";
import {
  bad,
  misuse,
  one,
  value,
  fault,
  most,
  layer,
  network,
  chunk,
  type Row,
} from "./api-ending.ts";
import { full } from "../helpers/tier.ts";

/**
 * Without jobs no values are computed after the run: a long run is cancelled, together with its
 * values.
 */
const noJobs: Fields = { jobs: [new Uint32Array(0), new Uint32Array(0)], outputs: [] };

/** Nine seconds of refreshes: a slow machine has not ended them when the child cancels. */
const longCases: readonly Row[] = [
  [
    "moe: a move that begins at 2^53",
    layer({
      ...noJobs,
      moves: [{ links: 1, start: 2 ** 53, runs: Uint32Array.of(0, 0, 0, 1, 0, 4096, 8) }],
    }),
    fault("none", "cancelled"),
  ],
  [
    "moe: a task of 2^53 fs",
    layer({
      ...noJobs,
      devices: [
        {
          name: "CPU",
          buffers: 1,
          tasks: [{ compute: 2 ** 53, chunks: new Uint32Array(0) }],
        },
      ],
    }),
    fault("none", "cancelled"),
  ],
];

export const othersCases: readonly Row[] = [
  ["hta1: 2^28 tokens", [call("hta1", 1, 1, 2 ** 28, "keys", 0, 1)], bad(/values/)],
  ["hta1: length times width", [call("hta1", 1, 2 ** 20, 2 ** 20, "keys", 0, 1)], bad(/values/)],
  ["hta1: no rows", [call("hta1", 1, 5, 5, "keys", 5, 5)], value],
  ["hta1: NaN", [call("hta1", NaN, 5, 5, "keys", 0, 5)], misuse(/seed/)],
  ["hta1: no part", [call("hta1", 1, 5, 5, "rows", 0, 5)], misuse(/part/)],
  ["cxl: 17 lanes", one("cxlStream", cxlStream({ lanes: 17 })), bad(/lanes/)],
  ["cxl: no flit", one("cxlStream", cxlStream({ flit: "64-bytes" })), misuse(/flit/)],
  ["cxl: one line", one("cxlStream", cxlStream({ lines: 1 })), bad(/lines/)],
  ["cxl: a second", one("cxlStream", cxlStream({ latency: 1e15 })), bad(/latency/)],
  ["cxl: in no time", one("cxlStream", cxlStream({ lineTime: 0 })), bad(/lineTime/)],
  ["moe: nothing", [call("moeOpen")], misuse(/config/)],
  ["moe: no DIMM", layer({ dimm: undefined }), misuse(/dimm/)],
  [
    "moe: 1 DIMM with a host's device",
    layer({ dimms: 1, moves: [], jobs: [new Uint32Array(0)] }),
    fault("bad-config"),
  ],
  [
    "moe: 3 DIMMs",
    layer({ dimms: 3, jobs: [0, 1, 2].map(() => new Uint32Array(0)) }),
    fault("bad-config"),
  ],
  ["moe: 2^32-1 DIMMs", layer({ dimms: most }), bad(/dimms/)],
  ["moe: group 2^32-1", network({ group: most }), bad(/group/)],
  [
    "moe: a ring of three, of two DIMMs",
    network({ topology: "ring", group: 3 }),
    bad(/groups of 3/),
  ],
  ["moe: a mesh of one DIMM", network({ topology: "mesh", group: 1 }), bad(/two rows/)],
  ["moe: a star", network({ topology: "star" }), misuse(/topology/)],
  ["moe: no time between looks", layer({ forwarding: { command: 1, poll: 0 } }), bad(/two looks/)],
  ["moe: parallel 2^32-1", network({ parallel: most }), bad(/parallel/)],
  ["moe: credits 2^32-1", network({ credits: most }), bad(/credits/)],
  ["moe: links and credits together", network({ credits: 65536, parallel: 256 }), bad(/credits/)],
  ["moe: laneRate 1e29", network({ laneRate: 1e29 }), bad(/laneRate/)],
  [
    "moe: outputs of 2^32-1 bursts",
    layer({ outputs: [{ dimm: 0, job: 0, burst: 0, bursts: most }] }),
    bad(/output/),
  ],
  [
    "moe: unit of 1 stream",
    layer({ dimm: ndp({}, { streams: 1 }), moves: [], outputs: [], contents: [] }),
    fault("bad-config"),
  ],
  [
    "moe: ideal memory with a host's device",
    layer({
      dimm: {
        ...(moe()["dimm"] as Fields),
        memory: { kind: "ideal", latency: 40, burstCycles: 8 },
      },
    }),
    fault("bad-config"),
  ],
  ["moe: a chunk beyond the rank", chunk(0, 0, 0, most, most), bad(/part 0/)],
  ["moe: a chunk of a rank that is none", chunk(0, 0, 99, 0, 1), misuse(/part 0/)],
  ["moe: chunks with a gap", chunk(2, 0, 0, 0, 1), misuse(/part 0/)],
  [
    "moe: a move of 2^32-1 links",
    layer({ moves: [{ links: most, start: 0, runs: Uint32Array.of(0, 0, 0, 1, 0, 4096, 8) }] }),
    fault("none"),
  ],
  [
    "moe: a move of 2^32-1 bursts",
    layer({ moves: [{ links: 1, start: 0, runs: Uint32Array.of(0, 0, 0, 1, 0, 0, most) }] }),
    bad(/run 0/),
  ],
  ...(full ? longCases : []),
  [
    "moe: RTL in a machine without a plug-in",
    layer({ rtlDimms: Uint32Array.of(0) }),
    misuse(/rtlDimms/),
  ],
  ["moe: 2^53 commands", layer({ keepCommands: 2 ** 53 }), bad(/keepCommands/)],
  ["moe: RTL of a DIMM that is none", layer({ rtlDimms: Uint32Array.of(2) }), misuse(/DIMM 2/)],
  [
    "moe: a descriptor of zeros",
    layer({ jobs: [new Uint32Array(descriptorWords), new Uint32Array(0)] }),
    bad(/descriptor 0/),
  ],
  [
    "moe: contents beyond the rank",
    layer({ contents: [{ dimm: 0, stream: 0, burst: most, data: new Uint8Array(64) }] }),
    bad(/contents/),
  ],
  [
    "moe: progress is no function",
    [call("moeOpen", moe()), call("moeRun", result(0), moe(), 5)],
    misuse(/progress/),
  ],
];
