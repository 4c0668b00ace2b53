// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";

import { normalTail, scaledTail } from "../../src/golden/normal-tail.ts";

/** Phi(-x) e^(x^2/2) as the integral over s > 0 of e^(-xs - s^2/2) / sqrt(2 pi), by Simpson's rule. */
function byIntegral(x: number): number {
  const intervals = 20_000;
  const end = 14;
  const h = end / intervals;
  let sum = 0;
  for (let i = 0; i <= intervals; i += 1) {
    const weight = i === 0 || i === intervals ? 1 : i % 2 === 1 ? 4 : 2;
    const s = i * h;
    sum += weight * Math.exp(-x * s - (s * s) / 2);
  }
  return (sum * h) / 3 / Math.sqrt(2 * Math.PI);
}

test("the scaled tail is its integral, on both sides of the change of method", () => {
  for (let x = 0; x <= 16; x += 1 / 16) {
    expect(Math.abs(scaledTail(x) / byIntegral(x) - 1), `x = ${String(x)}`).toBeLessThan(1e-10);
  }
  const below = scaledTail(3 - 2 ** -40);
  expect(Math.abs(scaledTail(3) / below - 1)).toBeLessThan(2e-12);
});

test("the tail has the values of the tables of the normal distribution", () => {
  expect(normalTail(0)).toBe(0.5);
  expect(normalTail(1)).toBeCloseTo(0.15865525393145705, 14);
  expect(normalTail(1.959963984540054)).toBeCloseTo(0.025, 14);
  expect(normalTail(6) / 9.865876450376946e-10).toBeCloseTo(1, 11);
  expect(normalTail(10) / 7.619853024160495e-24).toBeCloseTo(1, 11);
});
