// SPDX-License-Identifier: Apache-2.0
// Bit errors of page reads, the capability of the code, and the retries of the controller.

/** Bit errors, and the controller's response to them. */
export interface ReadPolicy {
  /** Raw bit errors per bit with default read thresholds. */
  readonly rawBitErrorRate: number;
  /** Each retry divides the rate by this. */
  readonly retryGain: number;
  /** Factors of that rate by type of page, cyclic over the pages of a block; none: all equal. */
  readonly errorsByPageType: readonly number[];
  /** Of data; the parity of a codeword is its code's. */
  readonly codewordBytes: number;
  /** Bits that the code corrects in a codeword. */
  readonly correctableBits: number;
  readonly mostRetries: number;
  /** From a failed read to the next attempt. */
  readonly retrySetupNs: number;
  /** Until a silent channel is given up. */
  readonly deadTimeoutNs: number;
  readonly deadChannels: readonly number[];
  readonly seed: number;
}

/** A code of 40 bits a kilobyte, and thresholds that five retries move through. */
export const defaultReadPolicy: ReadPolicy = {
  rawBitErrorRate: 0,
  retryGain: 4,
  errorsByPageType: [],
  codewordBytes: 1024,
  correctableBits: 40,
  mostRetries: 5,
  retrySetupNs: 1000,
  deadTimeoutNs: 10_000_000,
  deadChannels: [],
  seed: 1,
};
