// SPDX-License-Identifier: Apache-2.0
// Refresh management (RFM) of DDR5 (JESD79-5, 4.41 and mode registers 58 and 59) and HBM3 (JESD238), in activations of
// one bank. A counter of each bank (RAA) counts its activations; refreshes and RFMs of the bank reduce it.

export interface RefreshManagement {
  /** The counter at which a bank needs an RFM, which reduces it by this number (RAAIMT). */
  readonly initial: number;
  /** The counter at which the bank may not be activated (RAAMMT). */
  readonly maximum: number;
  /** By which a refresh reduces the counter (RAADEC: RAAIMT, or half of it). */
  readonly perRefresh: number;
}

/** RAAMMT in RAAIMT where nobody states it: the least multiple of mode register 58 in normal mode (3 to 6). */
export const leastMaximum = 3;
