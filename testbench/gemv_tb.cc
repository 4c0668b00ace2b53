// SPDX-License-Identifier: Apache-2.0
// Runs gemv_unit alone, for the bench that holds driving it against this.
//   gemv_tb CASES RESULTS   loads the slots of CASES, writes what comes out
// CASES is a sequence of slots, all little-endian: four 32-bit words {idle cycles before it beyond
// the least distance, token, flags, meta}, flags 1 first, 2 last, 4 new weights, 8 BF16; then the
// activations of a block, 16 bits each, and with flag 4 the weights, stream after stream. A slot of
// another format waits until the unit is idle. RESULTS has for each result 32-bit {meta, cycles
// since the slot's lane-0 load} and one 16-bit value a stream. Exit code 1: an assertion fired, or
// the unit did not become idle.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <span>
#include <vector>

#include "Vgemv_unit.h"
#include "verilated.h"

namespace {

constexpr unsigned kStreams = RTL_PARAMETER_Streams;
constexpr unsigned kMults = RTL_PARAMETER_Mults;
constexpr unsigned kLanes = RTL_PARAMETER_Lanes;
constexpr unsigned kSlotCycles = 16 / RTL_PARAMETER_Bits;
constexpr unsigned kBlock = kMults * kLanes;

enum SlotFlags : std::uint32_t { kFirst = 1, kLast = 2, kWeights = 4, kBf16 = 8 };

struct SlotHeader {
  std::uint32_t idle;
  std::uint32_t token;
  std::uint32_t flags;
  std::uint32_t meta;
};

struct Result {
  std::uint32_t meta;
  std::uint32_t latency;
  std::uint16_t values[kStreams];
};

class Bench {
 public:
  Bench() {
    context_.fatalOnError(false);
    top_.rst_ni = 0;
    cycle();
    cycle();
    top_.rst_ni = 1;
    top_.eval();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() { top_.final(); }

  // One slot: the lanes, then idle until the next one may come.
  void slot(const SlotHeader& header, std::span<const std::uint16_t> x,
            std::span<const std::uint16_t> weights) {
    const bool bf16 = (header.flags & kBf16) != 0;
    if (bf16 != (top_.bf16_i != 0)) {
      drain();
      top_.bf16_i = bf16;
    }
    for (std::uint32_t i = 0; i < header.idle; ++i) cycle();
    top_.token_i = header.token;
    top_.first_i = (header.flags & kFirst) != 0;
    top_.last_i = (header.flags & kLast) != 0;
    top_.meta_i = header.meta;
    top_.load_weights_i = !weights.empty();
    if (top_.last_i) starts_.push_back(now_);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      top_.load_valid_i = 1;
      top_.load_lane_i = lane;
      std::memcpy(&top_.x_i, &x[lane * kMults], kMults * 2);
      for (unsigned s = 0; s < kStreams && !weights.empty(); ++s) {
        std::memcpy(reinterpret_cast<char*>(&top_.weights_i) + s * kMults * 2,
                    &weights[s * kBlock + lane * kMults], kMults * 2);
      }
      cycle();
    }
    top_.load_valid_i = 0;
    for (unsigned i = kLanes; i < kSlotCycles; ++i) cycle();
  }

  // False when the unit does not become idle.
  bool drain() {
    for (unsigned i = 0; i < 1000; ++i) {
      if (!top_.busy_o) return true;
      cycle();
    }
    return false;
  }

  bool failed() const { return context_.gotError(); }
  const std::vector<Result>& results() const { return results_; }

 private:
  void cycle() {
    top_.clk_i = 0;
    top_.eval();
    if (top_.res_valid_o) {
      Result result{top_.res_meta_o, static_cast<std::uint32_t>(now_ - starts_.front()), {}};
      starts_.pop_front();
      std::memcpy(result.values, &top_.res_data_o, sizeof result.values);
      results_.push_back(result);
    }
    top_.clk_i = 1;
    top_.eval();
    ++now_;
  }

  VerilatedContext context_;
  Vgemv_unit top_{&context_};
  std::uint64_t now_ = 0;
  std::deque<std::uint64_t> starts_;  // of slots whose results are due
  std::vector<Result> results_;
};

int run_cases(const char* cases, const char* results) {
  std::ifstream in(cases, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  Bench bench;
  std::size_t at = 0;
  const auto take = [&](std::size_t values) {
    std::vector<std::uint16_t> out(values);
    if (at + values * 2 > bytes.size()) {
      std::fprintf(stderr, "gemv_tb: %s ends inside a slot\n", cases);
      std::exit(2);
    }
    if (values > 0) std::memcpy(out.data(), &bytes[at], values * 2);
    at += values * 2;
    return out;
  };
  while (at < bytes.size()) {
    const auto words = take(sizeof(SlotHeader) / 2);
    SlotHeader header;
    std::memcpy(&header, words.data(), sizeof header);
    const auto x = take(kBlock);
    const auto weights = take((header.flags & kWeights) != 0 ? kStreams * kBlock : 0);
    bench.slot(header, x, weights);
  }
  const bool idle = bench.drain();
  std::ofstream out(results, std::ios::binary);
  for (const Result& result : bench.results()) {
    out.write(reinterpret_cast<const char*>(&result.meta), 4);
    out.write(reinterpret_cast<const char*>(&result.latency), 4);
    out.write(reinterpret_cast<const char*>(result.values), sizeof result.values);
  }
  if (!idle) std::fprintf(stderr, "gemv_tb: the unit did not become idle\n");
  return idle && !bench.failed() && out.good() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) return run_cases(argv[1], argv[2]);
  std::fprintf(stderr, "usage: gemv_tb CASES RESULTS\n");
  return 2;
}
