// SPDX-License-Identifier: Apache-2.0
//
// Runs `attn_scalar` on the operations of a file: attn_scalar INPUT OUTPUT. INPUT has three
// little-endian 32-bit words an operation: {0 quotient or 1 root, a, b}; OUTPUT two words for each:
// {cycles from start to done, result}. Exit code 1: an assertion fired, or an operation did not
// end.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "Vattn_scalar.h"
#include "verilated.h"

namespace {

constexpr std::uint32_t kLongest = 100;
constexpr std::size_t kFields = 3;

void cycle(VerilatedContext& context, Vattn_scalar& top) {
  top.clk_i = 1;
  top.eval();
  top.clk_i = 0;
  top.eval();
  context.timeInc(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: attn_scalar INPUT OUTPUT\n");
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
  VerilatedContext context;
  context.fatalOnError(false);
  Vattn_scalar top{&context};
  top.rst_ni = 0;
  cycle(context, top);
  top.rst_ni = 1;
  std::vector<std::uint32_t> results;
  for (std::size_t at = 0; at + kFields <= words.size(); at += kFields) {
    top.start_i = 1;
    top.root_i = words[at] != 0;
    top.a_i = words[at + 1];
    top.b_i = words[at + 2];
    std::uint32_t cycles = 0;
    do {
      if (++cycles > kLongest) return 1;
      cycle(context, top);
      top.start_i = 0;
    } while (top.done_o == 0);
    results.insert(results.end(), {cycles, top.result_o});
  }
  std::ofstream out(argv[2], std::ios::binary);
  out.write(reinterpret_cast<const char*>(results.data()),
            static_cast<std::streamsize>(results.size() * sizeof(std::uint32_t)));
  const bool failed = context.gotError();
  top.final();
  return failed ? 1 : 0;
}
