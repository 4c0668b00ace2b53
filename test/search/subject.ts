// SPDX-License-Identifier: Apache-2.0
// What is searched: a unit in RTL beside its cycle model on a bench, and cases of it that are numbers
// with a name and a range each, so that any search can change, shrink and keep them.

/** A value for every field of a subject. */
export type Case = Readonly<Record<string, number>>;

/** The least and the largest value of a field. */
export type Fields = Readonly<Record<string, readonly [least: number, most: number]>>;

/** The results of a case. */
export interface Seen {
  /** Distinct pairs of states of cycle model and RTL, hashed. */
  readonly pairs: Uint32Array;
  readonly cycles: number;
  /** How RTL, cycle model and golden values disagree; null where they do not. */
  readonly wrong: string | null;
}

export interface Subject {
  readonly name: string;
  readonly fields: Fields;
  /** Whether the unit accepts the case and it is short enough to run in a fraction of a second. */
  readonly fits: (one: Case) => boolean;
  readonly run: (one: Case) => Promise<Seen>;
  readonly close: () => void;
}
