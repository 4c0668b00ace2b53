// SPDX-License-Identifier: Apache-2.0
// BurstGPT (Wang et al., KDD 2025): CSV with a line a request, timestamps in seconds, in the form of
// version 1 and in that of version 2 with sessions and elapsed times. Requests that failed have no tokens
// in the response.

import { present } from "../../base/present.ts";
import { cellsOf } from "../../base/files/cells.ts";
import { headerOf } from "./columns.ts";
import { tokensOf, type RequestFormat, type RowOrProblem, type TraceTime } from "./format.ts";

const lengths = ["Request tokens", "Response tokens", "Total tokens"];
const known = ["Timestamp", "Session ID", "Elapsed time", "Model", ...lengths, "Log Type"];

export const burstGpt: RequestFormat = {
  title: "a BurstGPT trace",
  example: "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type",
  empty: "failed",
  open: (first, times) => {
    const names = cellsOf(first);
    if (!lengths.some((name) => names.includes(name))) return null;
    const needed = times ? ["Timestamp", ...lengths] : lengths;
    const header = headerOf(
      names,
      needed,
      known.filter((name) => !needed.includes(name)),
    );
    if ("problems" in header) return header;
    const at = (name: string): number => header.at(name);
    const read = (line: string): RowOrProblem => {
      const cells = cellsOf(line);
      if (cells.length !== header.count) {
        return `here are ${cells.length} cells, and the header names ${header.count} columns.`;
      }
      const arrival = times ? secondsOf(present(cells[at("Timestamp")])) : null;
      if (times && arrival === null) return "here is no Timestamp in seconds, such as 5 or 5.25.";
      const tokens = lengths.map((name) => tokensOf(present(cells[at(name)])));
      const bad = lengths.find((_, i) => tokens[i] === null);
      if (bad !== undefined) return `here is no whole number of tokens in ${bad}.`;
      const [prompt = 0, generated = 0, total = 0] = tokens.map((n) => n ?? 0);
      if (generated > 0 && prompt + generated !== total) {
        return `Total tokens is ${total}, but ${prompt} and ${generated} tokens are ${prompt + generated}.`;
      }
      return { time: arrival, prompt, generated };
    };
    return { read, firstIsRow: false };
  },
};

function secondsOf(text: string): TraceTime | null {
  const match = /^(\d{1,12})(\.\d{1,9})?$/.exec(text);
  if (match === null) return null;
  const [, whole = "", fraction = "0"] = match;
  return { whole: Number(whole), fraction: Number(fraction) };
}
