// SPDX-License-Identifier: Apache-2.0
//
// Runs `argtopk` on jobs of a file.
//   argtopk JOBS RESULTS    runs every job; RESULTS has what came out
//   argtopk bench CYCLES    keys in every cycle; prints thousands of cycles a second of CPU time
// JOBS is a sequence of little-endian 32-bit words: {count, take, window, source pause, sink pause,
// keys...}; a pause is a number out of 256, the share of cycles in which that side waits. Keys come
// kFetch cycles after their request, or later. RESULTS has for each job {cycles from the first
// request to the last selection, selected, indices...}. Exit code 1: an assertion fired or a job
// did not end; 2: JOBS is none.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <fstream>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "Vargtopk.h"
#include "testbench/file_bytes.h"
#include "verilated.h"

namespace {

constexpr std::uint32_t kLanes = RTL_PARAMETER_KeysPerCycle;
constexpr std::uint32_t kKeyBytes = RTL_PARAMETER_KeyBits / 8;
constexpr std::uint64_t kFetch = 2;  // topk_pkg::FetchStages
constexpr std::uint32_t kLongest = 1'000'000;

struct Job {
  std::uint32_t count;
  std::uint32_t take;
  std::uint32_t window;
  std::uint32_t source_pause;
  std::uint32_t sink_pause;
};

/// Sizes and indices of a job fit the unit.
using Size = std::remove_reference_t<decltype(std::declval<Vargtopk>().start_count_i)>;

class Bench {
 public:
  Bench() {
    context_.fatalOnError(false);
    top_.rst_ni = 0;
    cycle();
    cycle();
    top_.rst_ni = 1;
    top_.eval();
    while (!top_.start_ready_o) cycle();
  }
  ~Bench() { top_.final(); }

  /// Appends the job's results. False: it did not end.
  bool run(const Job& job, std::span<const std::uint32_t> keys,
           std::vector<std::uint32_t>& results) {
    start(job);
    const std::size_t header = results.size();
    results.insert(results.end(), {0, 0});
    struct Request {
      std::uint32_t beat;
      std::uint64_t at;
    };
    std::deque<Request> requests;
    bool asked = false;
    std::uint64_t first = 0;
    const std::uint64_t begin = now_;
    for (bool last = false; !last;) {
      if (now_ - begin > kLongest) return false;
      top_.key_valid_i = 0;
      if (!requests.empty() && requests.front().at + kFetch <= now_ && draw() >= job.source_pause) {
        offer(keys, requests.front().beat);
        requests.pop_front();
      }
      top_.sel_ready_i = draw() >= job.sink_pause;
      top_.eval();
      if (top_.read_valid_o) {
        if (!asked) first = now_;
        asked = true;
        requests.push_back({top_.read_beat_o, now_});
      }
      if (top_.sel_valid_o && top_.sel_ready_i) {
        for (std::uint32_t l = 0; l < kLanes; ++l) {
          if ((top_.sel_mask_o >> l & 1U) != 0) results.push_back(top_.sel_beat_o * kLanes + l);
        }
        last = top_.sel_last_o;
        results[header] = static_cast<std::uint32_t>(now_ - first);
      }
      cycle();
    }
    top_.key_valid_i = 0;
    results[header + 1] = static_cast<std::uint32_t>(results.size() - header - 2);
    return true;
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

  void start(const Job& job) {
    top_.start_valid_i = 1;
    top_.start_count_i = static_cast<Size>(job.count);
    top_.start_take_i = static_cast<Size>(job.take);
    top_.start_window_i = static_cast<Size>(job.window);
    top_.eval();
    while (!top_.start_ready_o) cycle();
    cycle();
    top_.start_valid_i = 0;
  }

  void offer(std::span<const std::uint32_t> keys, std::uint32_t beat) {
    char* data = reinterpret_cast<char*>(&top_.key_data_i);
    for (std::uint32_t l = 0; l < kLanes; ++l) {
      const std::size_t index = std::size_t{beat} * kLanes + l;
      // What lies beyond the last key must not matter.
      const std::uint32_t key = index < keys.size() ? keys[index] : draw() * 0x01010101U;
      std::memcpy(data + std::size_t{l} * kKeyBytes, &key, kKeyBytes);
    }
    top_.key_valid_i = 1;
  }

  std::uint32_t draw() {
    state_ = state_ * 1664525U + 1013904223U;
    return state_ >> 24U;
  }

  VerilatedContext context_;
  Vargtopk top_{&context_};
  std::uint64_t now_ = 0;
  std::uint32_t state_ = 1;
};

int run_jobs(const char* input, const char* output) {
  const std::vector<char> bytes = neardata::bench::bytes_of_file(input);
  neardata::bench::FileBytes rest(bytes);
  std::vector<std::uint32_t> results;
  Bench bench;
  while (!rest.empty()) {
    const Job job = rest.value<Job>();
    if (!bench.run(job, rest.values<std::uint32_t>(job.count), results)) {
      std::fprintf(stderr, "a job did not end\n");
      return 1;
    }
  }
  std::ofstream out(output, std::ios::binary);
  out.write(reinterpret_cast<const char*>(results.data()),
            static_cast<std::streamsize>(results.size() * sizeof(std::uint32_t)));
  return bench.failed() ? 1 : 0;
}

int run_bench(std::uint64_t cycles) {
  Bench bench;
  std::vector<std::uint32_t> keys(2048);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = static_cast<std::uint32_t>(i * 2654435761U);
  }
  std::vector<std::uint32_t> results;
  const std::clock_t begin = std::clock();
  while (bench.cycles() < cycles) {
    results.clear();
    bench.run({.count = 2048, .take = 128, .window = 32}, keys, results);
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
  if (argc == 3) {
    return neardata::bench::exit_code_of(argv[1], [argv] { return run_jobs(argv[1], argv[2]); });
  }
  std::fprintf(stderr, "usage: argtopk JOBS RESULTS | bench CYCLES\n");
  return 2;
}
