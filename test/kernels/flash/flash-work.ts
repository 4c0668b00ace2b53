// SPDX-License-Identifier: Apache-2.0
// Pages of work for a flash channel, their times, and what newer parts do, as the plain model has them.

export type FlashOperation = "R" | "W" | "E";

/** A page operation; the requests of a batch arrive at the same time. */
export interface FlashRequest {
  readonly submit: number;
  readonly batch: number;
  readonly op: FlashOperation;
  readonly channel: number;
  readonly die: number;
  readonly plane: number;
  readonly block: number;
  readonly page: number;
  readonly bytes: number;
}

/** In ticks, which are nanoseconds here. */
export interface PageTimes {
  readonly command: number;
  readonly dataOut: number | null;
  readonly done: number;
  readonly planes: number;
}

/** Features of newer parts, each optional; times in ticks. */
export interface FlashFeatures {
  /** The next page is sensed while the one before leaves. */
  readonly cacheRead?: { readonly transfer: number };
  /** Planes read by themselves, and the die writes as one; or planes do all by themselves. */
  readonly independentPlanes?: "reads" | "all";
  /** Instead of tR and t_rb, cyclic over the pages of a block. */
  readonly senseByPageType?: readonly number[];
  /** A program or erase that has run for `least` is suspended for a read, up to `most` times. */
  readonly suspends?: {
    readonly command: number;
    readonly time: number;
    readonly least: number;
    readonly most: number;
  };
  /** `dies` dies share a supply current of `most` for their reads, programs and erases. */
  readonly package?: {
    readonly dies: number;
    readonly most: number;
    readonly draws: Readonly<Record<FlashOperation, number>>;
  };
}
