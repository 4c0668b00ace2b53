// SPDX-License-Identifier: Apache-2.0
// Features of the flash of a storage device beside the part that a scenario names. Each is off by
// default.

import { z } from "zod";

import type { FlashPackage, NandFeatures, PlaneIndependence } from "../csd/csd-machine.ts";
import type { Issue } from "../../base/errors.ts";
import type { DeepReadonly } from "../../base/deep-readonly.ts";
import { amperes, seconds, type Amperes, type Seconds } from "../../base/units.ts";
import { plain, withUnit } from "../../base/quantity.ts";

const { current, duration } = plain;

/**
 * Cache reads, suspension and independent planes as in ONFI. Their times are assumptions: 1 us from
 * array to cache register, 100 ns per command, 20 us until a writing die accepts a read, 50 us
 * minimum program or erase time between two suspensions. Independent planes are so for reads: with
 * asynchronous independent plane reads (US 11,989,458), a program or an erase still occupies the
 * die.
 *
 * Parts state how often a program may be suspended, or its minimum progress between two suspensions
 * (US 10,956,081), in data sheets that are not public. Without `mostSuspends` the guaranteed
 * progress, `runLeast`, bounds the count. The current of a package depends on the board and the
 * part (US 9,536,617 has a threshold of 200 mA for its dies). No public data sheet of these parts
 * states it, so there is no default budget.
 */
export const defaultNand: NandFeatures = {
  cacheRead: false,
  cacheTransfer: seconds(1e-6),
  independentPlanes: "none",
  suspend: false,
  suspendTime: seconds(20e-6),
  runLeast: seconds(50e-6),
  mostSuspends: null,
  package: null,
  senseByPageType: [],
};
export const suspendCommand: Seconds = seconds(100e-9);

/** Of a die that reads, programs or erases: 25 mA (SimpleSSD's sample, of Micron's MT29F64 parts). */
const dieCurrent = amperes(25e-3);

/** Bits of a cell at most. */
const pageTypes = 4;
const maxFactor = 1e6;
const maxSuspensions = 65_536;
const maxDies = 4096;
/** Of each time. */
const longest = seconds(1);

/** The schema of a scenario's `attention.nand`. */
export const nandSchema = z
  .strictObject({
    cacheRead: z.boolean().optional().meta({
      meaning:
        "cache read: a die senses the next page during the transfer of the previous page from the cache register",
      default: defaultNand.cacheRead,
    }),
    cacheTransfer: duration.optional().meta({
      meaning: "transfer time from the array to the cache register",
      default: withUnit(defaultNand.cacheTransfer, "us"),
    }),
    independentPlanes: z
      .union([z.boolean(), z.enum(["none", "reads", "all"])])
      .optional()
      .meta({
        meaning:
          "independent planes. `reads` or `true`: each plane of a die senses independently, a program or erase occupies the whole die; `all`: programs and erases are independent, too",
        default: defaultNand.independentPlanes,
        example: "reads",
      }),
    suspend: z.boolean().optional().meta({
      meaning: "a read suspends the program or erase of its die",
      default: defaultNand.suspend,
    }),
    suspendTime: duration.optional().meta({
      meaning: "time from the suspension to the read",
      default: withUnit(defaultNand.suspendTime, "us"),
    }),
    runLeast: duration.optional().meta({
      meaning: "minimum program or erase time between two suspensions",
      default: withUnit(defaultNand.runLeast, "us"),
    }),
    mostSuspends: z.int().min(1).max(maxSuspensions).optional().meta({
      meaning: "maximum suspensions of one program or erase; later reads wait for its end",
      otherwise: "limited by `runLeast` alone",
      example: 4,
    }),
    package: z
      .strictObject({
        current: current.meta({
          meaning: "maximum total current of the dies of a package",
          example: "200 mA",
        }),
        dies: z.int().min(1).max(maxDies).optional().meta({
          meaning: "dies of a package, all on one channel",
          otherwise: "all dies of a channel",
          example: 4,
        }),
        read: current.optional().meta({
          meaning: "current of a die that senses",
          default: withUnit(dieCurrent, "mA"),
          example: "25 mA",
        }),
        program: current.optional().meta({
          meaning: "current of a die that programs",
          default: withUnit(dieCurrent, "mA"),
          example: "25 mA",
        }),
        erase: current.optional().meta({
          meaning: "current of a die that erases",
          default: withUnit(dieCurrent, "mA"),
          example: "25 mA",
        }),
      })
      .optional()
      .meta({
        meaning:
          "limit of the supply current of a package: a command that would exceed the limit waits until other commands end",
        otherwise: "no budget",
      }),
    senseByPageType: z.array(duration).min(1).max(pageTypes).optional().meta({
      meaning: "sensing time by page type; the pages of a block have the types in rotation",
      otherwise: "equal for all types",
      example: "[40 us, 60 us, 80 us]",
    }),
    bitErrorRate: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .meta({ meaning: "raw bit error rate of data and parity", default: 0, example: 1e-4 }),
    errorsByPageType: z
      .array(z.number().min(0).max(maxFactor))
      .min(1)
      .max(pageTypes)
      .optional()
      .meta({
        meaning: "factors of the bit error rate by page type",
        otherwise: "equal for all types",
        example: "[1, 2, 4]",
      }),
  })
  .meta({
    meaning: "features of newer flash, and bit errors",
    otherwise: "all off",
  });

/** `attention.nand` of a scenario, with quantities in base units. */
export type NandContent = DeepReadonly<z.output<typeof nandSchema>>;
type PackageContent = NonNullable<NandContent["package"]>;

/** Flash of a scenario, with its errors. */
export interface NandChoice extends NandFeatures {
  readonly bitErrorRate: number;
  readonly errorsByPageType: readonly number[];
}

/** With every gap filled. */
export function nandOf({
  independentPlanes,
  package: supply,
  ...given
}: NandContent = {}): NandChoice {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const errors = { bitErrorRate: 0, errorsByPageType: [] };
  return {
    ...defaultNand,
    ...errors,
    ...Object.fromEntries(set),
    independentPlanes: independenceOf(independentPlanes),
    package: supply === undefined ? null : packageOf(supply),
  };
}

function independenceOf(given: NandContent["independentPlanes"]): PlaneIndependence {
  if (given === undefined) return defaultNand.independentPlanes;
  if (typeof given === "string") return given;
  return given ? "reads" : "none";
}

function packageOf({ current: most, dies, read, program, erase }: PackageContent): FlashPackage {
  return {
    dies: dies ?? null,
    current: most,
    read: read ?? dieCurrent,
    program: program ?? dieCurrent,
    erase: erase ?? dieCurrent,
  };
}

/** NAND features that the model rejects, on channels with this number of dies. */
export function nandIssues(
  given: NandContent = {},
  diesOfChannels: readonly number[] = [],
): readonly Issue[] {
  const where = "attention.nand";
  const { cacheTransfer = 0, suspendTime = 0, runLeast = 0, senseByPageType = [] } = given;
  const times = { cacheTransfer, suspendTime, runLeast };
  const long = Object.entries(times).filter(([, time]) => time > longest);
  const sensing = senseByPageType.some((time) => time > longest) ? ["senseByPageType"] : [];
  const issues: Issue[] = [...long.map(([key]) => key), ...sensing].map((key) => ({
    where: `${where}.${key}`,
    message: "no operation of flash takes more than a second.",
  }));
  if (given.mostSuspends !== undefined && given.suspend !== true) {
    const message = "suspensions are limited where `suspend` is on.";
    issues.push({ where: `${where}.mostSuspends`, message });
  }
  return [...issues, ...packageIssues(given.package, `${where}.package`, diesOfChannels)];
}

function packageIssues(
  given: PackageContent | undefined,
  where: string,
  diesOfChannels: readonly number[],
): readonly Issue[] {
  if (given === undefined) return [];
  const { dies, current: most, ...draws } = packageOf(given);
  const shown = (of: Amperes): string => `${String(Number((of * 1e3).toPrecision(12)))} mA`;
  const issues: Issue[] = Object.entries(draws)
    .filter(([, draw]) => draw > most)
    .map(([key, draw]) => ({
      where: `${where}.${key}`,
      message: `${shown(draw)} are more than the ${shown(most)} of the package, so that it would never begin.`,
    }));
  const uneven = [...new Set(diesOfChannels)].filter((count) => dies !== null && count % dies > 0);
  for (const count of uneven) {
    const message = `packages of ${String(dies)} dies do not make up a channel of ${count}.`;
    issues.push({ where: `${where}.dies`, message });
  }
  return issues;
}
