// SPDX-License-Identifier: Apache-2.0
// One flash device and one trace of page reads, as the input of MQSim and as a facts file of neardata. Both models
// can express this device exactly:
// - MQSim counts nanoseconds for each byte on the bus, so the bus of Z-NAND has 1 GB/s here.
// - MQSim starts one command on a chip at a time, so each die is a chip.
// - A ready page has priority over a command on the bus of a channel ("data_first").
// - MQSim places logical page p on channel p mod 8 and on die (p / 8) mod 4 (plane allocation CWDP). The facts name
//   these places. The page within a die does not change the time of a read.

import { randomStream } from "../../base/random.ts";
import type { FlashDevice } from "../../machine/flash/device.ts";
import { flashPresets } from "../../machine/flash/presets.ts";

/** A read of one page. */
export interface PageRead {
  /** Nanoseconds from the start. */
  readonly arrival: number;
  readonly logicalPage: number;
}

/** Z-NAND with a bus of 1 GB/s. */
export const traceDevice: FlashDevice = {
  ...flashPresets.znand4k,
  name: "znand4k with a bus of 1 GB/s",
  channel_rate: "1 GB/s",
  ticks_per_ns: 1,
  bus_ticks_per_2_bytes: 2,
  arbitration: "data_first",
};

const sectorBytes = 512;
/** 2 GiB, of which 93 % are logical pages. */
const blocksPerDie = 64;
const pagesPerBlock = 256;
/** Logical pages that are read, fewer than MQSim exports. */
const logicalPages = 400_000;
/** With a mean of one read per microsecond the channels transfer data for half of the time. */
const longestGapNs = 1999;

/** Reads of random pages at random times. */
export function pageReads(count: number): readonly PageRead[] {
  const { bits } = randomStream(1, "reads of a flash trace");
  let arrival = 0;
  return Array.from({ length: count }, (_, i) => {
    const below = (part: number, limit: number): number =>
      Math.floor((bits(2 * i + part) / 2 ** 32) * limit);
    arrival += 1 + below(0, longestGapNs);
    return { arrival, logicalPage: below(1, logicalPages) };
  });
}

/** The reads as a document of the format flash-facts-1. */
export function factsOf(reads: readonly PageRead[]): object {
  const { channels, dies_per_channel: dies, page_bytes: bytes } = traceDevice;
  return {
    format: "flash-facts-1",
    id: "bench",
    config: traceDevice,
    columns: ["submit", "batch", "op", "ch", "die", "plane", "block", "page", "bytes"],
    requests: reads.map(({ arrival, logicalPage }, i) => {
      const inChannel = Math.floor(logicalPage / channels);
      const inDie = Math.floor(inChannel / dies);
      const place = [Math.floor(inDie / pagesPerBlock), inDie % pagesPerBlock];
      return [arrival, i, "R", logicalPage % channels, inChannel % dies, 0, ...place, bytes];
    }),
  };
}

/** The reads as an ASCII trace: arrival in ns, device, first sector, sectors, 1 for a read. */
export function asciiTraceOf(reads: readonly PageRead[]): string {
  const sectors = traceDevice.page_bytes / sectorBytes;
  return reads
    .map(({ arrival, logicalPage }) => `${arrival} 0 ${logicalPage * sectors} ${sectors} 1\n`)
    .join("");
}

/** MQSim's configuration of the device: a fast host, no cache, and a mapping table that costs no time. */
export function mqsimDevice(): string {
  const { channels, dies_per_channel: dies, page_bytes: bytes } = traceDevice;
  const latencies = (operation: string, nanoseconds: number): Tags =>
    Object.fromEntries(
      ["LSB", "CSB", "MSB"].map((kind) => [`Page_${operation}_Latency_${kind}`, nanoseconds]),
    );
  return xmlOf({
    Execution_Parameter_Set: {
      Host_Parameter_Set: { PCIe_Lane_Bandwidth: 1, PCIe_Lane_Count: 16 },
      Device_Parameter_Set: {
        Seed: 1,
        Enabled_Preconditioning: "false",
        Memory_Type: "FLASH",
        HostInterface_Type: "NVME",
        IO_Queue_Depth: 65535,
        Queue_Fetch_Size: 512,
        Caching_Mechanism: "SIMPLE",
        Address_Mapping: "PAGE_LEVEL",
        Ideal_Mapping_Table: "true",
        Plane_Allocation_Scheme: "CWDP",
        Transaction_Scheduling_Policy: "PRIORITY_OUT_OF_ORDER",
        Overprovisioning_Ratio: 0.07,
        Flash_Channel_Count: channels,
        Flash_Channel_Width: 1,
        Channel_Transfer_Rate: 1000,
        Chip_No_Per_Channel: dies,
        Flash_Comm_Protocol: "NVDDR2",
        Flash_Parameter_Set: {
          Flash_Technology: "SLC",
          CMD_Suspension_Support: "NONE",
          ...latencies("Read", traceDevice.tR_ns),
          ...latencies("Program", traceDevice.tPROG_ns),
          Block_Erase_Latency: traceDevice.tBERS_ns ?? 0,
          Die_No_Per_Chip: 1,
          Plane_No_Per_Die: 1,
          Block_No_Per_Plane: blocksPerDie,
          Page_No_Per_Block: pagesPerBlock,
          Page_Capacity: bytes,
          Page_Metadat_Capacity: 448,
        },
      },
    },
  });
}

/** MQSim's workload: one flow with the requests of a trace file. */
export function mqsimWorkload(tracePath: string): string {
  const upTo = (count: number): string => Array.from({ length: count }, (_, i) => i).join(",");
  return xmlOf({
    MQSim_IO_Scenarios: {
      IO_Scenario: {
        IO_Flow_Parameter_Set_Trace_Based: {
          Priority_Class: "HIGH",
          Device_Level_Data_Caching_Mode: "TURNED_OFF",
          Channel_IDs: upTo(traceDevice.channels),
          Chip_IDs: upTo(traceDevice.dies_per_channel),
          Die_IDs: "0",
          Plane_IDs: "0",
          Initial_Occupancy_Percentage: 0,
          File_Path: tracePath,
          Percentage_To_Be_Executed: 100,
          Relay_Count: 1,
          Time_Unit: "NANOSECOND",
        },
      },
    },
  });
}

interface Tags {
  readonly [tag: string]: string | number | Tags;
}

function xmlOf(tags: Tags): string {
  return Object.entries(tags)
    .map(([tag, value]) => {
      const content = typeof value === "object" ? `\n${xmlOf(value)}` : String(value);
      return `<${tag}>${content}</${tag}>\n`;
    })
    .join("");
}
