// SPDX-License-Identifier: Apache-2.0
// Static timing of a whole unit: the mapped netlists of its slices linked, so that a path from one
// slice to another counts from its register to the next one; in every corner of the cells, with an
// estimate of wires and without. Without clock tree.

import type { Library } from "../cells/liberty.ts";
import { inputError } from "../../../base/errors.ts";
import type { MappedCell } from "../gates/gate-netlist.ts";
import type { Flow } from "../slice.ts";
import type { Instance } from "../../../machine/slices.ts";
import { arrivalsOf } from "./arrivals.ts";
import { buffersOf, type Buffer } from "./buffers.ts";
import type { CellTiming } from "./cell-timing.ts";
import { atCorner, bufferAt, cornersOf } from "./corners.ts";
import { linkDesign, slicesOf, type LinkedDesign } from "./design.ts";
import { fpgaCells, type FpgaCell } from "./fpga-cells.ts";
import { chipBorders, fpgaBorders, type Borders } from "./borders.ts";
import { timingGraph, type TimingGraph, type TimingOf } from "./graph.ts";
import { holdOf } from "./hold.ts";

import { libraryCells } from "./library-cells.ts";
import { pitchOf, wireData, withWires } from "./wires.ts";
import { worstPaths } from "./worst-paths.ts";

import type {
  CornerTiming,
  CornerSources,
  RoutedEstimate,
  UnitTiming,
} from "../../../results/area-report.ts";

/** Paths that are listed. */
const listed = 10;

/**
 * Times the unit of this top; `limit` is the limit of its paths in ps.
 * @throws NeardataError `build-failed`, `bad-input`; `check-failed` for a combinational loop.
 */
export async function timeUnit(
  flow: Flow,
  top: Instance,
  limit: number | null,
): Promise<UnitTiming> {
  const design = await linkDesign(slicesOf(flow), top);
  const models = flow.library === null ? await fpgaModels(flow, design) : chipModels(flow.library);
  const graph = graphOf(design, models);
  const timing = timeDesign(design, models, limit, graph);
  if (flow.library === null) return { ...timing, ...routedEstimate(timing) };
  return { ...timing, ...timeCorners(design, models, flow.library, limit, graph) };
}

function routedEstimate({ worst }: UnitTiming): { readonly routed?: RoutedEstimate } {
  const [slowest] = worst;
  if (slowest === undefined) return {};
  const { logicShare, source } = wireData().fpga;
  return { routed: { logicShare, source, period: slowest.period / logicShare } };
}

/** Setup and hold in every corner of the cells, without wires and with them. */
export function timeCorners(
  design: LinkedDesign,
  models: Models,
  library: Library,
  limit: number | null,
  bare: TimingGraph = graphOf(design, models),
): { readonly corners: readonly CornerTiming[]; readonly sources: CornerSources } {
  const data = wireData();
  const pitch = pitchOf(design, library);
  const wired = withWires(bare, pitch, data);
  const corners = cornersOf(library);
  const timed = [false, true].flatMap((wires) =>
    corners.map((corner): CornerTiming => {
      const graph = atCorner(wires ? wired : bare, corner);
      const buffers = models.buffers.map((buffer) => bufferAt(buffer, corner));
      const late = arrivalsOf(graph, buffers);
      const { worst, over } = worstPaths(graph, late, 1, limit ?? Infinity);
      return {
        corner: corner.name,
        conditions: corner.conditions,
        wires,
        over,
        slowest: worst[0] ?? null,
        hold: holdOf(graph, arrivalsOf(graph, buffers, "earliest")),
      };
    }),
  );
  const [first] = corners;
  return { corners: timed, sources: { corners: first?.source ?? "", wires: data.source, pitch } };
}

/** The same of slices that are linked. */
export function timeDesign(
  design: LinkedDesign,
  models: Models,
  limit: number | null,
  graph: TimingGraph = graphOf(design, models),
): UnitTiming {
  const arrivals = arrivalsOf(graph, models.buffers);
  return {
    ...worstPaths(graph, arrivals, listed, limit ?? Infinity),
    limit,
    instances: design.instances.length,
    nets: design.nets,
    buffers: arrivals.buffers,
  };
}

function graphOf(design: LinkedDesign, { timingOf, borders }: Models): TimingGraph {
  return timingGraph(design, timingOf, borders);
}

/** Cells of a target, and the assumptions at the boundary of a unit. */
interface Models {
  readonly timingOf: TimingOf;
  readonly borders: Borders;
  readonly buffers: readonly Buffer[];
}

/** Standard cells. @throws NeardataError `bad-input` for one without tables of delays. */
export function chipModels(library: Library): Models {
  const cells = libraryCells(library);
  const buffers = buffersOf(library, cells);
  const driver = buffers.find(({ name }) => name === library.buffer);
  if (driver === undefined) {
    throw inputError(library.path, `the buffer ${library.buffer} has no table of delays.`);
  }
  const timingOf = ({ type }: MappedCell): CellTiming => {
    const timing = cells.get(type);
    const isConstant = library.high[0] === type || library.low[0] === type;
    if (timing !== undefined && (isConstant || timing.arcs.length + timing.launches.length > 0)) {
      return timing;
    }
    throw inputError(library.path, `the cell ${type} has no table of delays.`);
  };
  return { timingOf, borders: chipBorders(driver.delay), buffers };
}

/** Contents of memories and tables do not change delays. */
function fpgaCellOf({ type, parameters }: MappedCell): FpgaCell {
  const passed = [...parameters.matchAll(/\.(\w+)\(([^()]*)\)/g)]
    .filter(([, name = ""]) => !name.startsWith("INIT"))
    .map(([text]) => text);
  return { type, parameters: passed.length === 0 ? "" : `#(${passed.join(", ")})` };
}

async function fpgaModels(flow: Flow, { instances }: LinkedDesign): Promise<Models> {
  const kinds = new Map<string, FpgaCell>();
  const byCell = new Map<MappedCell, string>();
  for (const netlist of new Set(instances.map(({ slice }) => slice.netlist))) {
    for (const cell of netlist.cells) {
      const kind = fpgaCellOf(cell);
      const key = `${kind.type} ${kind.parameters}`;
      kinds.set(key, kind);
      byCell.set(cell, key);
    }
  }
  const keys = [...kinds.keys()].sort();
  const timings = await fpgaCells(
    flow.yosys,
    keys.flatMap((key) => kinds.get(key) ?? []),
  );
  const known = new Map(keys.map((key, i) => [key, timings[i]]));
  const timingOf = (cell: MappedCell): CellTiming => {
    const timing = known.get(byCell.get(cell) ?? "");
    if (timing === undefined) throw inputError(cell.type, "this cell has no delays.");
    return timing;
  };
  return { timingOf, borders: fpgaBorders, buffers: [] };
}
