// SPDX-License-Identifier: Apache-2.0
// Devices in the format of the addon, and the physical limits of their wires and cells. Limits of flash
// and DRAM are from pins and data sheets, never from the checked model.

import { defined } from "../../base/defined.ts";
import type {
  CsdMachine,
  FlashPackage,
  NandFeatures,
  PacketLink,
  StorageController,
} from "../../machine/csd/csd-machine.ts";
import { suspendCommand } from "../../machine/resolve/nand.ts";
import { nativeDevice } from "../flash-binding.ts";
import { dataSheetOf } from "../../machine/flash/data-sheets.ts";
import type { Amperes, BytesPerSecond } from "../../base/units.ts";
import type { Native } from "../layout.ts";
import { lanesFor, linkCycles, nativeLink } from "../links.ts";

/** A flash channel has 8 data pins, the shared link 16 lanes. */
const channelPins = 8;
const sharedLanes = 16;
/** The controller's DRAM is a channel of DDR4-2400 (JESD79-4). */
const dramWires = { pins: 64, transfersPerSecond: 2_400_000_000 } as const;
/** Of a PCIe 4.0 switch (Broadcom PEX88000, Linley Newsletter, September 2019). */
const switchLatency = 105e-9;
const lineBytes = 64;
const femtosecondsPerSecond = 1e15;
const nanosecondsPerSecond = 1e9;

export function nativeCsdConfig(
  machine: CsdMachine,
  plugin: string | undefined,
): Native<"CsdConfig"> {
  const { flash, controller, dram, link, sharedLink } = machine;
  const sheet = dataSheetOf(flash.name);
  return {
    model: machine.engine,
    ...defined({ plugin }),
    devices: machine.devices,
    parameters: machine.unit,
    clock: machine.clock,
    flash: {
      ...nativeDevice(flash, flash.arbitration),
      ticksPerNs: flash.ticks_per_ns,
      pageBytes: flash.page_bytes,
      transpositionBytes: controller.transposition.buffer ?? 0,
      translation: nativeTranslation(controller),
      blocks: machine.blocksPerPlane,
      pagesPerBlock: machine.pagesPerBlock,
      deadChannels: Uint32Array.from(machine.reads.deadChannels),
      wires: { pins: channelPins, transfersPerSecond: sheet.transfersPerSecond },
      floors: { readNs: sheet.readNs, programNs: sheet.programNs, eraseNs: sheet.eraseNs },
      senseByPageType: Float64Array.from(machine.nand.senseByPageType, (time) =>
        Math.round(time * nanosecondsPerSecond * flash.ticks_per_ns),
      ),
      features: nativeFeatures(machine.nand, flash.dies_per_channel),
    },
    reads: {
      ...machine.reads,
      errorsByPageType: Float64Array.from(machine.reads.errorsByPageType),
    },
    ecc: nativeEcc(machine),
    dram: {
      latencyNs: dram.latency * nanosecondsPerSecond,
      lineFs: Math.ceil((lineBytes / dram.rate) * femtosecondsPerSecond),
      wires: dramWires,
    },
    link: {
      link: nativeLink(link.wires),
      piece: link.readRequest,
      ...(link.commands === null
        ? {}
        : { commands: { ...link.commands, replyHeader: link.replyHeader } }),
    },
    ...(sharedLink === null ? {} : { sharedLink: nativeSharedLink(link.wires, sharedLink.rate) }),
    hotPages: machine.hotPages,
  };
}

/**
 * Everything except lanes and rate is as for the devices' links. The static bounds use whole lanes
 * of the devices' standard, as many as the rate needs.
 */
function nativeSharedLink(lanes: PacketLink, rate: BytesPerSecond): Native<"CsdSharedLink"> {
  const link = nativeLink({ ...lanes, lanes: sharedLanes, rate });
  return {
    link: { ...link, wires: { ...link.wires, pins: lanesFor(rate, lanes.standard) } },
    switchLatency: linkCycles(lanes, switchLatency),
  };
}

function nativeFeatures(nand: NandFeatures, diesOfChannel: number): Native<"CsdFeatures"> {
  const ns = (time: number): number => time * nanosecondsPerSecond;
  return {
    cacheRead: nand.cacheRead,
    cacheTransferNs: ns(nand.cacheTransfer),
    independentPlanes: nand.independentPlanes,
    suspends: nand.suspend,
    suspendCommandNs: ns(suspendCommand),
    suspendNs: ns(nand.suspendTime),
    runLeastNs: ns(nand.runLeast),
    ...defined({
      mostSuspends: nand.mostSuspends ?? undefined,
      package: nand.package === null ? undefined : nativePackage(nand.package, diesOfChannel),
    }),
  };
}

function nativePackage(
  { dies, current, read, program, erase }: FlashPackage,
  diesOfChannel: number,
): Native<"FlashPackage"> {
  const microamperes = (of: Amperes): number => Math.round(of * 1e6);
  return {
    dies: dies ?? diesOfChannel,
    most: microamperes(current),
    read: microamperes(read),
    program: microamperes(program),
    erase: microamperes(erase),
  };
}

function nativeEcc({ controller: { ecc }, reads }: CsdMachine): Native<"CsdEcc"> {
  const ns = (time: number): number => time * nanosecondsPerSecond;
  if (ecc === null) return { on: false, parityBytes: 0, latencyNs: 0, failedNs: 0, intervalNs: 0 };
  return {
    on: true,
    parityBytes: ecc.parity,
    latencyNs: ns(ecc.latency),
    failedNs: ns(ecc.failed),
    intervalNs: ns(reads.codewordBytes / ecc.rate),
  };
}

function nativeTranslation({ translation }: StorageController): Native<"CsdTranslation"> {
  const { rate, latency, table } = translation;
  return {
    latencyNs: latency * nanosecondsPerSecond,
    intervalFs: Math.ceil(femtosecondsPerSecond / rate),
    inDram: table === "dram",
  };
}
