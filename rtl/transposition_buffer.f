// All sources of transposition_buffer; a file that uses another follows it. Paths are relative to this file:
//   verilator --lint-only -F rtl/transposition_buffer.f --top-module transposition_buffer
// Made by `make lists`.
+incdir+include
controller/value_rotator.sv
common/sram_1r1w.sv
controller/transposition_buffer.sv
