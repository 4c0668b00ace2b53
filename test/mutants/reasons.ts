// SPDX-License-Identifier: Apache-2.0
// Faults that no test can find because nothing changes: the text of each fault (faults.ts) and its reason.

const reused = "arrays are made anew instead of taken over: the same numbers";
const beyond = "writes past the end of a typed array are ignored";
const sizes = "x & (x - 2) is 0 for the same x as x & (x - 1), from 2 on";
const outside = "writes past the end of a vector are ignored, and nothing reads there";
const wider = "a sum with a bit more than it needs";
const sameLimit = "the same number of blocks, in each unit with low-bit weights";
const equal = "both are the same number there";

export const reasons: ReadonlyMap<string, string> = new Map([
  [
    "sim/dram/trace/replay.cc: if (refreshes_ && request.arrival {> -> >=} reached_ + kStep) {",
    "the memory passes the time before a request in two steps instead of one",
  ],
  [
    "sim/dram/controller/scheduler.h: {rank_ready_is_stale_ = false; -> ;}",
    "times that have not changed are derived again: the same ones",
  ],
  [
    "sim/dram/controller/scheduler.cc: barred |= (blocked.age(i) {< -> <=} age) & (blocked_[i] <= best.when.value);",
    "no two requests have the same age",
  ],
  [
    "src/golden/low-bit.ts: const value = ((code & (({1 -> 2} << bits) - 1)) << (32 - bits)) >> (32 - bits);",
    "the bit that is kept besides is shifted out",
  ],
  [
    "sim/flash/backend.cc: if ({next_[i].when == now -> true}) due_.push_back({.key = next_[i], .channel = i});",
    "a channel on which nothing is due does nothing",
  ],
  [
    "sim/dram/trace/id_set.h: if ({buckets_[last_].key != key -> true}) {",
    "the group that was used last is found by looking for it",
  ],
  [
    "sim/dram/controller/controller_state.h: if (reads.size() {> -> >=} 0) reads.reassess(bank);",
    "a queue without requests is looked through, too",
  ],
  [
    "sim/dram/controller/queues/request_queue.cc: if ({bank.hit == entry -> true}) replace(bank.hit, find(removed.bank, removed.next, true));",
    "what leaves is the first hit, or its bank is closed and nothing hits",
  ],
  [
    "sim/dram/controller/queues/request_queue.h: if ({banks_[bank].first != kNoEntry -> true}) reassess_requests(bank);",
    "a bank without requests is looked through, too",
  ],
  [
    "sim/dram/trace/arrival_merge.h: if (before != certain_ {|| -> &&} arrival == before || --behind_ > 0) return;",
    "what is certain is looked up more often: the same",
  ],
  [
    "sim/dram/trace/arrival_merge.h: if (held_.empty() && request.arrival {<= -> <} certain_) {",
    "a request that may go at once is held and released at once",
  ],
  [
    "sim/dram/trace/arrival_merge.h: if ({before != certain_ || arrival == before || --behind_ > 0 -> false}) return;",
    "what is certain is looked up more often: the same",
  ],
  [
    "sim/flash/backend.cc: if (due_.size() {> -> >=} 1) std::ranges::sort(due_, {}, &Due::key);",
    "one channel is in order by itself",
  ],
  [
    "sim/flash/die_queue.cc: for (std::uint32_t plane = 0; plane {< -> <=} planes_; ++plane) {",
    "one more plane, which no request is for",
  ],
  [
    "sim/flash/die_queue.cc: if ({planes_ == 1 -> false}) return;",
    "one plane's requests by place, too, where nobody looks them up",
  ],
  [
    "sim/flash/die_queue.cc: if ({free_nodes_.empty() -> true}) {",
    "nodes are made anew instead of taken over: the same queue",
  ],
  [
    "sim/flash/bit_errors.cc: for (std::uint32_t n = 0; draw {>= -> >} below && n < part && term > 0; ++count) {",
    "a draw is equal to a sum of probabilities once in 2^53",
  ],
  [
    "sim/flash/bit_errors.cc: if ({model.raw_rate <= 0 -> false}) return page;",
    "of a rate of 0 no error is drawn",
  ],
  [
    "sim/flash/channel.cc: if (features.suspends && features.run_least {< -> <=} time) schedule(index, now + features.run_least);",
    "what ends in the tick in which it could be suspended is not suspended",
  ],
  [
    "sim/flash/reader.cc: if ({device_.next_event() == now -> true}) device_.step(now, finished);",
    "a device on which nothing is due does nothing",
  ],
  [
    "sim/flash/channel.cc: for (std::uint32_t unit = 0; unit {< -> <=} shape.dies * units_of_die_; ++unit) {",
    "one more unit, which no request is for",
  ],
  [
    "sim/flash/replay.cc: {finished.clear(); -> ;}",
    "what has finished is noted again: the same times",
  ],
  [
    "src/golden/low-bit.ts: const exponents = {fits -> false} ? spent.exponents : new Int32Array(columns);",
    reused,
  ],
  [
    "src/golden/low-bit.ts: const scaled = {fits -> false} ? spent.scaled : new Float64Array(columns);",
    reused,
  ],
  ["src/golden/low-bit.ts: for (let code = 0; code < {1 -> 2} << bits; code += 1) {", beyond],
  [
    "src/golden/attention/top-k.ts: if (window {>= -> >} taken) return largest(scores, size - window, size, taken);",
    "of as many forced entries as are taken, the other way takes all, too",
  ],
  [
    "src/golden/dot.ts: const scaled = {fits -> false} ? spent.scaled : new Float64Array(bits.length);",
    reused,
  ],
  [
    "src/golden/dot.ts: if ({exponent === exponentMask -> true}) special = true;",
    "values are looked up where nobody needs them",
  ],
  [
    "src/golden/attention/top-k.ts: for (let i = sorted.length - 1; i {>= -> >} 0 && present(sorted[i]) > threshold; i -= 1) ties -= 1;",
    "the smallest entry is never above the threshold",
  ],
  [
    "src/golden/activation-tables.ts: const [c0 = 0, c1 = 0, c2 = {0 -> 1}] = coefficients.map((c) => c * 2 ** scale);",
    "a default that is never taken",
  ],
  [
    "rtl/sparf/kernel/sparf_largest_logits.sv: for (int unsigned i = 0; i {< -> <=} 2 * MaxGroup; i++) begin #2",
    outside,
  ],
  [
    "rtl/sparf/topk/sparf_topk_counts.sv: for (int unsigned l = 0; l {< -> <=} Lanes; l++) begin #2",
    outside,
  ],
  [
    "rtl/sparf/kernel/sparf_kernel.sv: if ((MaxKeys & (MaxKeys - 1)) != 0 || (RingLines & (RingLines - {1 -> 2})) != 0) begin : gen_bad_sizes",
    sizes,
  ],
  [
    "rtl/sparf/front/sparf_sel_buffer.sv: if (Heads < 2 || (Heads & (Heads - 1)) != 0 || (Beats & (Beats - {1 -> 2})) != 0) begin : gen_bad_size",
    sizes,
  ],
  [
    "rtl/sparf/topk/sparf_rank_scores.sv: {.a_i(in_weight_q), .b_i(in_inverse_q) -> .a_i(in_inverse_q), .b_i(in_weight_q)},",
    "factors of a product that is exact before it is rounded",
  ],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv: localparam int unsigned BeatBits = CB + 1 {- -> +} $clog2(BeatTokens);",
    wider,
  ],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv: localparam int unsigned BeatBits = CB + {1 -> 2} - $clog2(BeatTokens);",
    wider,
  ],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv: localparam int unsigned GroupBeatBits = BeatBits + {4 -> 5};",
    wider,
  ],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv: localparam int unsigned DimBits = LogWidth + {1 -> 2};",
    wider,
  ],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv: localparam int unsigned PartBits = DimBits + {3 -> 4};",
    wider,
  ],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv: localparam int unsigned ProductBits = DimBits + LinesBits + {1 -> 2};",
    wider,
  ],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv: localparam int unsigned ProductBits = DimBits + LinesBits {+ -> -} 1;",
    "lines of less than a block times dimensions are below 2^16 in every size",
  ],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv: localparam int unsigned LeastPageLog = RowLog {> -> >=} LineBytesLog ? RowLog : LineBytesLog;",
    equal,
  ],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv: localparam int unsigned RowsOrLinesLog = MostRowsLog {< -> <=} MostLinesLog ? MostRowsLog : MostLinesLog;",
    equal,
  ],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv: localparam int unsigned MostPageLog = RowsOrLinesLog {< -> <=} MostBytesLog ? RowsOrLinesLog",
    equal,
  ],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv: block_lines_log_q <= block_log {< -> <=} 4'(LineLog) ? '0 : block_log - 4'(LineLog);",
    equal,
  ],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv: for (genvar w = 0; w {< -> <=} sparf_pkg::DescWords; w++) begin : gen_word",
    outside,
  ],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv: for (int unsigned i = 0; i {< -> <=} 3; i++) begin",
    outside,
  ],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv: for (int unsigned b = 0; b {< -> <=} CB; b++) if (bytes == CB'(1) << b) one_bit = 1'b1;",
    "a page of no bytes is refused for its size instead",
  ],
  ["rtl/sparf/front/sparf_descriptor_check.sv: assign pages_fit = {1'b1 -> '1};", equal],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv: if (LeastPageLog {> -> >=} MostPageLog) begin : gen_bad_pages",
    "refuses a size whose only page is one row, which no unit has",
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv: localparam int unsigned PassBits = $clog2(MaxTokens + {1 -> 2});",
    wider,
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv: localparam int unsigned BlockBits = $clog2(MostBlocks + {1 -> 2});",
    wider,
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv: localparam int unsigned RepeatsBits = dimm_ndp_pkg::RepeatBits + {1 -> 2};",
    wider,
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv: localparam int unsigned EndBits = (WideBits > CB ? WideBits : CB) + {1 -> 2};",
    wider,
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv: far = (SizeBits + {1 -> 2})'(rows) + (SizeBits + 1)'(stride) > (SizeBits + 1)'(MostSize);",
    wider,
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv: far = (SizeBits + 1)'(rows) + (SizeBits + {1 -> 2})'(stride) > (SizeBits + 1)'(MostSize);",
    wider,
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv: far = (SizeBits + 1)'(rows) + (SizeBits + 1)'(stride) > (SizeBits + {1 -> 2})'(MostSize);",
    wider,
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv: localparam int unsigned WideBits = RegionBits {> -> >=} ChunkBits ? RegionBits : ChunkBits;",
    equal,
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv: localparam int unsigned EndBits = (WideBits {> -> >=} CB ? WideBits : CB) + 1;",
    equal,
  ],
  ["rtl/ndp/ndp_descriptor_check.sv: assign in_row_bad = {1'b0 -> '0};", equal],
  ["rtl/ndp/ndp_descriptor_check.sv: assign mid_row_bad = {1'b0 -> '0};", equal],
  [
    "rtl/ndp/ndp_descriptor_check.sv: for (genvar w = 0; w {< -> <=} dimm_ndp_pkg::DescWords; w++) begin : gen_word",
    outside,
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv: most_row = ((1 << CB) {- -> +} 1) / group * scaled;",
    sameLimit,
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv: if (rest {> -> >=} 1) most_row = most_row + (rest - 1) / bursts;",
    sameLimit,
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv: if (rest > 1) most_row = most_row + (rest - {1 -> 2}) / bursts;",
    sameLimit,
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv: assign in_row_bad = {1'b0 -> '1};",
    "a unit without low-bit weights refuses their format first",
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv: assign mid_row_bad = {1'b0 -> '1};",
    "a unit without low-bit weights refuses their format first",
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv: far = (SizeBits {+ -> -} 1)'(rows) + (SizeBits + 1)'(stride) > (SizeBits + 1)'(MostSize);",
    "counts of 2^31 rows or more are refused by their own field, so five bits hold the size",
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv: far = (SizeBits + 1)'(rows) + (SizeBits + 1)'(stride) > (SizeBits {+ -> -} 1)'(MostSize);",
    "five bits hold the largest size",
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv: localparam int unsigned RepeatsBits = dimm_ndp_pkg::RepeatBits {+ -> -} 1;",
    "a row of 2^20 blocks needs the whole buffer for its inputs, so an earlier field is refused",
  ],
]);
