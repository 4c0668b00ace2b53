// transposition_buffer and what it uses, each file behind those that it uses. Paths begin at this file:
//   verilator --lint-only -F rtl/transposition_buffer.f --top-module transposition_buffer
// Made by `make lists`.
+incdir+include
controller/value_rotator.sv
common/sram_1r1w.sv
controller/transposition_buffer.sv
