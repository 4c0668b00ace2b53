// SPDX-License-Identifier: Apache-2.0
//
// Runs `nfc_filter` on pages of a file: nfc_filter PAGES RESULTS. PAGES is a sequence of
// little-endian 32-bit words {mask, rows, beats of a row, used beats, source pause, sink pause} and
// then the page, two words a beat; a pause is the share, out of 256, of cycles in which that side
// waits. RESULTS has for each page {beats in, beats kept by the unit's own strobes, beats} and then
// for each beat that left {row, last, low, high}. Exit code 1: an assertion fired, or a page did
// not end; 2: PAGES is none.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <vector>

#include "Vnfc_filter.h"
#include "testbench/file_bytes.h"
#include "verilated.h"

namespace {

struct Page {
  std::uint32_t mask;
  std::uint32_t rows;
  std::uint32_t row_beats;
  std::uint32_t used_beats;
  std::uint32_t source_pause;
  std::uint32_t sink_pause;
};
constexpr std::size_t kResultHeader = 3;
constexpr std::uint64_t kLongest = 1'000'000;

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

  bool run(const Page& page, const std::uint32_t* data, std::vector<std::uint32_t>& results) {
    top_.page_valid_i = 1;
    top_.page_mask_i = static_cast<std::uint16_t>(page.mask);
    top_.page_rows_i = static_cast<std::uint8_t>(page.rows);
    top_.page_row_beats_i = static_cast<std::uint16_t>(page.row_beats);
    top_.page_used_beats_i = static_cast<std::uint16_t>(page.used_beats);
    cycle();
    top_.page_valid_i = 0;
    const std::size_t header = results.size();
    results.insert(results.end(), kResultHeader, 0);
    const std::uint32_t beats = page.rows * page.row_beats;
    std::uint32_t sent = 0;
    const std::uint64_t begin = now_;
    while (sent < beats || top_.out_valid_o != 0) {
      if (now_ - begin > kLongest) return false;
      if (top_.in_valid_i == 0 && sent < beats && draw() >= page.source_pause) {
        std::memcpy(&top_.in_data_i, data + std::size_t{2} * sent, sizeof(top_.in_data_i));
        top_.in_valid_i = 1;
      }
      top_.out_ready_i = draw() >= page.sink_pause;
      top_.eval();
      const bool taken = top_.in_valid_i && top_.in_ready_o;
      results[header] += top_.events_o & 1U;
      results[header + 1] += top_.events_o >> 1U & 1U;
      if (top_.out_valid_o && top_.out_ready_i) {
        results.insert(results.end(), {top_.out_row_o, top_.out_last_o,
                                       static_cast<std::uint32_t>(top_.out_data_o),
                                       static_cast<std::uint32_t>(top_.out_data_o >> 32U)});
        ++results[header + 2];
      }
      cycle();
      if (taken) {
        ++sent;
        top_.in_valid_i = 0;
      }
    }
    return true;
  }

  [[nodiscard]] bool failed() const { return context_.gotError(); }

 private:
  void cycle() {
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    top_.eval();
    context_.timeInc(1);
    ++now_;
  }

  std::uint32_t draw() {
    state_ = state_ * 1664525U + 1013904223U;
    return state_ >> 24U;
  }

  VerilatedContext context_;
  Vnfc_filter top_{&context_};
  std::uint64_t now_ = 0;
  std::uint32_t state_ = 1;
};

int run_pages(const char* input, const char* output) {
  const std::vector<char> bytes = neardata::bench::bytes_of_file(input);
  neardata::bench::FileBytes rest(bytes);
  std::vector<std::uint32_t> results;
  Bench bench;
  while (!rest.empty()) {
    const Page page = rest.value<Page>();
    const auto words = rest.values<std::uint32_t>(std::size_t{2} * page.rows * page.row_beats);
    if (!bench.run(page, words.data(), results)) {
      std::fprintf(stderr, "a page did not end\n");
      return 1;
    }
  }
  std::ofstream out(output, std::ios::binary);
  out.write(reinterpret_cast<const char*>(results.data()),
            static_cast<std::streamsize>(results.size() * sizeof(std::uint32_t)));
  return bench.failed() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: nfc_filter PAGES RESULTS\n");
    return 2;
  }
  return neardata::bench::exit_code_of(argv[1], [argv] { return run_pages(argv[1], argv[2]); });
}
