// SPDX-License-Identifier: Apache-2.0
// Devices as the addon takes them, and what their wires allow: limits come from pins and rates,
// never from the models that they watch.

import type { CsdMachine, StorageController } from "../driver/csd-types.ts";
import { nativeDevice } from "../flash/binding.ts";
import type { BytesPerSecond } from "../units.ts";
import type { NativeCsdConfig, NativeTranslation } from "./csd-binding.ts";

/** A flash channel has 8 data pins, the controller's DRAM 64, the shared link 16 lanes. */
const channelPins = 8;
const dramPins = 64;
const sharedLanes = 16;
const bitsPerByte = 8;
const lineBytes = 64;
const femtosecondsPerSecond = 1e15;
const nanosecondsPerSecond = 1e9;

export function nativeCsdConfig(machine: CsdMachine, plugin: string | undefined): NativeCsdConfig {
  const { flash, controller, dram, link, sharedLink } = machine;
  const transfers = (2 * flash.ticks_per_ns * nanosecondsPerSecond) / flash.bus_ticks_per_2_bytes;
  return {
    model: machine.engine,
    ...(plugin === undefined ? {} : { plugin }),
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
      // Rounded up: a guard must not fire for a fraction of a transfer a second.
      wires: { pins: channelPins, transfersPerSecond: Math.ceil(transfers) },
    },
    reads: machine.reads,
    dram: {
      latencyNs: dram.latency * nanosecondsPerSecond,
      lineFs: Math.ceil((lineBytes / dram.rate) * femtosecondsPerSecond),
      wires: wiresFor(dram.rate, dramPins),
    },
    link: {
      latencyNs: link.latency * nanosecondsPerSecond,
      bytesPerSecond: Math.floor(link.rate),
    },
    ...(sharedLink === null
      ? {}
      : {
          sharedLink: {
            bytesPerSecond: Math.floor(sharedLink.rate),
            wires: wiresFor(sharedLink.rate, sharedLanes),
          },
        }),
    hotPages: machine.hotPages,
  };
}

function nativeTranslation({ translation }: StorageController): NativeTranslation {
  const { rate, latency, table } = translation;
  return {
    latencyNs: latency * nanosecondsPerSecond,
    intervalFs: Math.ceil(femtosecondsPerSecond / rate),
    inDram: table === "dram",
  };
}

function wiresFor(
  rate: BytesPerSecond,
  pins: number,
): { readonly pins: number; readonly transfersPerSecond: number } {
  return { pins, transfersPerSecond: Math.ceil((rate * bitsPerByte) / pins) };
}
