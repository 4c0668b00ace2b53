// SPDX-License-Identifier: Apache-2.0
// Activations of a bank between refreshes: at the maximum threshold (RAAMMT) a bank may not be activated before an RFM
// or a refresh reduces its counter.

import type { RefreshManagement } from "../../../machine/dram/refresh-management.ts";
import type { CheckedMemory } from "./memory.ts";
import type { Placed, Report } from "./violation.ts";

export class Activations {
  readonly #memory: CheckedMemory;
  readonly #report: Report;
  readonly #rule: RefreshManagement | undefined;
  /** Activations by bank that no refresh and no RFM has covered. */
  readonly #counts = new Map<number, number>();

  constructor(memory: CheckedMemory, report: Report) {
    this.#memory = memory;
    this.#report = report;
    this.#rule = memory.refreshManagement;
  }

  take({ command, banks }: Placed): void {
    const rule = this.#rule;
    const facts = this.#memory.standard.commands[command.name];
    if (rule === undefined || facts === undefined) return;
    if (facts.manages === true) this.#reduce(banks, rule.initial);
    else if (facts.refreshes !== undefined) this.#reduce(banks, rule.perRefresh);
    else if (facts.needs === "closed") {
      for (const bank of banks) {
        const count = this.#counts.get(bank) ?? 0;
        if (count >= rule.maximum) {
          const message = `${count} activations of the bank since its refreshes; the maximum is ${rule.maximum}`;
          this.#report({ rule: "RAA maximum", basis: "sure", command, message });
        }
        this.#counts.set(bank, count + 1);
      }
    }
  }

  #reduce(banks: readonly number[], covered: number): void {
    for (const bank of banks) {
      this.#counts.set(bank, Math.max(0, (this.#counts.get(bank) ?? 0) - covered));
    }
  }
}
