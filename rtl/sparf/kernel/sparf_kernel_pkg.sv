// SPDX-License-Identifier: Apache-2.0
// Shared encodings, widths and latencies of the units of a SparF kernel.
package sparf_kernel_pkg;
  localparam int unsigned LineBits = 512;
  localparam int unsigned HalfBits = 16;
  localparam int unsigned HalvesPerLine = LineBits / HalfBits;

  // Keys and selections of argtopk per cycle: of tokens, of dimensions.
  localparam int unsigned KeysPerBeat = 8;
  localparam int unsigned QueryKeysPerCycle = 2;
  // Rows of eight tokens of one query in a walk over a group's logits, before those of the next query.
  localparam int unsigned LogBlockRows = 4;

  // From the read of a logit's tile to the logit: the sum of the latencies of the GeMV unit's parts.
  localparam int unsigned NormaliseStages = 9;

  // Stages of sparf_attn_add and sparf_attn_multiply.
  localparam int unsigned AddStages = 11;
  localparam int unsigned MultiplyStages = 6;
  // Stages of a weight times a value, rounded.
  localparam int unsigned WeightedStages = 8;
  // From a weight to the weight in fixed point: distance, and moved by eights, by ones.
  localparam int unsigned FixStages = 3;
  // PowerStages: stages of sparf_attn_exp2. WeighStages: from a logit to its weight.
  localparam int unsigned PowerStages = 19;
  localparam int unsigned WeighStages = AddStages + MultiplyStages + PowerStages + FixStages;

  // Bits of an address, at least one.
  function automatic int unsigned address_bits(input int unsigned words);
    address_bits = words > 1 ? $clog2(words) : 1;
  endfunction

  // FP32 in the order of unsigned numbers.
  function automatic logic [31:0] ordered(input logic [31:0] value);
    ordered = value[31] ? ~value : {1'b1, value[30:0]};
  endfunction
  function automatic logic [31:0] unordered(input logic [31:0] order);
    unordered = order[31] ? {1'b0, order[30:0]} : ~order;
  endfunction

  // Strobes of events_o, by bit: cycles in which a unit works, or waits.
  localparam int unsigned EventColumn = 0;   // logits of step 1 by columns
  localparam int unsigned EventRow = 1;      // logits of rows
  localparam int unsigned EventSelect = 2;   // argtopk of tokens
  localparam int unsigned EventWeigh = 3;    // softmax of step 1
  localparam int unsigned EventAttend = 4;   // weighted sum of values
  localparam int unsigned EventFold = 5;     // fold, blend and output
  localparam int unsigned EventKeyWait = 6;    // heads are in the kernel, but no key job
  localparam int unsigned EventValueWait = 7;  // heads are in the kernel, but no value job
  localparam int unsigned EventBlocked = 8;  // a job waits for its busy unit
  localparam int unsigned Events = 9;

  // The exponent of a product of two FP16 values, less bias: 2 to 60, 0 of a product that is 0.
  localparam int unsigned ExponentSumBits = 6;
  localparam int unsigned ProductWordBits = 32;  // a lane's product in the memory

  // An FP16 value with this exponent is infinite or not a number.
  function automatic logic non_finite(input logic [4:0] exponent);
    non_finite = exponent == '1;
  endfunction
endpackage
