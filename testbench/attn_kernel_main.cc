// SPDX-License-Identifier: Apache-2.0
//
// Runs `attn_kernel` on heads of a file.
//   attn_kernel HEADS RESULTS   runs every head; RESULTS has what came out
//   attn_kernel bench CYCLES    heads of 1024 rows; prints thousands of cycles a second of CPU time
// HEADS is a sequence of little-endian 32-bit words: {rows, scale, key pause, value pause, result
// pause} and then 16-bit values, two a word: query, rows of keys, rows of values; a pause is the
// share, out of 256, of cycles in which that side waits. RESULTS has for each head {cycles from the
// start to the result, total low, total high, sums...}. Exit code 1: an assertion fired, or a head
// did not end.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "Vattn_kernel.h"
#include "verilated.h"

namespace {

constexpr std::uint32_t kLanes = RTL_PARAMETER_Lanes;
constexpr std::uint32_t kRowBytes = kLanes * 2;
constexpr std::uint32_t kLongest = 1'000'000;

struct Head {
  std::uint32_t rows;
  std::uint32_t scale;
  std::uint32_t key_pause;
  std::uint32_t value_pause;
  std::uint32_t result_pause;
};

/// One input stream: rows that are offered one after the other and stay until they are taken.
struct Source {
  const char* data;
  std::uint32_t left;
  std::uint32_t pause;
  bool offered = false;
};

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

  /// Appends the head's results. False: it did not end.
  bool run(const Head& head, const char* data, std::vector<std::uint32_t>& results) {
    top_.start_valid_i = 1;
    top_.start_rows_i = head.rows;
    top_.start_scale_i = head.scale;
    std::memcpy(&top_.start_query_i, data, kRowBytes);
    cycle();
    top_.start_valid_i = 0;
    const std::uint64_t begin = now_;
    Source keys{.data = data + kRowBytes, .left = head.rows, .pause = head.key_pause};
    Source values{.data = keys.data + std::size_t{head.rows} * kRowBytes,
                  .left = head.rows,
                  .pause = head.value_pause};
    while (true) {
      if (now_ - begin > kLongest) return false;
      if (offer(keys, &top_.key_data_i)) top_.key_valid_i = 1;
      if (offer(values, &top_.value_data_i)) top_.value_valid_i = 1;
      top_.result_ready_i = draw() >= head.result_pause;
      top_.eval();
      const bool key_taken = top_.key_valid_i && top_.key_ready_o;
      const bool value_taken = top_.value_valid_i && top_.value_ready_o;
      const bool done = top_.result_valid_o && top_.result_ready_i;
      if (done) keep(static_cast<std::uint32_t>(now_ - begin), results);
      cycle();
      if (done) return true;
      if (key_taken) top_.key_valid_i = keys.offered = false;
      if (value_taken) top_.value_valid_i = values.offered = false;
    }
  }

  [[nodiscard]] bool failed() const { return context_.gotError(); }
  [[nodiscard]] std::uint64_t cycles() const { return now_; }

 private:
  void cycle() {
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    top_.eval();
    context_.timeInc(1);
    ++now_;
  }

  bool offer(Source& source, void* port) {
    if (source.offered || source.left == 0 || draw() < source.pause) return false;
    std::memcpy(port, source.data, kRowBytes);
    source.data += kRowBytes;
    --source.left;
    source.offered = true;
    return true;
  }

  void keep(std::uint32_t cycles, std::vector<std::uint32_t>& results) {
    results.push_back(cycles);
    results.push_back(static_cast<std::uint32_t>(top_.result_total_o));
    results.push_back(static_cast<std::uint32_t>(top_.result_total_o >> 32U));
    const std::size_t sums = results.size();
    results.resize(sums + kLanes);
    std::memcpy(&results[sums], &top_.result_sums_o, std::size_t{kLanes} * 4);
  }

  std::uint32_t draw() {
    state_ = state_ * 1664525U + 1013904223U;
    return state_ >> 24U;
  }

  VerilatedContext context_;
  Vattn_kernel top_{&context_};
  std::uint64_t now_ = 0;
  std::uint32_t state_ = 1;
};

int run_heads(const char* input, const char* output) {
  std::ifstream in(input, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
  std::vector<std::uint32_t> results;
  Bench bench;
  for (std::size_t at = 0; at + sizeof(Head) <= bytes.size();) {
    Head head;
    std::memcpy(&head, &bytes[at], sizeof(head));
    at += sizeof(head);
    if (!bench.run(head, &bytes[at], results)) {
      std::fprintf(stderr, "a head did not end\n");
      return 1;
    }
    at += (1 + std::size_t{2} * head.rows) * kRowBytes;
  }
  std::ofstream out(output, std::ios::binary);
  out.write(reinterpret_cast<const char*>(results.data()),
            static_cast<std::streamsize>(results.size() * sizeof(std::uint32_t)));
  return bench.failed() ? 1 : 0;
}

int run_bench(std::uint64_t cycles) {
  constexpr std::uint32_t kRows = 1024;
  Bench bench;
  std::vector<std::uint16_t> values((1 + 2 * kRows) * kLanes);
  std::uint32_t state = 1;
  for (std::uint16_t& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<std::uint16_t>((state >> 16U & 0x83ffU) | 0x3400U);
  }
  constexpr std::uint32_t kOneEighth = 0x3e000000;
  std::vector<std::uint32_t> results;
  const std::clock_t begin = std::clock();
  while (bench.cycles() < cycles) {
    results.clear();
    bench.run(
        {.rows = kRows, .scale = kOneEighth, .key_pause = 0, .value_pause = 0, .result_pause = 0},
        reinterpret_cast<const char*>(values.data()), results);
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("%.0f\n", static_cast<double>(bench.cycles()) / seconds / 1000);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "bench") {
    return run_bench(std::strtoull(argv[2], nullptr, 10));
  }
  if (argc == 3) return run_heads(argv[1], argv[2]);
  std::fprintf(stderr, "usage: attn_kernel HEADS RESULTS | bench CYCLES\n");
  return 2;
}
