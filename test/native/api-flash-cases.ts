// SPDX-License-Identifier: Apache-2.0
// Calls of the flash that ended the process, or might.

import { flashChains, flashReads, flashReplay, type Fields } from "./api-base.ts";
import { bad, misuse, value, most, one, kv, times, type Row } from "./api-ending.ts";

const supply = (changes: Fields = {}): Fields => {
  return { dies: 2, most: 50, read: 25, program: 25, erase: 25, ...changes };
};
const features = (changes: Fields = {}): Fields => ({
  cacheRead: true,
  cacheTransfer: 5,
  independentPlanes: "reads",
  suspends: true,
  suspendCommand: 1,
  suspend: 9,
  runLeast: 20,
  mostSuspends: 3,
  package: supply(),
  ...changes,
});

export const flashCases: readonly Row[] = [
  [
    "kv: append to a sequence that does not exist",
    kv([[1, 7, 4, 0, 0]]),
    misuse(/line 0.*no sequence 7/),
  ],
  [
    "kv: close a sequence that does not exist",
    kv([[2, 7, 0, 0, 0]]),
    misuse(/line 0.*no sequence 7/),
  ],
  [
    "kv: open a sequence twice",
    kv([
      [0, 0, 1, 2, 0],
      [0, 0, 1, 2, 0],
    ]),
    misuse(/line 1.*sequence 0/),
  ],
  [
    "kv: 0 dimensions a page",
    kv([
      [0, 0, 1, 0, 0],
      [1, 0, 64, 0, 0],
    ]),
    bad(/line 0.*dimensions/),
  ],
  ["kv: more dimensions than a page holds", kv([[0, 0, 1, 65, 0]]), bad(/line 0.*dimensions/)],
  ["kv: 2^32-1 heads", kv([[0, 0, most, 2, 0]]), bad(/line 0.*heads/)],
  ["kv: sequence 2^20", kv([[0, 1 << 20, 1, 2, 0]]), bad(/line 0.*sequence/)],
  [
    "kv: 2^32-1 tokens",
    kv([
      [0, 0, 1, 2, 0],
      [1, 0, most, 0, 0],
    ]),
    bad(/line 1.*tokens/),
  ],
  [
    "kv: locate kind 9",
    kv([
      [0, 0, 1, 2, 0],
      [1, 0, 64, 0, 0],
      [3, 0, 0, 9, 0],
    ]),
    bad(/line 2.*kind/),
  ],
  [
    "kv: write a page of no head",
    kv([
      [0, 0, 1, 2, 0],
      [4, 0, 1, 0, 0],
    ]),
    bad(/line 1.*head/),
  ],
  [
    "kv: write page 2^32-1",
    kv([
      [0, 0, 1, 2, 0],
      [4, 0, 0, 0, most],
    ]),
    bad(/line 1.*pages/),
  ],
  ["kv: a line of no kind", kv([[5, 0, 0, 0, 0]]), misuse(/line 0/)],
  ["kv: a line of three numbers", kv([[0, 0, 1]]), misuse(/script/)],
  [
    "kv: 5000 heads",
    kv(
      [
        [0, 0, 5000, 2, 0],
        [1, 0, 8, 0, 0],
      ],
      { blocks: 4096 },
    ),
    bad(/line 0.*heads/),
  ],
  ["kv: 2^32-1 blocks", kv([], { blocks: most }), bad(/blocks/)],
  ["kv: blocks of all planes", kv([], { blocks: 1 << 20, dies: 4 }), bad(/blocks/)],
  ["kv: page of 2^32-1 bytes", kv([], { pageBytes: most }), bad(/pageBytes/)],
  ["kv: page of 30 bytes", kv([], { pageBytes: 30 }), bad(/page/)],
  ["kv: width 2^31", kv([], { width: 2 ** 31 }), bad(/width/)],
  ["replay: 2^32-1 channels", one("flashReplay", flashReplay({ channels: most })), bad(/channels/)],
  ["replay: 2^32-1 dies", one("flashReplay", flashReplay({ dies: most })), bad(/dies/)],
  [
    "replay: dies of all channels",
    one("flashReplay", flashReplay({ channels: 4096, dies: 4096 })),
    bad(/dies/),
  ],
  ["replay: 17 planes", one("flashReplay", flashReplay({ planes: 17 })), bad(/planes/)],
  ["replay: times NaN", one("flashReplay", flashReplay({ times: times(NaN) })), bad(/times/)],
  ["replay: negative times", one("flashReplay", flashReplay({ times: times(-5) })), bad(/times/)],
  ["replay: times 1e300", one("flashReplay", flashReplay({ times: times(1e300) })), bad(/times/)],
  [
    "replay: six times",
    one("flashReplay", flashReplay({ times: new Float64Array(6) })),
    misuse(/times/),
  ],
  [
    "replay: submit NaN",
    one("flashReplay", flashReplay({ submit: Float64Array.of(NaN) })),
    bad(/request 0.*submit/),
  ],
  [
    "replay: submit 1e300",
    one("flashReplay", flashReplay({ submit: Float64Array.of(1e300) })),
    bad(/request 0.*submit/),
  ],
  [
    "replay: operation 3",
    one("flashReplay", flashReplay({ operation: Uint8Array.of(3) })),
    bad(/request 0.*operation/),
  ],
  [
    "replay: odd bytes",
    one("flashReplay", flashReplay({ where: Uint32Array.of(0, 0, 0, 0, 0, 3) })),
    bad(/request 0.*bytes/),
  ],
  [
    "replay: 2^32-1 bytes",
    one("flashReplay", flashReplay({ where: Uint32Array.of(0, 0, 0, 0, 0, most) })),
    bad(/request 0.*bytes/),
  ],
  ["replay: nothing", one("flashReplay", undefined), misuse(/object/)],
  ["replay: null", one("flashReplay", null), misuse(/object/)],
  ["replay: a string", one("flashReplay", "a device"), misuse(/object/)],
  [
    "replay: where of 7 numbers",
    one("flashReplay", flashReplay({ where: new Uint32Array(7) })),
    misuse(/where/),
  ],
  [
    "replay: submits that go back",
    one(
      "flashReplay",
      flashReplay({
        submit: Float64Array.of(5, 0),
        batch: new Uint32Array(2),
        operation: new Uint8Array(2),
        where: new Uint32Array(12),
      }),
    ),
    bad(/request 1.*submit/),
  ],
  ["replay: newer flash", one("flashReplay", flashReplay({ features: features() })), value],
  [
    "replay: features of no known planes",
    one("flashReplay", flashReplay({ features: features({ independentPlanes: "some" }) })),
    misuse(/independentPlanes/),
  ],
  [
    "replay: features that take 2^53 ticks",
    one("flashReplay", flashReplay({ features: features({ suspend: 2 ** 53 }) })),
    bad(/suspend/),
  ],
  [
    "replay: no suspensions at all",
    one("flashReplay", flashReplay({ features: features({ mostSuspends: 0 }) })),
    bad(/mostSuspends/),
  ],
  [
    "replay: a package of no dies",
    one("flashReplay", flashReplay({ features: features({ package: supply({ dies: 0 }) }) })),
    bad(/dies/),
  ],
  [
    "replay: a package that supplies no die",
    one("flashReplay", flashReplay({ features: features({ package: supply({ most: 1 }) }) })),
    bad(/package/),
  ],
  [
    "replay: a page that is programmed twice",
    one(
      "flashReplay",
      flashReplay({
        submit: new Float64Array(2),
        batch: new Uint32Array(2),
        operation: Uint8Array.of(1, 1),
        where: new Uint32Array(12),
      }),
    ),
    bad(/page 0 of block 0/),
  ],
  ["chains: inFlight 2^32-1", one("flashChains", flashChains({ inFlight: most })), value],
  ["chains: inFlight 0", one("flashChains", flashChains({ inFlight: 0 })), bad(/inFlight/)],
  [
    "chains: pages that go back",
    one("flashChains", flashChains({ firstPage: Uint32Array.of(1, 0) })),
    misuse(/firstPage/),
  ],
  [
    "reads: codewordBytes 0",
    one("flashReads", flashReads({ codewordBytes: 0 })),
    bad(/codewordBytes/),
  ],
  [
    "reads: parityBytes 2^32-1",
    one("flashReads", flashReads({ parityBytes: most })),
    bad(/parity/),
  ],
  ["reads: rawRate 5", one("flashReads", flashReads({ rawRate: 5 })), bad(/rawRate/)],
  ["reads: rawRate NaN", one("flashReads", flashReads({ rawRate: NaN })), bad(/rawRate/)],
  ["reads: retryGain 0", one("flashReads", flashReads({ retryGain: 0 })), bad(/retryGain/)],
  [
    "reads: 2^32-1 retries",
    one("flashReads", flashReads({ mostRetries: most, rawRate: 0.5 })),
    bad(/mostRetries/),
  ],
  [
    "reads: retrySetup 2^53",
    one("flashReads", flashReads({ retrySetup: 2 ** 53, rawRate: 0.5 })),
    bad(/retrySetup/),
  ],
];
