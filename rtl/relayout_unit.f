// All sources of relayout_unit; a file that uses another follows it. Paths are relative to this file:
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
