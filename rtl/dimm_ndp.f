// dimm_ndp and what it uses, each file behind those that it uses. Paths begin at this file:
//   verilator --lint-only -F rtl/dimm_ndp.f --top-module dimm_ndp
// Made by `make lists`.
+incdir+include
ndp/ndp_pkg.sv
ndp/dimm_ndp_pkg.sv
ndp/ndp_descriptor.sv
ndp/ndp_plans.sv
ndp/ndp_sequencer.sv
ndp/ndp_stream_fetch.sv
ndp/ndp_burst_queue.sv
common/sram_1r1w.sv
ndp/ndp_stream_queues.sv
ndp/ndp_x_loader.sv
ndp/gemv/ndp_gemv_bank.sv
ndp/gemv/ndp_gemv_array.sv
ndp/gemv/ndp_weight_scales.sv
common/fp_normalise.sv
common/fp_multiply.sv
common/fp_add.sv
ndp/gemv/ndp_scaled_terms.sv
common/fp_narrow.sv
ndp/gemv/ndp_slot_root.sv
ndp/gemv/ndp_gemv_unit.sv
ndp/ndp_result_writer.sv
ndp/ndp_chunk_drain.sv
ndp/act/ndp_act_ctrl.sv
ndp/act/ndp_act_pkg.sv
ndp/act/ndp_act_microcode.sv
ndp/act/ndp_act_table_pkg.sv
ndp/act/ndp_act_bank.sv
ndp/act/ndp_act_unit.sv
ndp/ndp_store_unit.sv
ndp/ndp_drain.sv
common/sram_1rw.sv
ndp/ndp_buffer.sv
ndp/ndp_events.sv
ndp/dimm_ndp.sv
