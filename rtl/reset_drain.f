// All sources of reset_drain; a file that uses another follows it. Paths are relative to this file:
//   verilator --lint-only -F rtl/reset_drain.f --top-module reset_drain
// Made by `make lists`.
+incdir+include
common/reset_drain.sv
