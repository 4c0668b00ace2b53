// SPDX-License-Identifier: Apache-2.0
// The cost of a device: die area by part, dies by yield, memory by the gigabyte. Transistor counts
// and areas are those of LLMCompass (Zhang et al., ISCA 2024, public cost model, for 7 nm), read off
// annotated dies of A100 and from open cores; its wafer prices are not public, so other sources
// replace them. As in LLMCompass, boards, hosts and networks are omitted.

import type { Pool } from "./space.ts";

/** Square millimetres of one device. */
export interface DeviceArea {
  readonly arrays: number;
  readonly vectors: number;
  readonly registers: number;
  readonly control: number;
  readonly localBuffers: number;
  readonly crossbar: number;
  readonly globalBuffer: number;
  readonly memoryInterface: number;
  readonly links: number;
  readonly total: number;
}

/** Million transistors a square millimetre at 7 nm, and at 90 nm, from which registers are scaled. */
const density = { nm7: 96.3, nm90: 1.6 };
const sramBit = 1.7e-7;
/** Share of a cache's area that is cells, from 4 KiB on, doubling. */
const cellShare = [0.076, 0.142, 0.247, 0.393, 0.559, 0.704, 0.526, 0.602, 0.561];
const largestUnit = 2 ** 19;

/** Million transistors. */
const transistors = {
  fp64: 0.6853,
  int32: 0.17769,
  /** A position of a vector unit. */
  control: 0.72565,
  /** A core's port of the crossbar. */
  port: 55,
  memoryController: 552.743,
  linkController: 74.632,
};
/** Floating-point units shrink with the square of their mantissa bits. */
const fp32 = transistors.fp64 * (23 / 52) ** 2;
const fp16 = transistors.fp64 * (10 / 52) ** 2;
/** Interfaces do not shrink: square millimetres of a memory stack and of a link. */
const interfaces = { stack: 10.45, link: 1.888 };
/** A stack of HBM2e: the A100 has 80 GB in five. */
const stackGigabytes = 16;
/** Registers of 32 bits a position of a vector unit (16384 for 32), with four ports. */
const registersPerPosition = 512;

function cacheArea(bytes: number): number {
  const unit = Math.min(bytes, largestUnit);
  const share = cellShare[Math.max(0, Math.ceil(Math.log2(unit)) - 12)] ?? 1;
  return (Math.ceil(bytes / largestUnit) * unit * 8 * sramBit) / share;
}

/** The register file of a lane (EMPIRE's fit at 90 nm, in square micrometres). */
function registerArea(registers: number): number {
  const [bits, ports] = [32, 4];
  const at90 =
    3.29e4 -
    1.09e3 * registers -
    8.83e2 * bits -
    5.55e3 * ports +
    53.5 * registers * bits +
    1.5e-2 * registers ** 2 +
    1.08e-2 * bits ** 2 +
    0.586 * ports ** 2 +
    142 * registers * ports +
    368 * bits * ports;
  return Math.max(0, at90 / 1e6) * (density.nm90 / density.nm7);
}

export function deviceArea({ ah, cc, gb, lanes, lb, links, mm, vw }: Pool): DeviceArea {
  const units = cc * lanes;
  const logic = (million: number): number => million / density.nm7;
  // Half a 32-bit unit of either kind a position, as in the A100; no 64-bit floating point.
  const vectors = units * logic((vw / 2) * (transistors.int32 + fp32));
  const stacks = Math.ceil(mm / stackGigabytes);
  const parts = {
    arrays: units * logic(ah * ah * fp16),
    vectors,
    registers: units * registerArea(registersPerPosition * vw),
    control: units * logic(vw * transistors.control),
    localBuffers: cc * cacheArea(lb * 2 ** 10),
    crossbar: cc * logic(transistors.port),
    globalBuffer: cacheArea(gb * 2 ** 20),
    memoryInterface: stacks * (interfaces.stack + logic(transistors.memoryController)),
    links: links * (interfaces.link + logic(transistors.linkController)),
  };
  return { ...parts, total: Object.values(parts).reduce((a, b) => a + b, 0) };
}

/** A processed 300 mm wafer at 7 nm, dollars (Khan and Mann, AI Chips, CSET 2020). */
const waferPrice = 9346;
const waferDiameter = 300;
/** Defects a square millimetre (TSMC N7 in volume, about 0.09 a square centimetre). */
const defects = 0.0009;
/** Clustering of defects in the negative binomial yield (Stapper). */
const clustering = 3;
/** Largest field of a scanner in square millimetres: 26 x 33. Larger devices are several dies. */
const reticle = 858;
/** Dollars a gigabyte of HBM (LLMCompass). */
const memoryPrice = 7;

/** Dollars of good silicon of this area. */
export function siliconCost(area: number): number {
  const dies = Math.ceil(area / reticle);
  const die = area / dies;
  const radius = waferDiameter / 2;
  const perWafer = (Math.PI * radius ** 2) / die - (Math.PI * waferDiameter) / Math.sqrt(2 * die);
  const good = (1 + (die * defects) / clustering) ** -clustering;
  return (dies * waferPrice) / (perWafer * good);
}

/** Dollars of all devices of a pool with their memory. */
export function poolCost(pool: Pool): number {
  const device = siliconCost(deviceArea(pool).total) + pool.mm * memoryPrice;
  return pool.sc * pool.dc * device;
}
