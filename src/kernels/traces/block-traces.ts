// SPDX-License-Identifier: Apache-2.0
// Traces of requests to block devices, detected by the outline of their lines. They are named and not
// read: their requests are ranges of sectors, and this flash back end simulates pages at physical
// addresses. Only a flash translation layer could convert sectors into pages.

export interface BlockFormat {
  readonly title: string;
  readonly columns: string;
  readonly outline: RegExp;
}

const blockFormats: readonly BlockFormat[] = [
  {
    title: "an MSR Cambridge block trace",
    columns: "timestamp, host, disk, type, offset, size, response time",
    outline: /^\d+,[^,]*,\d+,(read|write),\d+,\d+,\d+$/i,
  },
  {
    title: "an ASCII block trace of MQSim",
    columns: "arrival, device, first sector, sectors, type",
    outline: /^\d+\s+\d+\s+\d+\s+\d+\s+[01]$/,
  },
  {
    title: "an SPC block trace (UMass)",
    columns: "ASU, first sector, bytes, type, seconds",
    outline: /^\d+,\d+,\d+,[rw],\d+(\.\d+)?$/i,
  },
  {
    title: "an Alibaba block trace",
    columns: "device, type, offset, bytes, microseconds",
    outline: /^\d+,[RW],\d+,\d+,\d+$/,
  },
  {
    title: "text of blkparse",
    columns: "device, processor, sequence, seconds, process, action, type, sector",
    outline: /^\d+,\d+\s+\d+\s+\d+\s+\d+\.\d+\s+\d+\s+[A-Z]/,
  },
];

/** The format of block requests that a line has, if any. */
export function blockFormatOf(line: string): BlockFormat | undefined {
  return blockFormats.find(({ outline }) => outline.test(line.trim()));
}
