// SPDX-License-Identifier: Apache-2.0
//
// Descriptors of `dimm_ndp`, as many as it has at work, that a reset interrupts, and the same ones
// once more, on a memory that answers every read, also those from before the reset
// (testbench/reset_ndp.sv). Prints one line of JSON: the reads that were outstanding and the
// descriptors that were inside at the reset, cycles from the end of the unit's reset to the
// last completion, whether the outputs are those of the value model.
//   reset_ndp CYCLE    of the reset, from the first one on; 0 for none
// Exit code 1: an assertion fired, or it did not end.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "Vreset_ndp.h"
#include "rtl/shim/verilated_bits.h"
#include "testbench/ndp_case.h"
#include "testbench/ndp_memory.h"

namespace {

using namespace neardata;
using rtl::clear;
using rtl::get_field;
using rtl::or_field;

constexpr unit::NdpParameters kUnit{
    .streams = RTL_PARAMETER_Streams,
    .mult_per_stream = RTL_PARAMETER_MultPerStream,
    .lanes = RTL_PARAMETER_Lanes,
    .bits_per_cycle = RTL_PARAMETER_BitsPerCycle,
    .buffer_bytes = RTL_PARAMETER_BufferBytes,
    .queue_bursts = RTL_PARAMETER_QueueBursts,
    .act_lanes = RTL_PARAMETER_ActLanes,
    .max_tokens = RTL_PARAMETER_MaxTokens,
    .low_bit_weights = RTL_PARAMETER_LowBitWeights,
    .aligned_bits = RTL_PARAMETER_AlignedBits,
    .descriptors = RTL_PARAMETER_Descriptors,
};
constexpr unsigned kTagBits = 4;
static_assert(kUnit.queue_bursts == 1U << kTagBits);
constexpr unsigned kWordBits = 32;
constexpr std::uint64_t kPowerOn = 4;  ///< cycles
constexpr std::uint64_t kReset = 2;
constexpr std::uint64_t kPatience = 20'000;

class Bench {
 public:
  explicit Bench(std::uint64_t reset)
      : reset_(reset),
        top_(&context_),
        data_(kUnit, {.tokens = 2, .pass_tokens = 2, .in_blocks = 4, .mid_rows = 8, .out_rows = 8},
              bench::Contents::kTame, 1),
        streams_(kUnit.streams, bench::StreamMemory(traffic_)) {
    context_.fatalOnError(false);
  }
  ~Bench() { top_.final(); }

  /// False: an assertion fired, or it did not end.
  bool run() {
    for (std::uint64_t cycle = 0; cycle < kPatience; ++cycle) {
      if (cycle == kPowerOn + reset_) begin_reset();
      top_.por_ni = cycle >= kPowerOn;
      top_.rst_ni = top_.por_ni != 0 && (reset_ == 0 || cycle < kPowerOn + reset_ ||
                                         cycle >= kPowerOn + reset_ + kReset);
      drive(cycle);
      top_.clk_i = 0;
      top_.eval();
      if (top_.rst_no == 0) begun_ = cycle + 1;
      sample(cycle);
      if (top_.done_valid_o != 0 && top_.rst_no != 0 && cycle >= kPowerOn) ++done_;
      const bool ends = done_ == kUnit.descriptors && cycle > kPowerOn + reset_;
      top_.clk_i = 1;
      top_.eval();
      if (context_.gotError()) return false;
      if (ends) {
        report(cycle - begun_);
        return true;
      }
    }
    std::fprintf(stderr, "it does not end\n");
    return false;
  }

 private:
  /// The completed part of the job is discarded.
  void begin_reset() {
    late_ = outstanding_;
    inside_ = taken_ - done_;
    taken_ = 0;
    done_ = 0;
    writes_.clear();
  }

  void drive(std::uint64_t cycle) {
    top_.desc_valid_i = taken_ != kUnit.descriptors && cycle >= kPowerOn;
    std::memcpy(top_.desc_i.data(), data_.descriptor().data(), sizeof(std::uint32_t) * 20);
    top_.rsp_valid_i = 0;
    clear(top_.rsp_tag_i);
    clear(top_.rsp_data_i);
    for (std::uint32_t s = 0; s < kUnit.streams; ++s) {
      if (streams_[s].next() > cycle) continue;
      const bench::Read read = streams_[s].answer(cycle, random_);
      const bench::Burst& burst = data_.burst(s, read.burst);
      --outstanding_;
      or_field(top_.rsp_valid_i, s, 1, 1);
      or_field(top_.rsp_tag_i, s * kTagBits, kTagBits, read.tag);
      for (unsigned i = 0; i < burst.size(); ++i) {
        or_field(top_.rsp_data_i, (s * unsigned{bench::kValues} + i) * 16, 16, burst[i]);
      }
    }
  }

  void sample(std::uint64_t cycle) {
    if (cycle < kPowerOn) return;
    // In reset the ports still have the values of its first cycle.
    for (std::uint32_t s = 0; s < kUnit.streams; ++s) {
      if (get_field(top_.req_valid_o, s, 1) == 0) continue;
      ++outstanding_;
      streams_[s].request(get_field(top_.req_tag_o, s * kTagBits, kTagBits),
                          get_field(top_.req_addr_o, s * kWordBits, kWordBits), cycle);
    }
    if (top_.rst_no == 0) return;
    if (top_.desc_valid_i != 0 && top_.desc_ready_o != 0) ++taken_;
    if (top_.out_valid_o == 0) return;
    bench::Burst& burst = writes_[{top_.out_stream_o, top_.out_addr_o}];
    std::memcpy(burst.data(), top_.out_data_o.data(), sizeof burst);
  }

  void report(std::uint64_t cycles) const {
    std::printf("{\"late\":%llu,\"inside\":%u,\"cycles\":%llu,\"right\":%s}\n",
                static_cast<unsigned long long>(late_), inside_,
                static_cast<unsigned long long>(cycles),
                writes_ == data_.expected() ? "true" : "false");
  }

  bench::Traffic traffic_{.latency = 60};
  std::uint64_t reset_;
  VerilatedContext context_;
  Vreset_ndp top_;
  bench::Case data_;
  std::vector<bench::StreamMemory> streams_;
  std::mt19937_64 random_{1};
  bench::Writes writes_;
  std::uint64_t begun_ = 0;  ///< the first cycle without the unit's reset
  std::uint64_t outstanding_ = 0;
  std::uint64_t late_ = 0;
  std::uint32_t taken_ = 0;  ///< descriptors since the last reset
  std::uint32_t done_ = 0;
  std::uint32_t inside_ = 0;  ///< at the start of the reset
};

}  // namespace

int main(int argc, char** argv) {
  Bench bench(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0);
  return bench.run() ? 0 : 1;
}
