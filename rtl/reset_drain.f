// reset_drain and what it uses, each file behind those that it uses. Paths begin at this file:
//   verilator --lint-only -F rtl/reset_drain.f --top-module reset_drain
// Made by `make lists`.
+incdir+include
common/reset_drain.sv
