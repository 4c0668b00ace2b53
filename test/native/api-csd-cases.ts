// SPDX-License-Identifier: Apache-2.0
// Calls of storage devices that ended the process, or might.

import { gpuLink } from "../../src/machine/resolve/links.ts";
import { nativeLink } from "../../src/native/links.ts";
import {
  anyFunction,
  call,
  csd,
  csdRun,
  denseJob,
  filled,
  ndp,
  result,
  type Fields,
} from "./api-base.ts";
import {
  bad,
  misuse,
  fault,
  most,
  one,
  jobOf,
  reads,
  written,
  times,
  type Row,
} from "./api-ending.ts";

const gpu = nativeLink(gpuLink);
const { wires: _, ...wireless } = gpu;

const features = (): Fields => (csd()["flash"] as Fields)["features"] as Fields;

export const devicesCases: readonly Row[] = [
  ["open: nothing", one("csdOpen", undefined), misuse(/config/)],
  ["open: no flash", one("csdOpen", csd({ flash: undefined })), misuse(/flash/)],
  ["open: 2^32-1 blocks a plane", one("csdOpen", csd({}, { blocks: most })), bad(/blocks/)],
  ["open: 2^32-1 dies", one("csdOpen", csd({}, { dies: most })), bad(/dies/)],
  ["open: 2^31 dies, whose planes overflow", filled(csd({}, { dies: 2 ** 31 })), bad(/dies/)],
  ["open: maxKeys 2^32-1", filled(csd({}, {}, { maxKeys: most })), bad(/maxKeys/)],
  ["open: hotPages 2^32-1", jobOf(csd({ hotPages: most }), denseJob), fault("none")],
  ["open: slots 2^32-1", one("csdOpen", csd({}, {}, { slots: most })), bad(/slots/)],
  ["open: lanes 0", one("csdOpen", csd({}, {}, { lanes: 0 })), bad(/lanes/)],
  ["open: lanes 3", one("csdOpen", csd({}, {}, { lanes: 3 })), bad(/lanes/)],
  ["open: ringLines 0", one("csdOpen", csd({}, {}, { ringLines: 0 })), bad(/ringLines/)],
  ["open: width 0", one("csdOpen", csd({}, {}, { width: 0 })), bad(/width/)],
  ["open: width 1", one("csdOpen", csd({}, {}, { width: 1 })), bad(/width/)],
  ["open: tags 3", one("csdOpen", csd({}, {}, { tags: 3 })), bad(/tags/)],
  ["open: maxGroup 2^31", one("csdOpen", csd({}, {}, { maxGroup: 2 ** 31 })), bad(/maxGroup/)],
  ["open: kernels 2^31", one("csdOpen", csd({}, {}, { kernels: 2 ** 31 })), bad(/events|kernels/)],
  ["open: devices 2^32-1", one("csdOpen", csd({ devices: most })), bad(/devices/)],
  [
    "open: a shared link of no bits a second",
    one("csdOpen", csd({ sharedLink: { link: { ...gpu, laneRate: 0 }, switchLatency: 1 } })),
    bad(/laneRate/),
  ],
  [
    "open: a link whose receiver has no room for an answer",
    one("csdOpen", csd({ link: { link: { ...gpu, credits: 1 }, piece: 512 } })),
    bad(/receiver/),
  ],
  [
    "open: a shared link without wires",
    one("csdOpen", csd({ sharedLink: { link: wireless, switchLatency: 1 } })),
    misuse(/wires/),
  ],
  ["open: clock 1 Hz", one("csdOpen", csd({ clock: 1 })), bad(/clock/)],
  ["open: codewordBytes 0", one("csdOpen", reads({ codewordBytes: 0 })), bad(/codewordBytes/)],
  [
    "open: rawBitErrorRate 5",
    one("csdOpen", reads({ rawBitErrorRate: 5 })),
    bad(/rawBitErrorRate/),
  ],
  ["open: retryGain NaN", one("csdOpen", reads({ retryGain: NaN })), bad(/retryGain/)],
  ["open: retrySetupNs 1e300", one("csdOpen", reads({ retrySetupNs: 1e300 })), bad(/retrySetupNs/)],
  [
    "open: features of no known times",
    one("csdOpen", csd({}, { features: { ...features(), suspendNs: NaN } })),
    bad(/features: suspendNs/),
  ],
  [
    "open: features without a switch",
    one("csdOpen", csd({}, { features: { ...features(), cacheRead: undefined } })),
    misuse(/cacheRead/),
  ],
  [
    "open: a package that supplies no die",
    one(
      "csdOpen",
      csd(
        {},
        {
          features: {
            ...features(),
            package: { dies: 1, most: 24, read: 25, program: 25, erase: 25 },
          },
        },
      ),
    ),
    bad(/package/),
  ],
  ["open: ticksPerNs 2^53", one("csdOpen", csd({}, { ticksPerNs: 2 ** 53 })), bad(/ticksPerNs/)],
  [
    "open: wires of 2^53 pins",
    one("csdOpen", csd({}, { wires: { pins: 2 ** 53, transfersPerSecond: 2 ** 53 } })),
    bad(/pins/),
  ],
  [
    "open: DRAM latency 1e300",
    one("csdOpen", csd({ dram: { ...(csd()["dram"] as Fields), latencyNs: 1e300 } })),
    bad(/latencyNs/),
  ],
  ["open: flash times 1e300", one("csdOpen", csd({}, { times: times(1e300) })), bad(/times/)],
  ["open: flash times -1", one("csdOpen", csd({}, { times: times(-1) })), bad(/times/)],
  ["run: keepPages 2^53", jobOf(csd(), denseJob, { keepPages: 2 ** 53 }), bad(/keepPages/)],
  ["run: inFlight 2^32-1", jobOf(csd(), denseJob, { inFlight: most }), fault("none")],
  ["run: maxCycles 2^53", jobOf(csd(), denseJob, { maxCycles: 2 ** 53 }), fault("none")],
  [
    "run: sparse, k and window 2^32-1",
    jobOf(csd(), [0, 0, 0, 0, 1, 4, most, most, 1, 16]),
    bad(/chooses 1 to 65535 tokens/),
  ],
  ["run: half a job", jobOf(csd(), denseJob.slice(0, 7)), misuse(/jobs/)],
  ["run: more values than rows", jobOf(csd(), [...denseJob.slice(0, 9), most]), misuse(/job 0/)],
  [
    "run: of a closed sequence",
    [
      ...filled(),
      call("csdCloseSequence", result(0), 0, 0),
      call("csdRun", result(0), csdRun(denseJob), anyFunction),
    ],
    misuse(/job 0.*sequence/),
  ],
  ["run: no head", jobOf(csd(), [0, 0, most, 1, 1, 0, 0, 0, 0, 16]), misuse(/job 0.*sequence/)],
  [
    "plant: index 2^32-1",
    [...filled(), call("csdInjectFault", result(0), 0, 0, 0, "dim-keys", most, 0)],
    misuse(/page/),
  ],
  [
    "plant: index -1",
    [...filled(), call("csdInjectFault", result(0), 0, 0, 0, "dim-keys", -1, 0)],
    misuse(/index/),
  ],
  [
    "plant: index NaN",
    [...filled(), call("csdInjectFault", result(0), 0, 0, 0, "dim-keys", NaN, 0)],
    misuse(/index/),
  ],
  [
    "close: sequence 99",
    [...filled(), call("csdCloseSequence", result(0), 0, 99)],
    misuse(/sequence/),
  ],
  [
    "prefill: no tokens, then a job",
    [
      call("csdOpen", csd()),
      call("csdSequence", result(0), 0, 1, 2, false),
      call("csdPages", result(0), 0, 0, 0, new Uint16Array(0), new Uint16Array(0)),
      call("csdPrefill", result(0), 0, 0, 0, result(2)),
      call("csdRun", result(0), csdRun(denseJob), anyFunction),
    ],
    bad(/tokens/),
  ],
  [
    "write: no tokens",
    written({ heads: Uint32Array.of(0, 0, 0, 0), rows: new Uint16Array(0) }),
    fault("none"),
  ],
  ["write: ready 1e300", written({ ready: Float64Array.of(1e300) }), bad(/prompt 0.*ready/)],
  ["write: ready NaN", written({ ready: Float64Array.of(NaN) }), bad(/prompt 0.*ready/)],
  ["write: 2^32-1 tokens", written({ heads: Uint32Array.of(0, 0, 0, most) }), misuse(/prompt 0/)],
  [
    "run: a handle that is a plain object",
    one("csdRun", {}, {}, anyFunction),
    misuse(/first argument/),
  ],
  [
    "restore: an NDP handle",
    [...filled(), call("ndpOpen", ndp()), call("csdRestore", result(0), result(4))],
    misuse(/handle of a session/),
  ],
];
