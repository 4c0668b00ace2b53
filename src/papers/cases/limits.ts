// SPDX-License-Identifier: Apache-2.0
// Bounds of the numbers in cases of policies: beyond every existing machine and model, and narrow
// enough that every case is solved in seconds without overflow of a double.

import { z } from "zod";

/** Bytes or operations per second. */
export const rate: z.ZodNumber = z.number().min(1).max(1e21);

/** Bytes. */
export const amount: z.ZodNumber = z
  .number()
  .min(0)
  .max(2 ** 60);

/** Seconds, or loads that are averaged. */
export const time: z.ZodNumber = z.number().min(0).max(1e9);

/** Tokens, layers, values of a row. */
export const count: z.ZodInt = z
  .int()
  .min(1)
  .max(2 ** 24);

/** A number from 0, such as that of an expert. */
export const index: z.ZodInt = z
  .int()
  .min(0)
  .max(2 ** 24);

/** A sum or a product of objectives; an objective is at least `least` away from 0. */
export const objective: z.ZodNumber = z.number().min(-1e100).max(1e100);
export const minObjective = 1e-100;

/** Entries of a list that are compared with one another. */
export const maxComparedEntries = 4096;
/** Limit of the values in a list that is processed once. */
export const maxValues = 65_536;
/** DIMMs of a host. */
export const maxDimms = 1024;
