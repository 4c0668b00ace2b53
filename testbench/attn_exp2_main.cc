// SPDX-License-Identifier: Apache-2.0
//
// Runs `attn_exp2` on the numbers of a file: attn_exp2 INPUT OUTPUT. INPUT has binary32 words, one
// for a cycle; OUTPUT the results in order. Exit code 1: an assertion fired, or the number of
// results is not that of the inputs.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "Vattn_exp2.h"
#include "verilated.h"

namespace {

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

  void offer(std::uint32_t z) {
    top_.z_valid_i = 1;
    top_.z_i = z;
    cycle();
    top_.z_valid_i = 0;
  }

  void cycle() {
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    top_.eval();
    context_.timeInc(1);
    if (top_.power_valid_o != 0) powers_.push_back(top_.power_o);
  }

  [[nodiscard]] bool failed() const { return context_.gotError(); }
  [[nodiscard]] const std::vector<std::uint32_t>& powers() const { return powers_; }

 private:
  VerilatedContext context_;
  Vattn_exp2 top_{&context_};
  std::vector<std::uint32_t> powers_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: attn_exp2 INPUT OUTPUT\n");
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
  std::vector<std::uint32_t> inputs(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(inputs.data(), bytes.data(), inputs.size() * sizeof(std::uint32_t));
  Bench bench;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (i % 7 == 3) bench.cycle();  // a gap now and then
    bench.offer(inputs[i]);
  }
  constexpr int kLongerThanPipeline = 64;
  for (int i = 0; i < kLongerThanPipeline; ++i) bench.cycle();
  std::ofstream out(argv[2], std::ios::binary);
  out.write(reinterpret_cast<const char*>(bench.powers().data()),
            static_cast<std::streamsize>(bench.powers().size() * sizeof(std::uint32_t)));
  return bench.failed() || bench.powers().size() != inputs.size() ? 1 : 0;
}
