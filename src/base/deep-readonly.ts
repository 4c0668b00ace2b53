// SPDX-License-Identifier: Apache-2.0
// Types that forbid changes at any depth.

type Plain = string | number | bigint | boolean | symbol | null | undefined;

/** The same record, whose keys and entries cannot be set. */
export type DeepReadonly<T> = T extends Plain
  ? T
  : { readonly [Key in keyof T]: DeepReadonly<T[Key]> };
