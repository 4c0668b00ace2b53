// SPDX-License-Identifier: Apache-2.0
//
// Runs `sparf_kernel` on heads of a file, as its environment would: jobs follow from the selections
// of the kernel, and their data are in two rings until the kernel releases them.
//   sparf_kernel HEADS RESULTS [PAIRS]   runs every head, as many at a time as there are slots
//   sparf_kernel bench CYCLES    thousands of cycles per second on heads of 1/8, then their cycles,
//                                and how many times faster the cycle model is on the same heads
// HEADS is {seed, pauses} and a sequence of heads (sparf_kernel_head.h); the four bytes of pauses
// are the shares, out of 256, of cycles in which heads with their lines, jobs of keys, jobs of
// values and what leaves wait. RESULTS has for each head, 32-bit words: mask of dimensions, number
// of chosen tokens, these, and a word for each element of the output. PAIRS has the pairs of states
// of cycle model and RTL (state_pairs.h). Exit code 1: an assertion fired, a head did not end, a
// job was left, or the cycle model differs; 2: HEADS is none.
#include <bit>
#include <ctime>
#include <string_view>

#include "testbench/sparf_kernel_bench.h"

namespace {

using neardata::bench::Head;
using neardata::bench::KernelBench;
using neardata::bench::KernelReplay;

constexpr neardata::unit::SparfParameters kParameters = {.lanes = RTL_PARAMETER_Lanes,
                                                         .width = RTL_PARAMETER_Width,
                                                         .max_keys = RTL_PARAMETER_MaxKeys,
                                                         .max_group = RTL_PARAMETER_MaxGroup,
                                                         .slots = RTL_PARAMETER_Slots,
                                                         .ring_lines = RTL_PARAMETER_RingLines,
                                                         .query_sets = RTL_PARAMETER_QuerySets};

int run_heads(const char* input, const char* output, const char* pairs) {
  const std::vector<char> bytes = neardata::bench::bytes_of_file(input);
  neardata::bench::FileBytes file(bytes);
  const auto settings = file.value<std::array<std::uint32_t, 2>>();
  std::vector<Head> heads;
  while (!file.empty()) heads.emplace_back(file);
  KernelBench bench(settings[0], std::bit_cast<neardata::bench::Pauses>(settings[1]));
  if (!bench.run(heads)) {
    std::fprintf(stderr, "a head did not end\n");
    return 1;
  }
  KernelReplay replay(kParameters, bench.trace());
  const std::string difference = replay.compare();
  if (!difference.empty()) {
    std::fprintf(stderr, "the cycle model differs in %s\n", difference.c_str());
    return 1;
  }
  if (pairs != nullptr) replay.pairs().write(pairs);
  std::ofstream out(output, std::ios::binary);
  for (const Head& head : heads) {
    const std::vector<std::uint32_t> words = head.results();
    out.write(reinterpret_cast<const char*>(words.data()),
              static_cast<std::streamsize>(words.size() * sizeof(std::uint32_t)));
  }
  return bench.failed() ? 1 : 0;
}

double seconds_since(std::clock_t begin) {
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

int run_bench(std::uint64_t cycles) {
  KernelBench bench(1, {});
  constexpr std::size_t kHeads = 8;
  std::uint64_t rounds = 0;
  std::clock_t begin = std::clock();
  while (bench.cycles() < cycles) {
    std::vector<Head> heads;
    for (std::size_t h = 0; h < kHeads; ++h) heads.push_back(Head::synthetic(2048, 16, 128, 32));
    if (!bench.run(heads)) return 1;
    ++rounds;
  }
  const double seconds = seconds_since(begin);
  const auto events = bench.trace().events();
  constexpr int kReplays = 200;
  begin = std::clock();
  for (int i = 0; i < kReplays; ++i) {
    if (!KernelReplay(kParameters, bench.trace()).run(events)) return 1;
  }
  const double model_seconds = seconds_since(begin) / kReplays;
  std::printf("%.0f %.0f %.0f\n", static_cast<double>(bench.cycles()) / seconds / 1000,
              static_cast<double>(bench.cycles()) / static_cast<double>(rounds * kHeads),
              seconds / model_seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "bench") {
    return run_bench(std::strtoull(argv[2], nullptr, 10));
  }
  if (argc == 3 || argc == 4) {
    return neardata::bench::exit_code_of(argv[1], [argv, argc] {
      return run_heads(argv[1], argv[2], argc == 4 ? argv[3] : nullptr);
    });
  }
  std::fprintf(stderr, "usage: sparf_kernel HEADS RESULTS [PAIRS] | bench CYCLES\n");
  return 2;
}
