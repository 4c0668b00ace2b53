// SPDX-License-Identifier: Apache-2.0
//
// Runs `sparf_nfc_filter` alone, for the bench that holds driving it against this.
//   sparf_nfc_filter PAGES   passes the pages of PAGES, prints {"seconds":S,"results":N}, N beats
//   that left
// PAGES is a sequence of little-endian 32-bit words {mask, rows, beats of a row, used beats} and
// then the page, two words per beat. Exit code 1: an assertion fired, or a page did not end; 2:
// PAGES is none.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "Vsparf_nfc_filter.h"
#include "testbench/file_bytes.h"
#include "testbench/timed_passes.h"
#include "verilated.h"

namespace {

struct Beat {
  std::uint64_t data;
  std::uint64_t cycle;
  bool row_last;
  bool last;
};

/// Two words of 64 bits have the four of a page's header.
constexpr std::size_t kHeaderWords = 2;
constexpr std::uint64_t kLongest = 1'000'000;

class Bench {
 public:
  Bench() {
    context_.fatalOnError(false);
    top_.rst_ni = 0;
    cycle();
    cycle();
    top_.rst_ni = 1;
    top_.out_ready_i = 1;
    results_.clear();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() { top_.final(); }

  /// False when the page does not end.
  bool run(const std::uint64_t* page, std::size_t beats) {
    top_.page_mask_i = static_cast<std::uint16_t>(page[0]);
    top_.page_rows_i = static_cast<std::uint8_t>(page[0] >> 32U);
    top_.page_row_beats_i = static_cast<std::uint16_t>(page[1]);
    top_.page_used_beats_i = static_cast<std::uint16_t>(page[1] >> 32U);
    top_.page_valid_i = 1;
    const std::uint64_t limit = now_ + kLongest;
    while (!cycle().page) {
      if (now_ > limit) return false;
    }
    top_.page_valid_i = 0;
    top_.in_valid_i = 1;
    for (std::size_t i = 0; i < beats; ++i) {
      top_.in_data_i = page[kHeaderWords + i];
      while (!cycle().in) {
        if (now_ > limit) return false;
      }
    }
    top_.in_valid_i = 0;
    return true;
  }

  [[nodiscard]] bool failed() const { return context_.gotError(); }
  [[nodiscard]] long results() const { return static_cast<long>(results_.size()); }

 private:
  struct Taken {
    bool page;
    bool in;
  };

  /// The transfers that the unit accepts in the cycle.
  Taken cycle() {
    top_.clk_i = 0;
    top_.eval();
    const Taken taken{top_.page_ready_o != 0, top_.in_ready_o != 0};
    if (top_.out_valid_o) {
      results_.push_back({top_.out_data_o, now_, top_.out_row_last_o != 0, top_.out_last_o != 0});
    }
    top_.clk_i = 1;
    top_.eval();
    ++now_;
    return taken;
  }

  VerilatedContext context_;
  Vsparf_nfc_filter top_{&context_};
  std::uint64_t now_ = 0;
  std::vector<Beat> results_;
};

int run_pages(const char* path) {
  return neardata::bench::timed_passes([path] {
    const auto words = neardata::bench::values_of_file<std::uint64_t>(path);
    Bench bench;
    for (const std::uint64_t* page = words.begin(); page != words.end();) {
      const std::size_t left = static_cast<std::size_t>(words.end() - page);
      const std::size_t beats = (page[0] >> 32U) * (page[1] & 0xFFFFFFFFU);
      if (left < kHeaderWords + beats || !bench.run(page, beats)) return -1L;
      page += kHeaderWords + beats;
    }
    return bench.failed() ? -1L : bench.results();
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: sparf_nfc_filter PAGES\n");
    return 2;
  }
  return neardata::bench::exit_code_of(argv[1], [argv] { return run_pages(argv[1]); });
}
