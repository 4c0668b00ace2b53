// SPDX-License-Identifier: Apache-2.0
//
// Runs `ndp_act_unit` on operands of a file and checks the C++ value model against it. Arguments:
//   FUNC BF16 GATED LIMIT UP_PLUS_ONE INPUT OUTPUT
// INPUT has pairs of little-endian 16-bit words, gate operand and up operand; OUTPUT receives the
// results of the RTL, one word for each pair. Exit code 1 and one line on stderr when done_o does
// not match act_latency, when a result differs from the value model, or when an assertion fired.
// `--cost` instead prints the nanoseconds of an idle and of a busy cycle; `--early-start` and
// `--early-load` break the unit's contract while it runs, which its assertions must detect.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "Vndp_act_unit.h"
#include "unit/ndp/act_timing.h"
#include "unit/ndp/values/act_values.h"
#include "verilated.h"

namespace {

using neardata::ActFunc;
using neardata::ActMode;
using neardata::Format;

constexpr std::size_t kLanes = RTL_PARAMETER_ActLanes;
constexpr std::size_t kWordLanes = 32;
constexpr std::size_t kWords = kLanes / kWordLanes;
constexpr std::uint32_t kLongest = 1000;

struct Pair {
  std::uint16_t gate;
  std::uint16_t up;
};

class Bench {
 public:
  Bench() : context_(std::make_unique<VerilatedContext>()) {
    context_->fatalOnError(false);
    unit_ = std::make_unique<Vndp_act_unit>(context_.get());
    unit_->rst_ni = 0;
    tick();
    unit_->rst_ni = 1;
    tick();
  }
  ~Bench() { unit_->final(); }

  void tick() {
    unit_->clk_i = 0;
    unit_->eval();
    unit_->clk_i = 1;
    unit_->eval();
    context_->timeInc(1);
  }

  void load(bool up, std::size_t word, const std::array<std::uint16_t, kWordLanes>& values,
            const ActMode& mode, Format format) {
    unit_->bf16_i = format == Format::Bf16;
    unit_->limit_i = mode.limit;
    unit_->up_plus_one_i = mode.up_plus_one;
    unit_->ld_valid_i = 1;
    unit_->ld_up_i = up;
    unit_->ld_index_i = word;
    std::memcpy(unit_->ld_data_i.data(), values.data(), sizeof values);
    tick();
    unit_->ld_valid_i = 0;
  }

  void begin(ActFunc func, Format format, bool gated) {
    unit_->func_i = static_cast<unsigned>(func);
    unit_->bf16_i = format == Format::Bf16;
    unit_->gated_i = gated;
    unit_->start_i = 1;
    tick();
    unit_->start_i = 0;
  }

  // Cycles from start_i to done_o.
  std::uint32_t run(ActFunc func, Format format, bool gated) {
    begin(func, format, gated);
    // The unit samples the function with start_i.
    unit_->func_i = ~unit_->func_i & 7;
    unit_->bf16_i = !unit_->bf16_i;
    unit_->limit_i = ~unit_->limit_i & 0x7FFF;
    unit_->up_plus_one_i = !unit_->up_plus_one_i;
    unit_->gated_i = !unit_->gated_i;
    for (std::uint32_t cycles = 1; cycles < kLongest; ++cycles) {
      if (unit_->done_o) return cycles;
      tick();
    }
    return kLongest;
  }

  std::array<std::uint16_t, kWordLanes> read(std::size_t word) {
    unit_->rd_index_i = word;
    unit_->eval();
    std::array<std::uint16_t, kWordLanes> values;
    std::memcpy(values.data(), unit_->rd_data_o.data(), sizeof values);
    return values;
  }

  [[nodiscard]] bool failed() const { return context_->gotError(); }

 private:
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vndp_act_unit> unit_;
};

int complain(const std::string& what) {
  std::cerr << what << '\n';
  return EXIT_FAILURE;
}

int check(const ActMode& mode, Format format, bool gated, const std::vector<Pair>& pairs,
          std::vector<std::uint16_t>& results) {
  Bench bench;
  for (std::size_t base = 0; base < pairs.size(); base += kLanes) {
    for (std::size_t word = 0; word < kWords; ++word) {
      std::array<std::uint16_t, kWordLanes> gate{};
      std::array<std::uint16_t, kWordLanes> up{};
      for (std::size_t i = 0; i < kWordLanes; ++i) {
        const std::size_t at = base + word * kWordLanes + i;
        if (at >= pairs.size()) break;
        gate[i] = pairs[at].gate;
        up[i] = pairs[at].up;
      }
      bench.load(false, word, gate, mode, format);
      bench.load(true, word, up, mode, format);
    }
    const std::uint32_t latency = bench.run(mode.func, format, gated);
    if (latency != neardata::unit::act_latency(mode.func))
      return complain("done_o after " + std::to_string(latency));
    for (std::size_t word = 0; word < kWords; ++word) {
      const auto values = bench.read(word);
      results.insert(results.end(), values.begin(), values.end());
    }
  }
  if (bench.failed()) return complain("an assertion of the unit fired");
  results.resize(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::uint16_t gate = neardata::unit::operand(pairs[i].gate, false, mode, format);
    std::uint16_t expected = neardata::unit::act(gate, mode.func, format);
    if (gated) {
      const std::uint16_t up = neardata::unit::operand(pairs[i].up, true, mode, format);
      expected = neardata::unit::mul(expected, up, format);
    }
    if (results[i] != expected) {
      return complain("gate " + std::to_string(pairs[i].gate) + ", up " +
                      std::to_string(pairs[i].up) + ": unit " + std::to_string(results[i]) +
                      ", value model " + std::to_string(expected));
    }
  }
  return EXIT_SUCCESS;
}

double nanoseconds_per_cycle(Bench& bench, bool busy) {
  constexpr int kRuns = 2000;
  constexpr std::uint32_t kCycles = neardata::unit::act_latency(ActFunc::Gelu);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kRuns; ++i) {
    if (busy) {
      static_cast<void>(bench.run(ActFunc::Gelu, Format::Fp16, true));
    } else {
      for (std::uint32_t cycle = 0; cycle < kCycles; ++cycle) bench.tick();
    }
  }
  const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - start;
  return passed.count() / kRuns / kCycles;
}

// Operands or a start in the middle of a run.
int misuse(bool start) {
  Bench bench;
  bench.begin(ActFunc::Silu, Format::Fp16, true);
  bench.tick();
  if (start) {
    bench.begin(ActFunc::Silu, Format::Fp16, true);
  } else {
    bench.load(false, 0, {}, {}, Format::Fp16);
  }
  if (bench.failed()) return complain("an assertion of the unit fired");
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--early-start") return misuse(true);
  if (argc == 2 && std::string(argv[1]) == "--early-load") return misuse(false);
  if (argc == 2 && std::string(argv[1]) == "--cost") {
    Bench bench;
    std::cout << "idle " << nanoseconds_per_cycle(bench, false) << " ns, busy "
              << nanoseconds_per_cycle(bench, true) << " ns\n";
    return EXIT_SUCCESS;
  }
  if (argc != 8) {
    return complain("usage: ndp_act_unit FUNC BF16 GATED LIMIT UP_PLUS_ONE INPUT OUTPUT");
  }
  const ActMode mode{.func = static_cast<ActFunc>(std::atoi(argv[1]) & 7),
                     .up_plus_one = std::atoi(argv[5]) != 0,
                     .limit = static_cast<std::uint16_t>(std::atoi(argv[4]) & 0x7FFF)};
  const auto format = std::atoi(argv[2]) != 0 ? Format::Bf16 : Format::Fp16;
  const bool gated = std::atoi(argv[3]) != 0;
  std::ifstream input(argv[6], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(input), {}};
  std::vector<Pair> pairs(bytes.size() / sizeof(Pair));
  std::memcpy(pairs.data(), bytes.data(), pairs.size() * sizeof(Pair));
  std::vector<std::uint16_t> results;
  const int status = check(mode, format, gated, pairs, results);
  std::ofstream output(argv[7], std::ios::binary);
  output.write(reinterpret_cast<const char*>(results.data()),
               static_cast<std::streamsize>(results.size() * sizeof(std::uint16_t)));
  return status;
}
