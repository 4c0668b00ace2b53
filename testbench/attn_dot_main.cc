// SPDX-License-Identifier: Apache-2.0
//
// Runs `attn_dot` on rows of a file.
//   attn_dot ROWS LOGITS    computes the logits of all rows
//   attn_dot bench CYCLES   a row in every cycle; prints thousands of cycles a second of CPU time
// ROWS is a sequence of records of little-endian 16-bit words: {kind, pause, operand...}; kind 0 is
// a row of keys, 1 a query; a record waits `pause` cycles. LOGITS has one 32-bit word a row, in
// order. Exit code 1: an assertion fired, a logit was missing, early or late.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "Vattn_dot.h"
#include "verilated.h"

namespace {

constexpr std::uint32_t kLanes = RTL_PARAMETER_Lanes;
constexpr std::uint32_t kHeader = 2;

/// attn_pkg::dot_latency, written once more so that a change is noticed.
constexpr std::uint32_t latency() {
  std::uint32_t levels = 0;
  while (kLanes >> levels > 1) ++levels;
  const std::uint32_t stages = (levels + 1) / 2;
  return 1 + stages + 1 + stages + 5;
}

class Bench {
 public:
  Bench() {
    context_.fatalOnError(false);
    top_.rst_ni = 0;
    cycle();
    cycle();
    top_.rst_ni = 1;
  }
  ~Bench() { top_.final(); }

  void load_query(const std::uint16_t* values) {
    std::memcpy(&top_.query_data_i, values, kLanes * sizeof(*values));
    top_.query_valid_i = 1;
    cycle();
    top_.query_valid_i = 0;
  }

  void row(const std::uint16_t* values) {
    std::memcpy(&top_.key_data_i, values, kLanes * sizeof(*values));
    top_.key_valid_i = 1;
    due_.push_back(now_ + latency());
    cycle();
    top_.key_valid_i = 0;
  }

  void cycle() {
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    top_.eval();
    context_.timeInc(1);
    ++now_;
    const bool expected = !due_.empty() && due_.front() == now_;
    if (expected != (top_.logit_valid_o != 0)) on_time_ = false;
    if (expected) due_.pop_front();
    if (top_.logit_valid_o != 0) logits_.push_back(top_.logit_o);
  }

  void drain() {
    for (std::uint32_t i = 0; i < latency() + 1; ++i) cycle();
  }

  [[nodiscard]] bool good() const { return on_time_ && !context_.gotError(); }
  [[nodiscard]] const std::vector<std::uint32_t>& logits() const { return logits_; }
  [[nodiscard]] std::uint64_t cycles() const { return now_; }

 private:
  VerilatedContext context_;
  Vattn_dot top_{&context_};
  std::uint64_t now_ = 0;
  std::deque<std::uint64_t> due_;
  std::vector<std::uint32_t> logits_;
  bool on_time_ = true;
};

int run_rows(const char* input, const char* output) {
  std::ifstream in(input, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
  std::vector<std::uint16_t> words(bytes.size() / sizeof(std::uint16_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint16_t));
  Bench bench;
  for (std::size_t at = 0; at + kHeader + kLanes <= words.size(); at += kHeader + kLanes) {
    for (std::uint16_t i = 0; i < words[at + 1]; ++i) bench.cycle();
    if (words[at] == 1) {
      bench.load_query(&words[at + kHeader]);
    } else {
      bench.row(&words[at + kHeader]);
    }
  }
  bench.drain();
  std::ofstream out(output, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bench.logits().data()),
            static_cast<std::streamsize>(bench.logits().size() * sizeof(std::uint32_t)));
  return bench.good() ? 0 : 1;
}

int run_bench(std::uint64_t cycles) {
  Bench bench;
  std::vector<std::uint16_t> values(4096 + kLanes);
  std::uint32_t state = 1;
  for (std::uint16_t& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<std::uint16_t>((state >> 16U) & 0xbfffU);
  }
  bench.load_query(values.data());
  const std::clock_t begin = std::clock();
  for (std::uint64_t i = 0; i < cycles; ++i) bench.row(&values[i % 4096]);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("%.0f\n", static_cast<double>(bench.cycles()) / seconds / 1000);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "bench") {
    return run_bench(std::strtoull(argv[2], nullptr, 10));
  }
  if (argc == 3) return run_rows(argv[1], argv[2]);
  std::fprintf(stderr, "usage: attn_dot ROWS LOGITS | bench CYCLES\n");
  return 2;
}
