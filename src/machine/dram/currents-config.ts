// SPDX-License-Identifier: Apache-2.0
// The key `currents` of a replay config and of a scenario's memory: supply voltages and currents of one device, for the energy of a standard whose
// currents are not known here, or of another device.

import { z } from "zod";

import type { Issue } from "../../base/errors.ts";
import { currentNames, energyCurrents, type CurrentName, type EnergyCurrents } from "./currents.ts";

const volts = z.number().positive().max(100);
const milliamperes = z.number().min(0).max(1e6);

/** The states of a device that the currents are of. */
const states: Readonly<Record<CurrentName, string>> = {
  idd0: "activations and precharges of one bank",
  idd2p: "power-down, all banks closed",
  idd2n: "standby, all banks closed",
  idd3p: "power-down, all banks open",
  idd3n: "standby, all banks open",
  idd4r: "reads",
  idd4w: "writes",
  idd5b: "refresh of all banks",
  idd5c: "refresh of one bank, or of one bank of each group",
  ipp0: "as IDD0, of VPP",
  ipp2n: "as IDD2N, of VPP",
  ipp3n: "as IDD3N, of VPP",
  ipp4r: "as IDD4R, of VPP",
  ipp4w: "as IDD4W, of VPP",
  ipp5b: "as IDD5B, of VPP",
  iddq3n: "as IDD3N, of VDDQ",
  iddq4r: "as IDD4R, of VDDQ",
  iddq4w: "as IDD4W, of VDDQ",
};
/** The values of currents that a data sheet lacks (energyCurrents). */
const substitutes: Readonly<Partial<Record<CurrentName, string>>> = {
  idd2p: "`idd2n`; required with `powerDown`",
  idd3p: "`idd3n`; required with `powerDown`",
  idd5c: "such a refresh costs its share of a refresh of all banks",
  ipp2n: "`ipp3n`",
  ipp4r: "`ipp3n`",
  ipp4w: "`ipp3n`",
};
const described = (name: CurrentName): { readonly meaning: string; readonly example: number } => ({
  meaning: `current: ${states[name]}; mA`,
  example: 100,
});
const required = ["idd0", "idd2n", "idd3n", "idd4r", "idd4w", "idd5b"] as const;
type Required = (typeof required)[number];

const each = <Name extends CurrentName, Schema>(
  names: readonly Name[],
  schema: (name: Name) => Schema,
): Record<Name, Schema> =>
  Object.fromEntries(names.map((name) => [name, schema(name)])) as Record<Name, Schema>;
const supply = (name: string): z.ZodOptional<z.ZodNumber> =>
  volts.optional().meta({
    meaning: `voltage of ${name}`,
    otherwise: `${name} has no energy`,
    example: 1.2,
  });

export const currentsSchema = z.strictObject({
  source: z.string().optional().meta({
    meaning: "name of the data sheet",
    otherwise: "`currents`",
    example: "a data sheet",
  }),
  rate_MTps: z.int().min(1).max(88_000).optional().meta({
    meaning: "transfer rate of the column of the data sheet; MT/s",
    otherwise: "rate of the memory",
    example: 2400,
  }),
  vdd: volts.meta({ meaning: "voltage of VDD", example: 1.2 }),
  vpp: supply("VPP"),
  vddq: supply("VDDQ"),
  ...each(
    currentNames.filter((name): name is Exclude<CurrentName, Required> => {
      return !(required as readonly string[]).includes(name);
    }),
    (name) =>
      milliamperes.optional().meta({
        ...described(name),
        otherwise: substitutes[name] ?? "none; required with the voltage of its supply",
      }),
  ),
  ...each(required, (name) => milliamperes.meta(described(name))),
});
export type CurrentsContent = z.infer<typeof currentsSchema>;

/** The memory that the currents are of. */
interface CurrentsUse {
  readonly megatransfersPerSecond: number;
  /** The time of so many cycles of the memory, in seconds. */
  readonly secondsOf: (cycles: number) => number;
  /** In cycles, by the names of the standard. */
  readonly timing: Readonly<Record<string, number>>;
}

/** Currents that one supply needs beside its voltage. */
const ofSupply = {
  vpp: ["ipp0", "ipp3n", "ipp5b"],
  vddq: ["iddq3n", "iddq4r", "iddq4w"],
} as const;

/** Currents of which the second is the background of the first: without this order an energy would be negative. */
const order = [
  ["idd0", "idd2n"],
  ["idd3n", "idd2n"],
  ["idd4r", "idd3n"],
  ["idd4w", "idd3n"],
  ["idd5b", "idd2n"],
  ["idd5c", "idd2n"],
  ["idd2n", "idd2p"],
  ["idd3n", "idd3p"],
  ["ipp0", "ipp3n"],
  ["ipp5b", "ipp3n"],
  ["iddq4r", "iddq3n"],
  ["iddq4w", "iddq3n"],
] as const;

/** Keys that are missing, have no voltage, or contradict each other, each with its path below `currents`. */
export function currentsIssues(
  content: CurrentsContent,
  { powerDown }: { readonly powerDown: boolean },
): readonly Issue[] {
  const issues: Issue[] = [];
  const at = (name: string, message: string): void => {
    issues.push({ where: `currents.${name}`, message });
  };
  for (const [supply, names] of Object.entries(ofSupply)) {
    const prefix = supply === "vpp" ? "ipp" : "iddq";
    const given = currentNames.filter((name) => name.startsWith(prefix) && name in content);
    const voltage = content[supply as keyof typeof ofSupply];
    const [first] = given;
    if (voltage === undefined && first !== undefined) at(supply, `must be given with ${first}.`);
    for (const name of names) {
      if (voltage !== undefined && content[name] === undefined) {
        at(name, `must be given with ${supply}.`);
      }
    }
  }
  for (const [high, low] of order) {
    const [one, other] = [content[high], content[low]];
    if (one !== undefined && other !== undefined && one < other) {
      at(high, `is ${one}, less than the ${other} of ${low}.`);
    }
  }
  for (const name of ["idd2p", "idd3p"] as const) {
    if (powerDown && content[name] === undefined) at(name, "must be given with power_down.");
  }
  return issues;
}

export function currentsOfConfig(
  content: CurrentsContent,
  { megatransfersPerSecond, secondsOf, timing }: CurrentsUse,
): EnergyCurrents {
  const { rate_MTps: rate = megatransfersPerSecond, source = "", ...given } = content;
  const { nRAS = 0, nRP = timing["nRPpb"] ?? 0 } = timing;
  return energyCurrents({
    ...given,
    rate,
    rowOpen: secondsOf(nRAS) * 1e9,
    rowClosed: secondsOf(nRP) * 1e9,
    gigabits: null,
    source: source === "" ? "currents" : source,
  });
}
