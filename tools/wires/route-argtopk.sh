#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Places and routes argtopk of 32,768 keys in an iCE40 HX8K, for the share of logic in a routed path
# (docs/results/area.md#corners-and-wires): tools/wires/route-argtopk.sh FOLDER [SEED...], from the repository's root, with
# Debian's yosys and nextpnr-ice40. Prints a line for each seed.
set -eu
folder=$1
shift
mkdir -p "$folder"
read_sources=
for source in $(grep 'sparf/topk\|sparf_pkg' rtl/sparf_engine.f) ../tools/wires/argtopk_ice40.sv; do
  read_sources="$read_sources read_verilog -defer -sv -Irtl/include rtl/$source;"
done
yosys -q -l "$folder/yosys.log" -p "$read_sources
  hierarchy -top argtopk_ice40
  synth_ice40 -abc9 -device hx -dff -top argtopk_ice40 -json $folder/argtopk.json"
for seed in "${@:-1}"; do
  nextpnr-ice40 -q --hx8k --package ct256 --json "$folder/argtopk.json" --freq 100 --seed "$seed" \
    --timing-allow-fail --report "$folder/report-$seed.json"
  python3 - "$folder/report-$seed.json" "$seed" <<'EOF'
import json
import sys

report = json.load(open(sys.argv[1]))
paths = [path for path in report["critical_paths"] if path["from"] == path["to"]]
steps = max((path["path"] for path in paths), key=lambda path: sum(step["delay"] for step in path))
total = {"logic": 0.0, "routing": 0.0}
for step in steps:
    total["routing" if step["type"] == "routing" else "logic"] += step["delay"]
share = total["logic"] / (total["logic"] + total["routing"])
print(f"seed {sys.argv[2]}: logic {total['logic']:.2f} ns, routing {total['routing']:.2f} ns, share of logic {share:.3f}")
EOF
done
