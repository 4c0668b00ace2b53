// SPDX-License-Identifier: Apache-2.0
// Decode steps of a whole model as a scenario has them, without gaps.

import { NeardataError } from "../base/errors.ts";
import { present } from "../base/present.ts";
import type { LowBitFormat } from "../golden/low-bit.ts";
import type { HostName } from "../machine/host/devices.ts";
import type { Fidelity } from "./fidelities.ts";
import type { TokenContent, TokenMethod } from "./token-schema.ts";

/** A token without gaps. */
export interface TokenScenario {
  readonly fidelity: Exclude<Fidelity, "analytic">;
  /** Relative to the scenario's directory; null: those of the repository. */
  readonly model: string | null;
  readonly text: string | null;
  readonly windows: readonly number[];
  readonly steps: number;
  readonly attention: TokenMethod;
  /** Null where attention is dense. */
  readonly ratio: number | null;
  /** Null: as the checkpoint has them. */
  readonly storage: LowBitFormat | null;
  readonly host: HostName;
  readonly dimms: number;
  readonly devices: number;
  /** Whether experts change their DIMM between steps. */
  readonly relayout: boolean;
  /**
   * Share of the operations on cycle models that is repeated on RTL; null: no audit, or all
   * operations run on RTL.
   */
  readonly audit: number | null;
}

const defaultRatio = 1 / 8;

/**
 * At `fidelity`; null where that is analytic and other parts of the scenario have closed forms.
 * @throws NeardataError `bad-input`
 */
export function resolveToken(
  given: TokenContent,
  fidelity: Fidelity,
  alone: boolean,
): TokenScenario | null {
  const complain = (where: string, message: string): NeardataError =>
    new NeardataError("bad-input", [{ where: `token${where}`, message }]);
  const { attention, windows, steps, host, dimms, devices, relayout } = given;
  if (attention === "dense" && given.ratio !== undefined) {
    throw complain(".ratio", "dense attention moves all of K and V.");
  }
  const twice = windows.findIndex((window, i) => windows.indexOf(window) !== i);
  if (twice >= 0)
    throw complain(`.windows[${twice}]`, `${present(windows[twice])} stands there twice.`);
  if (fidelity === "analytic") {
    if (alone) throw complain("", "a token has no closed form: its fidelity is rtl or cycle.");
    return null;
  }
  return {
    fidelity,
    model: given.model ?? null,
    text: given.text ?? null,
    windows,
    steps,
    attention,
    ratio: attention === "dense" ? null : (given.ratio ?? defaultRatio),
    storage: given.storage ?? null,
    host,
    dimms,
    devices,
    relayout,
    audit: fidelity === "rtl" ? null : (given.audit ?? null),
  };
}
