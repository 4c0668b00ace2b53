// relayout_unit and what it uses, each file behind those that it uses. Paths begin at this file:
//   verilator --lint-only -F rtl/relayout_unit.f --top-module relayout_unit
// Made by `make lists`.
+incdir+include
relayout/relayout_pkg.sv
common/sram_1r1w.sv
relayout/relayout_reader.sv
common/round_robin.sv
relayout/relayout_packet_arbiter.sv
relayout/relayout_packet_unpacker.sv
relayout/relayout_writer.sv
relayout/relayout_flow_ends.sv
relayout/relayout_unit.sv
