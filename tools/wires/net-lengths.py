# SPDX-License-Identifier: Apache-2.0
"""Lengths of nets by the pins that they drive, of what place-bank.sh left, for synth/wires.json.

    python3 tools/wires/net-lengths.py PLACED.def [ROUTED.def]

Lengths are in pitches: the square root of the floor of the rows by the cells in them. Of the placement: half
the perimeter of the box around a net's cells. Of the routes: the metal of the nets that were routed whole.
"""

import json
import math
import re
import statistics
import sys

# Groups of pins that a net drives; the clock is left out, as it gets a tree.
GROUPS = [(1, 1), (2, 2), (3, 3), (4, 4), (5, 8), (9, 16), (17, 32), (33, 64), (65, 256)]


def placement(text):
    """Places of cells (um) and nets as lists of (cell, pin)."""
    units = float(re.search(r"UNITS DISTANCE MICRONS (\d+)", text).group(1))
    placed = re.search(r"^COMPONENTS(.*?)^END COMPONENTS", text, re.S | re.M).group(1)
    places = {
        name: (float(x) / units, float(y) / units, cell)
        for name, cell, x, y in re.findall(
            r"- (\S+) (\S+)[^;]*?(?:PLACED|FIXED) \( (-?\d+) (-?\d+) \)", placed)
    }
    part = re.search(r"^NETS(.*?)^END NETS", text, re.S | re.M).group(1)
    nets = {}
    for net in part.split("\n- ")[1:]:
        name = net.split()[0]
        pins = net.split("+ ROUTED")[0]
        nets[name] = re.findall(r"\( (\S+) (\S+) \)", pins)
    return units, places, nets


def routes(text, units):
    """um of metal by net."""
    lengths = {}
    for section in ("NETS", "SPECIALNETS"):
        part = re.search(rf"^{section}(.*?)^END {section}", text, re.S | re.M)
        for net in part.group(1).split("\n- ")[1:] if part else []:
            name = net.split()[0]
            length = 0.0
            for line in re.findall(r"(?:ROUTED|NEW) (.*)", net):
                last = None
                for x, y in re.findall(r"\( (-?\d+|\*) (-?\d+|\*) \)", line):
                    point = (float(last[0] if x == "*" else x), float(last[1] if y == "*" else y))
                    if last is not None:
                        length += abs(point[0] - last[0]) + abs(point[1] - last[1])
                    last = point
            lengths[name] = lengths.get(name, 0.0) + length / units
    return lengths


def main():
    with open(sys.argv[1], encoding="utf8") as file:
        units, places, nets = placement(file.read())
    cells = [place for place in places.values() if not place[2].startswith("FILL")]
    rows = sorted({y for _, y, _ in cells})
    height = min(b - a for a, b in zip(rows, rows[1:]))
    width = max(x for x, _, _ in cells) - min(x for x, _, _ in cells)
    pitch = math.sqrt(width * height * len(rows) / len(cells))
    routed = {}
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf8") as file:
            routed = routes(file.read(), units)
    by_group = {group: ([], [], []) for group in GROUPS}
    for name, pins in nets.items():
        if name == "clk_i" or any(cell == "PIN" for cell, _ in pins) or len(pins) < 2:
            continue
        points = [places[cell][:2] for cell, _ in pins]
        xs, ys = zip(*points)
        box = (max(xs) - min(xs) + max(ys) - min(ys)) / pitch
        for group, (drives, boxes, metals) in by_group.items():
            if group[0] <= len(pins) - 1 <= group[1]:
                drives.append(len(pins) - 1)
                boxes.append(box)
                if routed.get(name, 0) > 0:
                    metals.append((box, routed[name] / pitch))
    print(json.dumps({
        "cells": len(cells), "pitch, um": round(pitch, 3), "rows": len(rows),
        "lengths": [{
            "drives": list(group), "mean": round(statistics.mean(drives), 2), "nets": len(boxes), "box": round(statistics.mean(boxes), 2),
            **({"routed nets": len(metals),
                "box of routed": round(statistics.mean(b for b, _ in metals), 2),
                "routed": round(statistics.mean(m for _, m in metals), 2)} if metals else {}),
        } for group, (drives, boxes, metals) in by_group.items() if boxes],
    }, indent=2))


if __name__ == "__main__":
    main()
