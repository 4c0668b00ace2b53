// SPDX-License-Identifier: Apache-2.0
// A kernel of a program: y = W x on a host without an NDP unit. Every line of W crosses a DDR5 channel once; the host
// multiplies while lines arrive.

import { defineKernel, generateExpert, replayMemory, type ReplaySummary } from "neardata";
import { z } from "zod";

const lineBytes = 64;
const weightBytes = 2;

const settings = z.strictObject({
  rows: z.int().min(1).max(65_536),
  columns: z.int().min(1).max(65_536),
  memory: z.string().default("DDR5-4800AN"),
  /** Multiply-accumulates per second of the host. */
  macsPerSecond: z.number().positive().default(1e12),
});
type Settings = z.output<typeof settings>;

/** Operands of one product. */
interface Operands {
  /** FP16 bits, row by row. */
  readonly weights: Uint16Array;
  readonly inputs: Float64Array;
}

/** One product, simulated. */
interface Product extends Settings {
  readonly id: string;
  readonly title: string;
  readonly traffic: ReplaySummary;
  readonly lines: number;
  /** Seconds. */
  readonly time: number;
  readonly outputs: Float32Array;
  /** Largest error of an output as a share of its bound. */
  readonly errorShare: number;
}

export const hostGemv = defineKernel({
  name: "hostGemv",
  version: "1",
  schema: settings,
  prepare: ({ rows, columns }, { seed }): Operands => {
    const shape = { hidden: columns, intermediate: rows } as const;
    const { gate } = generateExpert({ seed, name: "host-gemv", format: "fp16", ...shape });
    const inputs = Float64Array.from({ length: columns }, (_, i) =>
      Math.fround(Math.sin(i + seed)),
    );
    return { weights: gate, inputs };
  },
  run: async ({ settings: given, workload }, { whenCoresFree, signal, progress }) =>
    whenCoresFree(
      async () => {
        const title = `${String(given.rows)} x ${String(given.columns)}`;
        const line = progress.share(title);
        try {
          const lines = Math.ceil((given.rows * given.columns * weightBytes) / lineBytes);
          const requests = Array.from({ length: lines }, (_, i) => ({ address: i * lineBytes }));
          // Successive lines rotate the bank groups, so that they need not wait tCCD_L for each other.
          const memory = { preset: given.memory, address_mapper: "RoBaCoBg" };
          const traffic = await replayMemory(memory, requests, { signal });
          const compute = (given.rows * given.columns) / given.macsPerSecond;
          const time = Math.max(traffic.seconds, compute);
          const id = "gemv";
          return [{ ...given, id, title, traffic, lines, time, ...productOf(given, workload) }];
        } finally {
          line.end();
        }
      },
      { signal },
    ),
  metrics: ({ time, traffic, rows, columns }) => [
    { id: "time", title: "time", value: time * 1e6, unit: "us", source: "measured" },
    {
      id: "bandwidth",
      title: "bandwidth achieved",
      value: traffic.bandwidthGBps,
      unit: "GB/s",
      source: "measured",
    },
    {
      id: "busUse",
      title: "bus in use",
      value: 100 * busUse(traffic),
      unit: "%",
      source: "measured",
    },
    {
      id: "compute",
      title: "compute achieved",
      value: (2 * rows * columns) / time / 1e9,
      unit: "GFLOP/s",
      source: "measured",
    },
  ],
  checks: ({ lines, traffic, errorShare }: Product) => {
    const reads = traffic.channels.reduce((sum, channel) => sum + channel.reads, 0);
    return [
      {
        id: "lines",
        title: "every line of the matrix is read once",
        pass: reads === lines,
        detail: `${String(reads)} of ${String(lines)}`,
      },
      {
        id: "values",
        title: "outputs in binary32 are within their error bound of binary64",
        pass: errorShare <= 1,
        detail: `${(100 * errorShare).toFixed(2)} % of the bound`,
      },
    ];
  },
  document: ({ rows, columns, memory, time, traffic }) => ({
    rows,
    columns,
    memory,
    time,
    cycles: traffic.totalCycles,
  }),
});

/** The busiest channel's share of the time. */
function busUse({ channels }: ReplaySummary): number {
  return Math.max(...channels.map((channel) => channel.busUse));
}

/** The product in binary32, each row in the order of its columns, beside binary64. */
function productOf(
  { rows, columns }: Settings,
  { weights, inputs }: Operands,
): Pick<Product, "outputs" | "errorShare"> {
  const outputs = new Float32Array(rows);
  let errorShare = 0;
  for (let row = 0; row < rows; row += 1) {
    let [single, exact, size] = [0, 0, 0];
    inputs.forEach((input, column) => {
      const product = fromFp16(weights[row * columns + column] ?? NaN) * input;
      single = Math.fround(single + Math.fround(product));
      exact += product;
      size += Math.abs(product);
    });
    outputs[row] = single;
    // One rounding of each product and of each sum, half a unit in the last place of the largest partial sum at most.
    const bound = (columns + 1) * 2 ** -24 * size;
    if (size > 0) errorShare = Math.max(errorShare, Math.abs(single - exact) / bound);
  }
  return { outputs, errorShare };
}

/** The value of finite FP16 bits. */
function fromFp16(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 0x3ff;
  const size = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
  return bits & 0x8000 ? -size : size;
}
