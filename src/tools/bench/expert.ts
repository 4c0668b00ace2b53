// SPDX-License-Identifier: Apache-2.0
// One expert of an NDP machine for benches: a job of a session, and the image for the unit's C++
// testbench.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { cycleLimit, layOutExpert } from "../../workload/ndp/layout.ts";
import type { ExpertLayout, ExpertShape } from "../../workload/ndp/layout.ts";
import { packExpert, resultRange } from "../../workload/ndp/pack.ts";
import type { NdpJob, NdpMachine } from "../../machine/types.ts";
import { generateExpert, generateInputs } from "../../workload/generate.ts";

const latency = 60;

/** A memory that answers after so many cycles: an ideal DDR5-4800 stream delivers 3 bursts in 10 cycles of a 1 GHz unit. */
export const idealMemory: { readonly latency: number; readonly words: readonly string[] } = {
  latency,
  /** Path of the C++ testbench. */
  words: [`latency=${String(latency)}`, "rate=3/10"],
};

export interface BenchExpert {
  readonly job: NdpJob;
  /** A file in the format of the C++ testbench. */
  readonly image: string;
}

/** `directory` receives the image. */
export async function benchExpert(
  machine: NdpMachine,
  shape: ExpertShape,
  directory: string,
): Promise<BenchExpert> {
  const layout = layOutExpert(machine.unit, shape, "interleaved");
  const { hidden, intermediate, format, tokens } = shape;
  const name = "model.layers.0.mlp.experts.0";
  const weights = generateExpert({ seed: 1, name, format, hidden, intermediate });
  const streams = packExpert(layout, weights, generateInputs(1, format, tokens, hidden));
  const job: NdpJob = {
    descriptor: layout.descriptor,
    streams,
    result: resultRange(layout),
    maxCycles: cycleLimit(machine, layout),
  };
  const image = join(directory, "image.bin");
  await writeFile(image, imageOf(layout, job));
  return { job, image };
}

/** 23 words, then each stream's bursts from address 0. */
function imageOf(layout: ExpertLayout, job: NdpJob): Uint8Array {
  const bytesOf = layout.bursts * 64;
  const header = layout.descriptor.byteLength;
  const image = new Uint8Array(header + job.streams.length * (4 + bytesOf));
  image.set(new Uint8Array(layout.descriptor.buffer, layout.descriptor.byteOffset, header));
  const view = new DataView(image.buffer);
  job.streams.forEach((pieces, stream) => {
    const at = header + stream * (4 + bytesOf);
    view.setUint32(at, layout.bursts, true);
    for (const piece of pieces) image.set(piece.data, at + 4 + piece.burst * 64);
  });
  return image;
}
