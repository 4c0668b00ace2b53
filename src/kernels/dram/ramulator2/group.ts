// SPDX-License-Identifier: Apache-2.0
// A group of a Ramulator 2 configuration: values are read by key; a key that was never read has no
// counterpart in this model.

import type { Issue } from "../../../base/errors.ts";
import { pathText, formatValue } from "../../../base/format-value.ts";

type Values = Readonly<Record<string, unknown>>;

export class Group {
  readonly #values: Values;
  readonly #path: readonly PropertyKey[];
  readonly #issues: Issue[];
  readonly #taken = new Set<string>();
  readonly #below: Group[] = [];

  constructor(value: unknown, path: readonly PropertyKey[], issues: Issue[]) {
    const isGroup = typeof value === "object" && value !== null && !Array.isArray(value);
    this.#values = isGroup ? (value as Values) : {};
    this.#path = path;
    this.#issues = issues;
    if (!isGroup && value !== undefined && value !== null) {
      this.#issues.push({
        where: pathText(path),
        message: `must be a group, not ${formatValue(value)}.`,
      });
    }
  }

  has(key: string): boolean {
    return this.#values[key] !== undefined && this.#values[key] !== null;
  }

  is(key: string, value: string): boolean {
    return this.#values[key] === value;
  }

  /** A group below, empty where it is absent. */
  group(key: string): Group {
    this.#taken.add(key);
    const below = new Group(this.#values[key], [...this.#path, key], this.#issues);
    this.#below.push(below);
    return below;
  }

  /**
   * A value with a meaning that this model does not have; `isPlain` is true if the value has no
   * effect.
   */
  without(key: string, isPlain: (value: unknown) => boolean, why: string): void {
    this.#taken.add(key);
    const value = this.#values[key];
    if (value === undefined || value === null || isPlain(value)) return;
    this.problem(key, why);
  }

  /** Keys that are not used, without a word about them. */
  skip(...keys: readonly string[]): void {
    for (const key of keys) this.#taken.add(key);
  }

  /** Keys that are not used; those that the group has, for a remark. */
  ignore(...keys: readonly string[]): readonly string[] {
    this.skip(...keys);
    return keys.filter((key) => this.has(key)).map((key) => pathText([...this.#path, key]));
  }

  /** The name of a key in messages. */
  nameOf(key: string): string {
    return pathText([...this.#path, key]);
  }

  /** A list; empty where it is absent. */
  list(key: string): readonly unknown[] {
    return (this.#of(key, "a list", Array.isArray) ?? []) as readonly unknown[];
  }

  whole(key: string): number | undefined {
    return this.#of(key, "a whole number", (value) => Number.isSafeInteger(value)) as
      number | undefined;
  }

  number(key: string): number | undefined {
    return this.#of(key, "a number", (value) => Number.isFinite(value)) as number | undefined;
  }

  /**
   * One of several texts. `absent` is the default; without a default a missing key is a problem.
   */
  choice<const Name extends string>(
    key: string,
    names: readonly Name[],
    absent?: Name,
  ): Name | undefined {
    if (!this.has(key) && absent === undefined) {
      this.#taken.add(key);
      this.problem(key, `must be given; known are ${names.join(", ")}.`);
      return undefined;
    }
    return this.optional(key, names) ?? absent;
  }

  /** One of several texts; undefined where the key is absent, null where it has none of them. */
  optional<const Name extends string>(
    key: string,
    names: readonly Name[],
  ): Name | null | undefined {
    this.#taken.add(key);
    if (!this.has(key)) return undefined;
    const value = this.#values[key];
    const match = names.find((name) => name === value);
    if (match !== undefined) return match;
    const known = names.length === 1 ? `it is ${names.join("")}` : `it has ${names.join(", ")}`;
    this.problem(key, `${formatValue(value)} has no counterpart in this model: ${known}.`);
    return null;
  }

  /** Records a problem of a key, or of the group if the key is empty. */
  problem(key: string, message: string): void {
    const path = key === "" ? this.#path : [...this.#path, key];
    this.#issues.push({ where: pathText(path), message });
  }

  /** Keys of this group and of all below it that are not read, without a word about them. */
  skipAll(): readonly string[] {
    const keys = Object.keys(this.#values).filter((key) => !this.#taken.has(key));
    for (const key of keys) this.#taken.add(key);
    return keys.map((key) => pathText([...this.#path, key]));
  }

  /** Reports every key that was not read, here and below, as one without a counterpart. */
  end(): void {
    for (const key of Object.keys(this.#values)) {
      if (!this.#taken.has(key)) this.problem(key, "has no counterpart in this model.");
    }
    for (const below of this.#below) below.end();
  }

  #of(key: string, what: string, holds: (value: unknown) => boolean): unknown {
    this.#taken.add(key);
    const value = this.#values[key];
    if (value === undefined || value === null) return undefined;
    if (holds(value)) return value;
    this.problem(key, `must be ${what}, not ${formatValue(value)}.`);
    return undefined;
  }
}
