# SPDX-License-Identifier: Apache-2.0
"""Writes the constraints of DDR5 that an installed Ramulator 2.1 has, as a C++ header.

Its C++ part is given every constraint as a number of cycles; the rules that make the numbers are in its
Python part. They are sums of timings, so that each is found by asking with all timings 0 and then with one
of them 1: what is written is what the installation itself says, for any timings.
"""

import sys


def main(python, header):
    sys.path.insert(0, python)
    from ramulator.dram.ddr5 import DDR5

    names = list(DDR5.timing_params)
    organization = next(iter(DDR5.org_presets))
    preset = next(iter(DDR5.timing_presets))

    def asked(**ones):
        timing = {name: ones.get(name, 0) for name in names}
        return DDR5(org_preset=organization, timing_preset=preset, **timing).to_config()

    zero = asked()
    unit = {name: asked(**{name: 1}) for name in names}
    two = asked(**{name: 2 for name in names})

    def sum_of(cycles):
        constant = cycles(zero)
        factors = [cycles(unit[name]) - constant for name in names]
        if cycles(two) != constant + 2 * sum(factors):
            sys.exit("a constraint of this Ramulator is no sum of timings")
        return constant, factors

    def braces(values):
        return "{" + ", ".join(str(value) for value in values) + "}"

    def text(strings):
        return "{" + ", ".join(f'"{string}"' for string in strings) + "}"

    lines = [
        "// Written from the Python part of the installed Ramulator.",
        "#pragma once",
        '#include "ramulator/v21/table.h"',
        "namespace neardata::native::ramulator {",
        f"inline const std::vector<std::string> kTimingNames = {text(names)};",
        f"inline const std::vector<int> kCommandCycles = {braces(zero['command_cycles'])};",
    ]
    constant, factors = sum_of(lambda config: config["read_latency"])
    lines.append(f"inline const Sum kReadLatency = {{{constant}, {braces(factors)}}};")
    lines.append("inline const std::vector<Constraint> kConstraints = {")
    for i, entry in enumerate(zero["timing_constraints"]):
        level, previous, following, _, *rest = entry
        window = rest[0] if rest else 1
        others = "true" if len(rest) > 1 and rest[1] else "false"
        if unit[names[0]]["timing_constraints"][i][:3] != entry[:3]:
            sys.exit("the constraints of this Ramulator depend on the timings")
        constant, factors = sum_of(lambda config: config["timing_constraints"][i][3])
        lines.append(
            f"    {{{level}, {braces(previous)}, {braces(following)}, "
            f"{{{constant}, {braces(factors)}}}, {window}, {others}}},"
        )
    lines += ["};", "}  // namespace neardata::native::ramulator", ""]
    with open(header, "w", encoding="utf-8") as out:
        out.write("\n".join(lines))


main(*sys.argv[1:])
