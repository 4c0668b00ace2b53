// SPDX-License-Identifier: Apache-2.0
// LLMShare's trace on two servers of GPUs with known rates: each has enough GPUs for the model and for
// caches of the same size. LLMShare's own devices are designs (cores, lanes, arrays), not rates.

import { effective, gpus, type Processor } from "../../../machine/host/devices.ts";
import type { Devices } from "../../../machine/host/near-device-file.ts";
import { serveRequests } from "../model/cluster.ts";
import { serveByRates, type RatedServer } from "../model/rates.ts";
import { saturatedTrace, servedModel } from "./setting.ts";
import type { DeviceUse, Numbers } from "../../experiment/own-device-rows.ts";

/** All of a device's links to its neighbours: LLMShare's H100 has 18 of 25 GB/s. */
const nvlink = 18 * 25e9;

function serverWith({ compute, bandwidth, memory }: Processor, link: number): RatedServer {
  const rates = { compute: effective(compute), bandwidth: effective(bandwidth), memory, link };
  const alone = serveByRates({ ...rates, devices: 1024 }, servedModel);
  const weights = 1024 * memory - (alone?.room ?? NaN);
  return { ...rates, devices: Math.ceil((2 * weights) / memory) };
}

function numbersOf({ gpu }: Devices): Numbers {
  const linkRate = gpu?.link === undefined || gpu.link === null ? null : effective(gpu.link.rate);
  const server = serverWith(gpu?.processor ?? gpus["h100-80"], linkRate ?? nvlink);
  const model = serveByRates(server, servedModel);
  const pool = model === null ? null : { servers: 1, model, networkRate: server.link };
  const served = pool === null ? null : serveRequests(pool, pool, saturatedTrace());
  const rate = served === null ? "does not fit" : served.tokens / served.servingTime;
  const per = typeof rate === "number" ? rate / (2 * server.devices) : rate;
  return [
    ["GPUs of a server", "1", server.devices],
    ["OPT-175B, LLMShare's requests, a server for prompts and one for the rest", "token/s", rate],
    ["the same, of a GPU", "token/s", per],
  ];
}

export const llmShareDevice: DeviceUse = {
  paper: "llmshare",
  reads: {
    gpu: "rates of products and of memory, its memory, its link to the others (an H100's NVLink where it has none).",
  },
  numbers: (devices) => Promise.resolve(numbersOf(devices)),
};
