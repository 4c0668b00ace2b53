// SPDX-License-Identifier: Apache-2.0
// The controller of a storage device between its DRAM and its flash, as configured by scenarios:
// each overhead a parameter with its unit and its source.

import { z } from "zod";

import type { ChosenController, Ecc, StorageController } from "../csd/csd-machine.ts";
import type { Issue } from "../../base/errors.ts";
import { dataSheetOf } from "../flash/data-sheets.ts";
import type { FlashDevice } from "../flash/device.ts";
import type { DeepReadonly } from "../../base/deep-readonly.ts";
import { bytes, bytesPerSecond, seconds } from "../../base/units.ts";
import { defaultReadPolicy } from "../flash/read-policy.ts";
import { plain, withUnit } from "../../base/quantity.ts";

const { dataRate, duration, size } = plain;

/** Range of lookups per second in the model. */
const [leastRate, mostRate] = [1000, 1e12];
/** Of a lookup or of a decoding. */
const longestWait = seconds(1);
const codeword = defaultReadPolicy.codewordBytes;

/**
 * Correcting 40 bits in a codeword of 1 KiB requires 70 bytes of parity (40 x 14 bits, derived as
 * for a BCH code), which exceeds the spare area of SLC. LDPC decoders need 1 us per iteration: 1
 * iteration at least, 4 typically, 20 at most (Bates, "Latency in LDPC-based next-generation SSD
 * controllers", PMC-Sierra, 2014). Decoders match the rate of their channels (assumed).
 */
const defaultEcc: Ecc = {
  parity: bytes(70),
  latency: seconds(4e-6),
  failed: seconds(20e-6),
  rate: bytesPerSecond(1.4e9),
};

/**
 * Translation runs on the four ARM cores of the paper's controller (section V: the FTL is
 * software), with its table in the controller's DRAM (section IV-D). A core needs 1 us per page
 * (assumed: the paper gives no time). A line of DRAM has 32 values of a token, so sixteen pages of
 * two dimensions are built at a time: the buffer has 64 KiB for pages of 4 KB, a bank of 2 KiB for
 * each value (derived).
 */
const defaultBuffer = bytes(64 * 1024);
const defaultTranslation = { rate: 4e6, latency: seconds(1e-6), table: "dram" } as const;
export const defaultController: StorageController = {
  transposition: { buffer: defaultBuffer },
  translation: defaultTranslation,
  ecc: defaultEcc,
};

/** The same, with the parity of the flash. */
export const chosenController: ChosenController = {
  ...defaultController,
  ecc: { ...defaultEcc, parity: null },
};

/**
 * The controller with the parity of its flash: the spare area (TLC has 117 bytes per codeword), but
 * at least the parity that corrects 40 bits.
 */
export function controllerFor(
  { ecc, ...rest }: ChosenController,
  flash: Pick<FlashDevice, "name">,
): StorageController {
  if (ecc === null) return { ...rest, ecc };
  const spare = Math.max(dataSheetOf(flash.name).spareBytes, defaultEcc.parity);
  return { ...rest, ecc: { ...ecc, parity: ecc.parity ?? bytes(spare) } };
}

/** The schema of a scenario's `attention.controller`. */
export const controllerSchema = z
  .strictObject({
    transposition: z
      .union([size, z.literal("dram")])
      .optional()
      .meta({
        meaning:
          "transposition buffer from rows of K to embedding-order pages; `dram`: no buffer, each page reads one line of DRAM per token",
        default: withUnit(defaultBuffer, "KiB"),
      }),
    translation: z
      .strictObject({
        rate: z
          .number()
          .min(leastRate)
          .max(mostRate)
          .optional()
          .meta({ meaning: "lookups per second", default: defaultTranslation.rate }),
        latency: duration.optional().meta({
          meaning: "latency of a lookup",
          default: withUnit(defaultTranslation.latency, "us"),
        }),
        table: z.enum(["dram", "sram"]).optional().meta({
          meaning: "memory of the table; `dram`: each lookup reads one line",
          default: defaultTranslation.table,
        }),
      })
      .optional()
      .meta({
        meaning: "address translation: a lookup before each read or program of a page",
        otherwise: "four ARM cores",
      }),
    ecc: z
      .union([
        z.strictObject({
          parity: size.optional().meta({
            meaning: "parity of a codeword of 1 KiB",
            otherwise:
              "TLC: 117 B, its spare area; other flash: 70 B, a BCH code that corrects 40 bits",
            example: "70 B",
          }),
          latency: duration.optional().meta({
            meaning: "latency from the last byte of a codeword to the decoding result",
            default: withUnit(defaultEcc.latency, "us"),
          }),
          failed: duration.optional().meta({
            meaning: "latency if decoding fails",
            default: withUnit(defaultEcc.failed, "us"),
          }),
          rate: dataRate.optional().meta({
            meaning: "throughput of the decoder of a channel",
            default: withUnit(defaultEcc.rate, "GB/s"),
          }),
        }),
        z.literal("none"),
      ])
      .optional()
      .meta({
        meaning:
          "error-correcting code: parity crosses the bus, and the engine uses a page after the decoding result of its last codeword; `none`: no parity, no wait",
        otherwise: "a code with the defaults of the next keys",
      }),
  })
  .meta({
    meaning: "changes to the storage controller of the device",
    otherwise: "from the device",
  });

/** `attention.controller` of a scenario, with quantities in base units. */
export type ControllerContent = DeepReadonly<z.output<typeof controllerSchema>>;
type EccContent = Exclude<NonNullable<ControllerContent["ecc"]>, "none">;

/** Why a controller does not fit flash pages of so many bytes. */
export function controllerIssues(
  { transposition, translation, ecc }: ControllerContent = {},
  pageBytes: readonly number[] = [],
): readonly Issue[] {
  const where = "attention.controller";
  const issues: Issue[] = [];
  const most = Math.max(...pageBytes);
  if (transposition !== undefined && transposition !== "dram" && transposition < most) {
    const message = `a transposition buffer holds a page, of ${most} bytes, at least.`;
    issues.push({ where: `${where}.transposition`, message });
  }
  if ((translation?.latency ?? 0) > longestWait) {
    issues.push({
      where: `${where}.translation.latency`,
      message: "a lookup takes a second at most.",
    });
  }
  if (ecc === undefined || ecc === "none") return issues;
  if ((ecc.parity ?? 0) > codeword) {
    const message = `a codeword has no more parity than its ${codeword} bytes of data.`;
    issues.push({ where: `${where}.ecc.parity`, message });
  }
  for (const key of ["latency", "failed"] as const) {
    if ((ecc[key] ?? 0) <= longestWait) continue;
    issues.push({
      where: `${where}.ecc.${key}`,
      message: `the ECC decoder needs at most ${longestWait} s.`,
    });
  }
  return issues;
}

function eccOf({ parity, latency, failed, rate }: EccContent = {}): ChosenController["ecc"] {
  return {
    parity: parity ?? null,
    latency: latency ?? defaultEcc.latency,
    failed: failed ?? defaultEcc.failed,
    rate: rate ?? defaultEcc.rate,
  };
}

/** With every gap filled. */
export function controllerOf(given: ControllerContent = {}): ChosenController {
  const { transposition, translation, ecc } = given;
  const usual = defaultController;
  return {
    transposition:
      transposition === undefined
        ? usual.transposition
        : { buffer: transposition === "dram" ? null : transposition },
    translation: {
      rate: translation?.rate ?? usual.translation.rate,
      latency: translation?.latency ?? usual.translation.latency,
      table: translation?.table ?? usual.translation.table,
    },
    ecc: ecc === "none" ? null : eccOf(ecc),
  };
}
