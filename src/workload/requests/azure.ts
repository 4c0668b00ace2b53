// SPDX-License-Identifier: Apache-2.0
// The Azure LLM inference traces of 2023 (Patel et al., ISCA 2024), of 2024 (with a time zone) and the
// multimodal one of 2025 (with NumImages): CSV with a line a request.

import { present } from "../../base/present.ts";
import { cellsOf } from "../../base/files/cells.ts";
import { headerOf } from "./columns.ts";
import { tokensOf, type RequestFormat, type RowOrProblem, type TraceTime } from "./format.ts";

const [timeName, promptName, outputName] = ["TIMESTAMP", "ContextTokens", "GeneratedTokens"];
const imagesName = "NumImages";

export const azure: RequestFormat = {
  title: "an Azure LLM inference trace",
  example: `${timeName},${promptName},${outputName}`,
  empty: "were cancelled",
  open: (first, times) => {
    const names = cellsOf(first);
    if (![timeName, promptName, outputName].some((name) => names.includes(name))) return null;
    const lengths = [promptName, outputName];
    const header = times
      ? headerOf(names, [timeName, ...lengths], [imagesName])
      : headerOf(names, lengths, [timeName, imagesName]);
    if ("problems" in header) return header;
    const [time, prompt, output] = [timeName, promptName, outputName].map(header.at);
    const images = header.at(imagesName);
    const read = (line: string): RowOrProblem => {
      const cells = cellsOf(line);
      if (cells.length !== header.count) {
        return `here are ${cells.length} cells, and the header names ${header.count} columns.`;
      }
      const cell = (at?: number): string => (at === undefined ? "" : present(cells[at]));
      const arrival = times ? timeOf(cell(time)) : null;
      if (times && arrival === null) {
        return `here is no ${timeName} such as 2023-11-16 18:15:46.6805900 or 2024-05-10 00:00:00+00:00.`;
      }
      const [tokensIn, tokensOut] = [tokensOf(cell(prompt)), tokensOf(cell(output))];
      if (tokensIn === null) return `here is no whole number of tokens in ${promptName}.`;
      if (tokensOut === null) return `here is no whole number of tokens in ${outputName}.`;
      if (images >= 0 && cell(images) !== "0") {
        return /^\d+$/.test(cell(images))
          ? `this request has ${cell(images)} images (${imagesName}), and images are not modelled.`
          : `here is no whole number of images in ${imagesName}.`;
      }
      return { time: arrival, prompt: tokensIn, generated: tokensOut };
    };
    return { read, firstIsRow: false };
  },
};

/** A date, a time to the nanosecond, and a zone or none. Traces without a zone are in UTC throughout. */
function timeOf(text: string): TraceTime | null {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?$/.exec(text);
  if (match === null) return null;
  const [, day = "", time = "", fraction = "0", zone = "Z"] = match;
  const iso = `${day}T${time}`;
  const ms = Date.parse(iso + zone.replace(/^([+-]\d\d)(\d\d)$/, "$1:$2"));
  // `Date` converts a date that does not exist, such as 30 February, to another date.
  const utc = Date.parse(`${iso}Z`);
  if (Number.isNaN(ms) || Number.isNaN(utc)) return null;
  if (new Date(utc).toISOString().slice(0, 19) !== iso) return null;
  return { whole: ms / 1000, fraction: Number(fraction) };
}
