// SPDX-License-Identifier: Apache-2.0
// `neardata cxl stream`: reads lines from a memory behind CXL: the bandwidth, compared with the wires
// and the limit of the guard.

import { counted } from "../../../base/format-value.ts";
import { Option, type Command } from "commander";
import { inputError } from "../../../base/errors.ts";
import { quantity, wholeNumber } from "../../options/options.ts";
import { printJson, printText } from "../../terminal/output.ts";
import { example } from "../../options/help.ts";
import { loadAddon } from "../../../native/addon.ts";
import { dataRate, duration } from "../../../base/quantity.ts";

interface StreamOptions {
  readonly lanes: number;
  readonly flit: "68" | "256";
  readonly lines: number;
  readonly inFlight: number;
  readonly latency: string;
  readonly rate: string;
  readonly json?: boolean;
}

const lineBytes = 64;
/** Ranges of the entry point (sim/api/link_calls.h). */
const [mostLanes, mostLines, mostInFlight] = [16, 1_000_000, 65536];
const [leastRate, mostLatency] = [64e6, 100e-6];

export function register(cxl: Command): void {
  cxl.addHelpText("after", example("neardata cxl stream --lanes 16"));
  cxl
    .command("stream")
    .description(
      "Read lines of 64 bytes from a memory behind CXL over PCIe 5.0, and print their rate and latency.",
    )
    .option("--lanes <n>", "Lanes of PCIe 5.0.", wholeNumber("--lanes", 1, mostLanes), 8)
    .addOption(
      new Option("--flit <bytes>", "Bytes of a flit: 68 for CXL 1.1 and 2.0, 256 for CXL 3.0.")
        .choices(["68", "256"])
        .default("68"),
    )
    .option("--lines <n>", "Lines to read.", wholeNumber("--lines", 2, mostLines), 20_000)
    .option(
      "--in-flight <n>",
      "Reads in flight at most.",
      wholeNumber("--in-flight", 1, mostInFlight),
      256,
    )
    .option("--latency <time>", "Latency of the memory.", "50 ns")
    .option(
      "--rate <rate>",
      "Rate of the memory. The default is one channel of DDR5-4800.",
      "38.4 GB/s",
    )
    .option("--json", "Print the numbers as JSON.")
    .addHelpText("after", example("neardata cxl stream --lanes 16 --flit 256"))
    .action(stream);
}

function stream(options: StreamOptions): void {
  const { lanes, flit, lines, inFlight } = options;
  const latency = quantity("--latency", duration, options.latency);
  if (latency > mostLatency) throw inputError("--latency", "at most 100 us is needed.");
  const rate = quantity("--rate", dataRate, options.rate);
  if (rate < leastRate) throw inputError("--rate", "at least 64 MB/s is needed.");
  const streamResult = loadAddon().cxlStream({
    lanes,
    lines,
    inFlight,
    flit: flit === "68" ? "68-bytes" : "256-bytes",
    latency: Math.round(latency * 1e15),
    lineTime: Math.max(1, Math.round((lineBytes / rate) * 1e15)),
  });
  if (options.json === true) {
    printJson({
      lanes,
      flitBytes: Number(flit),
      lines,
      inFlight,
      memory: { latency, rate },
      bytesPerSecond: streamResult.rate,
      wires: streamResult.wires,
      guard: streamResult.limit,
      firstLine: streamResult.first * 1e-15,
      lastLine: streamResult.last * 1e-15,
    });
    return;
  }
  const gigabytes = (n: number): string => (n / 1e9).toFixed(2);
  printText(
    `${counted(lines, "line")} over ${counted(lanes, "lane")} of CXL, flits of ${flit} bytes, ${inFlight} asked for at a ` +
      `time: ${gigabytes(streamResult.rate)} GB/s, ${((100 * streamResult.rate) / streamResult.wires).toFixed(1)} % of the ` +
      `wires' ${gigabytes(streamResult.wires)} (guard: ${gigabytes(streamResult.limit)}); the first after ` +
      `${(streamResult.first * 1e-6).toFixed(1)} ns`,
  );
}
