// SPDX-License-Identifier: Apache-2.0
// A cache of values by key that forgets the key that was not used for longest.

export class RecentCache<Value> {
  private readonly values = new Map<string, Value>();
  private readonly most: number;

  /** `most`: values that the cache keeps. */
  public constructor(most: number) {
    this.most = most;
  }

  /** The value of a key; `make` makes one that the cache does not have. */
  public get(key: string, make: () => Value): Value {
    const { values } = this;
    const value = values.has(key) ? (values.get(key) as Value) : make();
    values.delete(key);
    values.set(key, value);
    const [oldest] = values.keys();
    if (values.size > this.most && oldest !== undefined) values.delete(oldest);
    return value;
  }
}
