// SPDX-License-Identifier: Apache-2.0
// The points of a picture of Observable Plot, in the units of its axes.

export interface PicturePoint {
  readonly x: number;
  readonly y: number;
  readonly fill: string;
}

type Scale = "linear" | "log";

/** Positions in pixels and values of the labels of an axis. Throws without two labels. */
function ticksOf(svg: string, axis: "x" | "y"): readonly (readonly [number, number])[] {
  const [, labels = ""] =
    new RegExp(`aria-label="${axis}-axis tick label">(.*?)</g>`, "s").exec(svg) ?? [];
  const texts = labels.matchAll(/translate\(([\d.]+),([\d.]+)\)"[^>]*>([^<]+)</g);
  const ticks = [...texts].map(
    ([, x, y, text]) => [Number(axis === "x" ? x : y), Number(text)] as const,
  );
  if (ticks.length < 2) throw new Error(`the ${axis} axis has ${String(ticks.length)} labels`);
  return ticks;
}

/** The value at a position in pixels, by the first and the last label of the axis. */
function valueAt(svg: string, axis: "x" | "y", scale: Scale): (position: number) => number {
  const ticks = ticksOf(svg, axis);
  const [from, to] = [ticks[0], ticks.at(-1)].map((tick) => tick ?? [Number.NaN, Number.NaN]);
  const [[start, low], [end, high]] = [from, to] as [[number, number], [number, number]];
  return (position) => {
    const share = (position - start) / (end - start);
    return scale === "log" ? low * (high / low) ** share : low + share * (high - low);
  };
}

/** The circles of a picture in their order. */
export function picturePoints(
  svg: string,
  scales: { readonly x: Scale; readonly y: Scale },
): readonly PicturePoint[] {
  const [x, y] = [valueAt(svg, "x", scales.x), valueAt(svg, "y", scales.y)];
  return [...svg.matchAll(/<circle[^>]*>/g)].map(([circle]) => {
    const attribute = (name: string): string =>
      new RegExp(` ${name}="([^"]*)"`).exec(circle)?.[1] ?? "";
    return {
      x: x(Number(attribute("cx"))),
      y: y(Number(attribute("cy"))),
      fill: attribute("fill"),
    };
  });
}
