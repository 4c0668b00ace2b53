// SPDX-License-Identifier: Apache-2.0
// Runs ndp_gemv_unit alone, for the bench that holds driving it against this.
//   gemv_tb SLOTS   loads the slots of SLOTS, prints {"seconds":S,"results":N}
// SLOTS is a sequence of slots, all little-endian: three 32-bit words {meta, first, last}, the
// activations of a block, 16 bits each, and the weights, stream after stream. Exit code 1: an
// assertion fired, or the unit did not become idle; 2: SLOTS is none.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "Vndp_gemv_unit.h"
#include "testbench/file_bytes.h"
#include "testbench/timed_passes.h"
#include "verilated.h"

namespace {

constexpr unsigned kStreams = RTL_PARAMETER_Streams;
constexpr unsigned kMults = RTL_PARAMETER_Mults;
constexpr unsigned kLanes = RTL_PARAMETER_Lanes;
constexpr unsigned kSlotCycles = 16 / RTL_PARAMETER_Bits;
constexpr unsigned kBlock = kMults * kLanes;
constexpr unsigned kLongestDrain = 1000;

struct Slot {
  std::uint32_t meta;
  std::uint32_t first;
  std::uint32_t last;
  std::uint16_t values[(kStreams + 1) * kBlock];  ///< activations, then weights
};

struct Result {
  std::uint32_t meta;
  std::uint64_t cycle;
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
    results_.clear();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() { top_.final(); }

  /// One slot: the lanes, then idle cycles until the next slot may start.
  void slot(const Slot& slot) {
    top_.first_i = slot.first;
    top_.last_i = slot.last;
    top_.meta_i = slot.meta;
    top_.load_weights_i = 1;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      top_.load_valid_i = 1;
      top_.load_lane_i = lane;
      std::memcpy(&top_.x_i, &slot.values[lane * kMults], kMults * 2);
      for (unsigned s = 0; s < kStreams; ++s) {
        std::memcpy(reinterpret_cast<char*>(&top_.weights_i) + s * kMults * 2,
                    &slot.values[(s + 1) * kBlock + lane * kMults], kMults * 2);
      }
      cycle();
    }
    top_.load_valid_i = 0;
    for (unsigned i = kLanes; i < kSlotCycles; ++i) cycle();
  }

  /// False when the unit does not become idle.
  bool drain() {
    for (unsigned i = 0; i < kLongestDrain; ++i) {
      if (!top_.busy_o) return true;
      cycle();
    }
    return false;
  }

  [[nodiscard]] bool failed() const { return context_.gotError(); }
  [[nodiscard]] long results() const { return static_cast<long>(results_.size()); }

 private:
  void cycle() {
    top_.clk_i = 0;
    top_.eval();
    if (top_.res_valid_o) {
      Result result{top_.res_meta_o, now_, {}};
      std::memcpy(result.values, &top_.res_data_o, sizeof result.values);
      results_.push_back(result);
    }
    top_.clk_i = 1;
    top_.eval();
    ++now_;
  }

  VerilatedContext context_;
  Vndp_gemv_unit top_{&context_};
  std::uint64_t now_ = 0;
  std::vector<Result> results_;
};

int run_slots(const char* path) {
  return neardata::bench::timed_passes([path] {
    const auto slots = neardata::bench::values_of_file<Slot>(path);
    Bench bench;
    for (const Slot& slot : slots) bench.slot(slot);
    return bench.drain() && !bench.failed() ? bench.results() : -1;
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: gemv_tb SLOTS\n");
    return 2;
  }
  return neardata::bench::exit_code_of(argv[1], [argv] { return run_slots(argv[1]); });
}
