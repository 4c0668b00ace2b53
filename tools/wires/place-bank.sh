#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Places and routes one module of the RTL in 180 nm cells, for the lengths of its nets (docs/results/area.md#corners-and-wires); the
# clock is not routed, as a clock tree would be:
#   tools/wires/place-bank.sh FOLDER MODULE SOURCE... [-- NAME=VALUE...]
# Debian's yosys, graywolf, qrouter, tclsh and the folders of qflow (QFLOW, its scripts) and qflow-tech-osu018
# (OSU018). Leaves MODULE.placed.def and MODULE.routed.def in FOLDER.
set -eu
folder=$1 module=$2
shift 2
scripts=${QFLOW:-/usr/lib/qflow/scripts}
cells=${OSU018:-/usr/share/qflow/tech/osu018}
read_sources= parameters=
while [ $# -gt 0 ]; do
  case $1 in
    --) shift; break ;;
    *) read_sources="$read_sources read_verilog -defer -sv -Irtl/include $1;"; shift ;;
  esac
done
for setting in "$@"; do parameters="$parameters -chparam ${setting%%=*} ${setting#*=}"; done
mkdir -p "$folder"
yosys -q -l "$folder/yosys.log" -p "$read_sources
  hierarchy -top $module $parameters; rename -top $module; synth -flatten -noabc -top $module
  dfflibmap -liberty $cells/osu018_stdcells.lib
  abc -liberty $cells/osu018_stdcells.lib -D 10000
  setundef -zero; splitnets -ports; opt_clean -purge
  stat -liberty $cells/osu018_stdcells.lib
  write_blif -gates -buf BUFX2 A Y -undef - gnd -false - gnd -true - vdd $folder/$module.blif"
cd "$folder"
printf 'read_lef %s/osu018_stdcells.lef\nlayers 6\n' "$cells" > info.cfg
qrouter -nog -i "$module.info" -c info.cfg > info.log
tclsh "$scripts/blif2cel.tcl" --blif "$module.blif" --lef "$cells/osu018_stdcells.lef" --cel "$module.cel"
cp "$cells/osu018.par" "$module.par"
graywolf -n "$module" > graywolf.log
tclsh "$scripts/place2def.tcl" "$module" FILL 6 > place2def.log
cp "$module.def" "$module.placed.def"
cat > "$module.cfg" <<EOF
read_lef $cells/osu018_stdcells.lef
layers 6
vdd vdd
gnd gnd
via stack 2
read_def $module.def
ignore clk_i
${ROUTE:-qrouter::standard_route $module.routed.def false}
quit
EOF
qrouter -nog -s "$module.cfg" > qrouter.log
