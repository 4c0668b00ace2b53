# SPDX-License-Identifier: Apache-2.0
"""Factors of ASAP7's slow and fast cells against its typical ones, for synth/corners.json.

    python3 tools/corners/asap7-factors.py FOLDER

FOLDER has LIB/NLDM/asap7sc7p5t_{INVBUF,AO,OA,SEQ}_RVT_{SS,TT,FF}_nldm_*.lib of asap7sc7p5t_28, unpacked
(`cmake -E tar xf FILE.7z`). A factor is the median over all tables of the class, at input slews of 10 to 80 ps
and the middle loads, of one corner's number by the typical one. Hold times are the largest of DFFHQNx1 at slews
of data to 80 ps and of the clock to 40 ps.
"""

import glob
import json
import re
import statistics
import sys

CLASSES = {"buffer": ["INVBUF"], "gate": ["AO", "OA"], "register": ["SEQ"]}
KINDS = {
    "delay": ["cell_rise", "cell_fall"],
    "slew": ["rise_transition", "fall_transition"],
    "constraint": ["rise_constraint", "fall_constraint"],
}
SHARP = [7 * data + clock for data in range(5) for clock in range(4)]
MIDDLE = [7 * row + column for row in range(1, 5) for column in range(1, 5)]


def text_of(folder, kind, corner):
    (path,) = glob.glob(f"{folder}/asap7sc7p5t_{kind}_RVT_{corner}_nldm_*.lib")
    with open(path, encoding="utf8") as file:
        return file.read()


def numbers(text):
    return [float(number) for number in re.findall(r"-?\d[\d.]*(?:[eE][-+]?\d+)?", text)]


def cells_of(text):
    return re.findall(r"^\s*cell \((\w+)\)(.*?)(?=^\s*cell \(|\Z)", text, re.S | re.M)


def tables(text):
    """Every 7 x 7 table by cell, kind and place."""
    found = {}
    for cell, body in cells_of(text):
        for kind in sum(KINDS.values(), []):
            groups = re.findall(rf"\b{kind} \(\w+\) \{{.*?values \((.*?)\);", body, re.S)
            for place, values in enumerate(map(numbers, groups)):
                if len(values) == 49:
                    found[cell, kind, place] = values
    return found


def factors(folder, corner):
    result = {}
    for name, kinds in CLASSES.items():
        ratios = {kind: [] for kind in KINDS}
        for kind in kinds:
            typical = tables(text_of(folder, kind, "TT"))
            other = tables(text_of(folder, kind, corner))
            for (cell, table, place), values in typical.items():
                beside = other.get((cell, table, place))
                of = next(kind for kind, names in KINDS.items() if table in names)
                if beside is not None:
                    ratios[of] += [beside[i] / values[i] for i in MIDDLE if values[i] > 3]
        result[name] = {
            kind: round(statistics.median(all_), 3) for kind, all_ in ratios.items() if all_
        }
    return result


def hold(folder, corner):
    body = dict(cells_of(text_of(folder, "SEQ", corner)))["DFFHQNx1_ASAP7_75t_R"]
    groups = re.split(r"timing_type : ", body)[1:]
    values = [numbers(table) for group in groups if group.startswith("hold_rising")
              for table in re.findall(r"_constraint \(\w+\) \{.*?values \((.*?)\);", group, re.S)]
    return round(max(table[i] for table in values for i in SHARP), 1)


def conditions(folder, corner):
    text = text_of(folder, "SEQ", corner)
    volts = re.search(r"nom_voltage : ([\d.]+)", text).group(1)
    celsius = re.search(r"nom_temperature : ([\d.-]+)", text).group(1)
    return f"{corner}, {volts} V, {celsius} C"


if __name__ == "__main__":
    folder = sys.argv[1]
    names = {"slow": "SS", "typical": "TT", "fast": "FF"}
    print(json.dumps({
        name: {
            "conditions": conditions(folder, corner),
            "factors": factors(folder, corner),
            "hold": hold(folder, corner),
        }
        for name, corner in names.items()
    }, indent=2))
