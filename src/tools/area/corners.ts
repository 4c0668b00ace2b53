// SPDX-License-Identifier: Apache-2.0
// Corners and wires of a unit: its slowest path (setup) and its earliest change (hold) in each, as lines
// of a terminal and as a table of a page.

import type { CornerTiming, UnitTiming, Terminal } from "../../results/area-report.ts";
import type { Block } from "../../report/page.ts";

/** Where a path begins or ends: slice, instance, register. */
export function terminalLocation(terminal: Terminal): string {
  return `${terminal.module} ${nameOf(terminal)}`;
}

export function nameOf({ instance, name }: Terminal): string {
  return instance === "" || instance === name ? name : `${instance}.${name}`;
}

/** Every corner without wires, then with them; of an FPGA the estimate from a routed path. */
export function cornerLines(timing: UnitTiming): readonly string[] {
  const { corners = [], sources, routed } = timing;
  if (routed !== undefined) return [routedText(routed)];
  if (sources === undefined) return [];
  return [
    "corners: the slowest path, and the earliest change behind a clock edge with the rest for skew",
    ...corners.map((corner) => `  ${cornerText(corner)}`),
    `corners by ${sources.corners}`,
    `wires by ${sources.wires}; a cell has ${sources.pitch.toFixed(3)} um of floor a side`,
  ];
}

function routedText({ logicShare, period, source }: NonNullable<UnitTiming["routed"]>): string {
  return (
    `with wires about ${(period / 1000).toFixed(2)} ns, were logic ${(100 * logicShare).toFixed(0)} % of it ` +
    `as in ${source}; hold: no figures in Yosys' models`
  );
}

function cornerText({ corner, conditions, wires, slowest, over, hold }: CornerTiming): string {
  const setup =
    slowest === null
      ? "no path"
      : `${slowest.period.toFixed(0).padStart(6)} ps ${terminalLocation(slowest.start)} -> ${terminalLocation(slowest.end)}`;
  const late = over === 0 ? "" : `, ${String(over)} ends late`;
  return [
    corner.padEnd(8),
    (wires ? "with wires" : "no wires").padEnd(11),
    `${setup}${late}; ${holdText(hold)} (${conditions})`,
  ].join(" ");
}

function holdText(hold: CornerTiming["hold"]): string {
  if (hold === null) return "hold unknown";
  const { slack, early, path } = hold;
  const violated = early === 0 ? "" : `, ${String(early)} ends early`;
  return `hold ${slack.toFixed(1)} ps, ${terminalLocation(path.start)} -> ${terminalLocation(path.end)}${violated}`;
}

/** The same for a page. */
export function cornerBlocks(unit: string, timing: UnitTiming): readonly Block[] {
  const { corners = [], sources, routed } = timing;
  if (routed !== undefined) return [{ kind: "prose", text: `${routedText(routed)}.` }];
  if (sources === undefined) return [];
  return [
    {
      kind: "table",
      id: `unit-corners-${unit}`,
      caption:
        `Every corner, without and with wires. Factors of corners: ${sources.corners}. Wires: ${sources.wires}. ` +
        "Hold: from the earliest change to the end of the hold time, with an ideal clock; its skew may take the rest.",
      columns: [
        { key: "corner", title: "corner" },
        { key: "conditions", title: "conditions" },
        { key: "wires", title: "wires" },
        { key: "period", title: "slowest path", unit: "ps", source: "derived" },
        { key: "late", title: "ends over the limit" },
        { key: "path", title: "from, to" },
        { key: "slack", title: "hold", unit: "ps", source: "derived" },
        { key: "early", title: "ends early" },
        { key: "earliest", title: "from, to" },
      ],
      rows: corners.map(({ corner, conditions, wires, slowest, over, hold }) => ({
        corner,
        conditions,
        wires: wires ? "estimated" : "none",
        period: slowest?.period ?? null,
        late: over,
        path:
          slowest === null
            ? ""
            : `${terminalLocation(slowest.start)}, ${terminalLocation(slowest.end)}`,
        slack: hold?.slack ?? null,
        early: hold?.early ?? null,
        earliest:
          hold === null
            ? ""
            : `${terminalLocation(hold.path.start)}, ${terminalLocation(hold.path.end)}`,
      })),
    },
  ];
}
