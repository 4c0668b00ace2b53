// SPDX-License-Identifier: Apache-2.0
// The C++ of a unit whose streams a caller drives: the shim of its ports (shim.ts), and its streams with
// constant widths and positions, for the loop that is compiled with them (sim/rtl/shim/driven_loop.h).

import { portsForShim, type AnyPorts } from "./any-ports.ts";
import { unitFields, wordsOf, type FieldTable, type PortFields } from "./fields.ts";
import type { Port } from "./ports.ts";
import { driveLines, sampleLines, shimText, type ShimModel } from "./shim.ts";
import type { Stream } from "./streams.ts";

export function drivenShimText(unit: AnyPorts, model: ShimModel): string {
  const ports = portsForShim(unit);
  const streams = laneStreams(unit);
  const pieces = streams.flatMap((stream) => stream.pieces);
  const { inputs, outputs } = unitFields(ports);
  const strobes = strobesOf(outputs);
  const rest = (table: FieldTable, of: readonly Port[]): readonly PortFields[] =>
    table.ports.filter(({ port }) => of.includes(port));
  const { member } = model;
  const drive = (all: readonly PortFields[]): readonly string[] => driveLines(all, member);
  const sample = (all: readonly PortFields[]): readonly string[] => sampleLines(all, member);
  return `${shimText(ports, model)}
#include "rtl/shim/driven_loop.h"

namespace {

struct Streams {
  using Model = Ports::Model;
  static constexpr std::array<DrivenStream, ${String(streams.length)}> kStreams{{
${streams.map(({ row }) => `    ${row},`).join("\n")}
  }};
  static constexpr std::array<DrivenPiece, ${String(pieces.length)}> kPieces{{
${pieces.map((piece) => `    ${piece},`).join("\n")}
  }};
  static constexpr std::uint32_t kStrobeWord = ${String(strobes.word)};
  static constexpr std::size_t kStrobeBits = ${String(strobes.bits)};

${ofEach("drive_handshake", "Model& m, const std::uint32_t* in", streams, ({ driven }) => drive(driven))}
${ofEach("sample_handshake", "const Model& m, std::uint32_t* out", streams, ({ sampled }) => sample(sampled))}
${ofEach("drive", "Model& m, const std::uint32_t* in", streams, ({ into, payload }) => (into ? drive(payload) : []))}
${ofEach("sample", "const Model& m, std::uint32_t* out", streams, ({ into, payload }) => (into ? [] : sample(payload)))}
  static void drive_rest([[maybe_unused]] Model& m, [[maybe_unused]] const std::uint32_t* in) {
${indented(drive(rest(inputs, unit.inputs)), 4)}
  }
  static void sample_rest([[maybe_unused]] const Model& m, [[maybe_unused]] std::uint32_t* out) {
${indented(sample(rest(outputs, unit.outputs)), 4)}
  }
};

}  // namespace

struct NeardataDriven final : DrivenLoop<Ports, Streams> {
  using DrivenLoop::DrivenLoop;
};

extern "C" __attribute__((visibility("default"))) const NeardataDrivenPlugin*
neardata_driven_plugin() {
  static constexpr NeardataDrivenPlugin kPlugin = driven_plugin<NeardataDriven>();
  return &kPlugin;
}
`;
}

/** A stream as the loop needs it. */
interface LaneStream {
  readonly into: boolean;
  /** Its row in the table of streams, and its rows in the table of pieces. */
  readonly row: string;
  readonly pieces: readonly string[];
  /** Its valid or ready among the inputs, and the other one, among the outputs, if any. */
  readonly driven: readonly PortFields[];
  readonly sampled: readonly PortFields[];
  /** With positions from its first word. */
  readonly payload: readonly PortFields[];
}

function laneStreams(unit: AnyPorts): readonly LaneStream[] {
  const { inputs, outputs } = unitFields(portsForShim(unit));
  const always = "kAlways";
  let first = 0;
  return unit.streams.map((stream): LaneStream => {
    const { direction, lanes, valid, ready } = stream;
    const into = direction === "input";
    const portsOf = (table: FieldTable, ports: readonly (Port | undefined)[]): PortFields[] =>
      table.ports.filter(({ port }) => ports.includes(port));
    const driven = portsOf(inputs, [into ? valid : ready]);
    const sampled = portsOf(outputs, [into ? ready : valid]);
    const absolute = portsOf(into ? inputs : outputs, stream.payload);
    const base = absolute[0]?.fields[0]?.offset ?? 0;
    const payload = absolute.map((port) => moved(port, -base));
    const pieces = piecesOf(stream, payload);
    const words = payload.flatMap(({ fields }) =>
      fields.map(({ bits, count }) => count * wordsOf(bits)),
    );
    const place = ([port]: readonly PortFields[]): string =>
      String(port?.fields[0]?.offset ?? always);
    const width = words.reduce((sum, one) => sum + one, 0) / lanes;
    const row = [into, lanes, place(driven), place(sampled), base, width, first, pieces.length];
    first += pieces.length;
    return {
      into,
      row: `{${row.map(String).join(", ")}}`,
      pieces: pieces.map(({ from, words }) => `{${[from, words].join(", ")}}`),
      driven,
      sampled,
      payload,
    };
  });
}

const moved = (of: PortFields, by: number): PortFields => ({
  ...of,
  fields: of.fields.map((field) => ({ ...field, offset: field.offset + by })),
});

interface Piece {
  readonly from: number;
  readonly words: number;
}

/** The words of a lane's message in the payload; the message of a single lane is the payload. */
function piecesOf({ lanes }: Stream, payload: readonly PortFields[]): readonly Piece[] {
  if (lanes === 1) return [];
  const fields = payload.flatMap((port) => port.fields);
  return fields.map(({ bits, offset }) => ({ from: offset, words: wordsOf(bits) }));
}

/** The words of events_o, whose bits are counted. */
function strobesOf({ ports }: FieldTable): { readonly word: number; readonly bits: number } {
  const fields = ports.flatMap((port) => port.fields);
  const events = fields.find(({ name }) => name === "events_o");
  return events === undefined ? { word: 0, bits: 0 } : { word: events.offset, bits: events.bits };
}

const indented = (lines: readonly string[], by: number): string =>
  lines.map((line) => `${" ".repeat(by)}${line}`).join("\n");

/** A function template with the lines of each stream. */
function ofEach(
  name: string,
  parameters: string,
  streams: readonly LaneStream[],
  linesOf: (stream: LaneStream) => readonly string[],
): string {
  const cases = streams.flatMap((stream, i) => {
    const lines = linesOf(stream);
    return lines.length === 0
      ? []
      : [`    if constexpr (S == ${String(i)}) {`, indented(lines, 6), "    }"];
  });
  const unused = parameters.split(", ").map((one) => `[[maybe_unused]] ${one}`);
  return [
    "  template <std::size_t S>",
    `  static void ${name}(${unused.join(", ")}) {`,
    ...cases,
    "  }",
  ].join("\n");
}
