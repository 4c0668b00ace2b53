// SPDX-License-Identifier: Apache-2.0
// Faults that no test can find because nothing changes, each with why.

const reused = "arrays are made anew instead of taken over: the same numbers";
const beyond = "writes past the end of a typed array are ignored";
const sizes = "x & (x - 2) is 0 for the same x as x & (x - 1), from 2 on";
const outside = "writes past the end of a vector are ignored, and nothing reads there";
const wider = "a sum with a bit more than it needs";
const sameLimit = "the same number of blocks, in each unit with low-bit weights";
const equal = "both are the same number there";

export const reasons: ReadonlyMap<string, string> = new Map([
  [
    "sim/dram/trace/replay.cc:66:39: off by one: `>` became `>=`",
    "the memory passes the time before a request in two steps instead of one",
  ],
  [
    "sim/dram/controller/scheduler.h:71:1: dropped reset: ` rank_ready_is_stale_ = false;` became `;`",
    "times that have not changed are derived again: the same ones",
  ],
  [
    "sim/dram/controller/scheduler.cc:34:29: off by one: `<` became `<=`",
    "no two requests have the same age",
  ],
  [
    "src/golden/low-bit.ts:199:30: off by one: `1` became `2`",
    "the bit that is kept besides is shifted out",
  ],
  [
    "sim/flash/backend.cc:27:9: stuck bit: `next_[i].when == now` became `true`",
    "a channel on which nothing is due does nothing",
  ],
  [
    "sim/dram/trace/id_set.h:24:9: stuck bit: `slots_[last_].key != key` became `true`",
    "the group that was used last is found by looking for it",
  ],
  [
    "sim/dram/controller/controller_state.h:115:24: off by one: `>` became `>=`",
    "a queue without requests is looked through, too",
  ],
  [
    "sim/dram/controller/queues/request_queue.cc:42:7: stuck bit: `bank.hit == entry` became `true`",
    "what leaves is the first hit, or its bank is closed and nothing hits",
  ],
  [
    "sim/dram/controller/queues/request_queue.h:45:9: stuck bit: " +
      "`banks_[bank].first != kNoEntry` became `true`",
    "a bank without requests is looked through, too",
  ],
  [
    "sim/dram/trace/arrival_merge.h:58:28: wrong operand: `||` became `&&`",
    "what is certain is looked up more often: the same",
  ],
  [
    "sim/dram/trace/arrival_merge.h:36:50: off by one: `<=` became `<`",
    "a request that may go at once is held and released at once",
  ],
  [
    "sim/dram/trace/arrival_merge.h:58:9: stuck bit: " +
      "`before != certain_ || arrival == before || --behind_ > 0` became `false`",
    "what is certain is looked up more often: the same",
  ],
  ["sim/flash/backend.cc:29:19: off by one: `>` became `>=`", "one channel is in order by itself"],
  [
    "sim/flash/die_queue.cc:24:41: off by one: `<` became `<=`",
    "one more plane, which no request is for",
  ],
  [
    "sim/flash/die_queue.cc:14:7: stuck bit: `planes_ == 1` became `false`",
    "one plane's requests by place, too, where nobody looks them up",
  ],
  [
    "sim/flash/die_queue.cc:42:7: stuck bit: `free_nodes_.empty()` became `true`",
    "nodes are made anew instead of taken over: the same queue",
  ],
  [
    "sim/flash/bit_errors.cc:33:36: off by one: `>=` became `>`",
    "a draw is equal to a sum of probabilities once in 2^53",
  ],
  [
    "sim/flash/bit_errors.cc:58:7: stuck bit: `model.raw_rate <= 0` became `false`",
    "of a rate of 0 no error is drawn",
  ],
  [
    "sim/flash/channel.cc:176:47: off by one: `<` became `<=`",
    "what ends in the tick in which it could be suspended is not suspended",
  ],
  [
    "sim/flash/reader.cc:25:11: stuck bit: `device_.next_event() == now` became `true`",
    "a device on which nothing is due does nothing",
  ],
  [
    "sim/flash/channel.cc:40:37: off by one: `<` became `<=`",
    "one more unit, which no request is for",
  ],
  [
    "sim/flash/replay.cc:19:1: dropped reset: ` finished.clear();` became `;`",
    "what has finished is noted again: the same times",
  ],
  ["src/golden/low-bit.ts:57:21: stuck bit: `fits` became `false`", reused],
  ["src/golden/low-bit.ts:56:18: stuck bit: `fits` became `false`", reused],
  ["src/golden/low-bit.ts:171:29: off by one: `1` became `2`", beyond],
  [
    "src/golden/attention/top-k.ts:13:14: off by one: `>=` became `>`",
    "of as many forced entries as are taken, the other way takes all, too",
  ],
  ["src/golden/dot.ts:91:18: stuck bit: `fits` became `false`", reused],
  [
    "src/golden/dot.ts:99:9: stuck bit: `exponent === exponentMask` became `true`",
    "values are looked up where nobody needs them",
  ],
  [
    "src/golden/attention/top-k.ts:28:37: off by one: `>=` became `>`",
    "the smallest entry is never above the threshold",
  ],
  [
    "src/golden/activation-tables.ts:42:31: off by one: `0` became `1`",
    "a default that is never taken",
  ],
  ["rtl/sparf/kernel/sparf_largest_logits.sv:35:34: off by one: `<` became `<=`", outside],
  ["rtl/sparf/topk/sparf_topk_counts.sv:64:34: off by one: `<` became `<=`", outside],
  ["rtl/sparf/kernel/sparf_kernel.sv:427:67: off by one: `1` became `2`", sizes],
  ["rtl/sparf/front/sparf_sel_buffer.sv:111:68: off by one: `1` became `2`", sizes],
  [
    "rtl/sparf/topk/sparf_rank_scores.sv:41:5: swapped port: `.a_i(in_weight_q), .b_i(in_inverse_q)` became `.a_i(in_inverse_q), .b_i(in_weight_q)`",
    "factors of a product that is exact before it is rounded",
  ],
  ["rtl/sparf/front/sparf_descriptor_check.sv:119:45: wrong operand: `-` became `+`", wider],
  ["rtl/sparf/front/sparf_descriptor_check.sv:119:43: off by one: `1` became `2`", wider],
  ["rtl/sparf/front/sparf_descriptor_check.sv:120:54: off by one: `4` became `5`", wider],
  ["rtl/sparf/front/sparf_descriptor_check.sv:123:48: off by one: `1` became `2`", wider],
  ["rtl/sparf/front/sparf_descriptor_check.sv:125:48: off by one: `3` became `4`", wider],
  ["rtl/sparf/front/sparf_descriptor_check.sv:126:63: off by one: `1` became `2`", wider],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv:126:61: wrong operand: `+` became `-`",
    "lines of less than a block times dimensions are below 2^16 in every size",
  ],
  ["rtl/sparf/front/sparf_descriptor_check.sv:46:49: off by one: `>` became `>=`", equal],
  ["rtl/sparf/front/sparf_descriptor_check.sv:51:56: off by one: `<` became `<=`", equal],
  ["rtl/sparf/front/sparf_descriptor_check.sv:52:56: off by one: `<` became `<=`", equal],
  ["rtl/sparf/front/sparf_descriptor_check.sv:191:36: off by one: `<` became `<=`", equal],
  ["rtl/sparf/front/sparf_descriptor_check.sv:59:24: off by one: `<` became `<=`", outside],
  ["rtl/sparf/front/sparf_descriptor_check.sv:171:34: off by one: `<` became `<=`", outside],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv:69:32: off by one: `<` became `<=`",
    "a page of no bytes is refused for its size instead",
  ],
  ["rtl/sparf/front/sparf_descriptor_check.sv:154:24: stuck bit: `1'b1` became `'1`", equal],
  [
    "rtl/sparf/front/sparf_descriptor_check.sv:231:20: off by one: `>` became `>=`",
    "refuses a size whose only page is one row, which no unit has",
  ],
  ["rtl/ndp/ndp_descriptor_check.sv:44:57: off by one: `1` became `2`", wider],
  ["rtl/ndp/ndp_descriptor_check.sv:45:59: off by one: `1` became `2`", wider],
  ["rtl/ndp/ndp_descriptor_check.sv:46:68: off by one: `1` became `2`", wider],
  ["rtl/ndp/ndp_descriptor_check.sv:54:71: off by one: `1` became `2`", wider],
  ["rtl/ndp/ndp_descriptor_check.sv:186:23: off by one: `1` became `2`", wider],
  ["rtl/ndp/ndp_descriptor_check.sv:186:47: off by one: `1` became `2`", wider],
  ["rtl/ndp/ndp_descriptor_check.sv:186:73: off by one: `1` became `2`", wider],
  ["rtl/ndp/ndp_descriptor_check.sv:53:49: off by one: `>` became `>=`", equal],
  ["rtl/ndp/ndp_descriptor_check.sv:54:47: off by one: `>` became `>=`", equal],
  ["rtl/ndp/ndp_descriptor_check.sv:180:25: stuck bit: `1'b0` became `'0`", equal],
  ["rtl/ndp/ndp_descriptor_check.sv:181:26: stuck bit: `1'b0` became `'0`", equal],
  ["rtl/ndp/ndp_descriptor_check.sv:77:24: off by one: `<` became `<=`", outside],
  ["rtl/ndp/ndp_descriptor_check.sv:62:23: wrong operand: `-` became `+`", sameLimit],
  ["rtl/ndp/ndp_descriptor_check.sv:63:27: wrong operand: `-` became `+`", sameLimit],
  ["rtl/ndp/ndp_descriptor_check.sv:64:14: off by one: `>` became `>=`", sameLimit],
  ["rtl/ndp/ndp_descriptor_check.sv:64:47: wrong operand: `-` became `+`", sameLimit],
  ["rtl/ndp/ndp_descriptor_check.sv:64:49: off by one: `1` became `2`", sameLimit],
  [
    "rtl/ndp/ndp_descriptor_check.sv:180:25: stuck bit: `1'b0` became `'1`",
    "a unit without low-bit weights refuses their format first",
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv:181:26: stuck bit: `1'b0` became `'1`",
    "a unit without low-bit weights refuses their format first",
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv:186:21: wrong operand: `+` became `-`",
    "counts of 2^31 rows or more are refused by their own field, so five bits hold the size",
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv:186:71: wrong operand: `+` became `-`",
    "five bits hold the largest size",
  ],
  [
    "rtl/ndp/ndp_descriptor_check.sv:46:66: wrong operand: `+` became `-`",
    "a row of 2^20 blocks needs the whole buffer for its inputs, so an earlier field is refused",
  ],
]);
