// SPDX-License-Identifier: Apache-2.0
//
// Checks of what reads traces and the benches' inputs: what is whole is taken, what ends early,
// announces more than it has or describes what no unit can do is refused before it is used.
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

#include "checks.h"
#include "dram/trace/id_set.h"
#include "testbench/ndp_case.h"
#include "testbench/ndp_job.h"
#include "testbench/sparf_case.h"
#include "testbench/sparf_kernel_head.h"

namespace {

using namespace neardata;
using checks::kFine;
using checks::Verdict;
using Words = std::vector<std::uint32_t>;

constexpr unit::NdpParameters kUnit{.streams = 2,
                                    .mult_per_stream = 4,
                                    .lanes = 8,
                                    .bits_per_cycle = 1,
                                    .buffer_bytes = 16384,
                                    .queue_bursts = 8,
                                    .act_lanes = 32,
                                    .max_tokens = 8};

std::vector<char> bytes_of(const Words& words) {
  std::vector<char> bytes(words.size() * sizeof(std::uint32_t));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

bool refused(const std::function<void()>& read) {
  try {
    read();
  } catch (const std::runtime_error&) {
    return true;
  }
  return false;
}

/// Whole it is read; shorter by any number of bytes it is refused.
Verdict only_whole(const std::vector<char>& whole,
                   const std::function<void(std::span<const char>)>& read) {
  if (refused([&] { read(whole); })) return "the whole is refused";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    // A separate copy, so that a read beyond its end is detected.
    const std::vector<char> part(whole.begin(),
                                 whole.begin() + static_cast<std::ptrdiff_t>(length));
    if (!refused([&] { read(part); })) return "taken with " + std::to_string(length) + " bytes";
  }
  return kFine;
}

/// A gated expert of one block, two hidden rows and two outputs; four bursts per stream.
Words image(std::size_t word = 0, std::uint32_t value = 1 | 2 << 4) {
  Words words{1 | 2 << 4, 1, 1, 1, 2, 1, 2, 0, 1, 1, 2, 1, 3, 1, 4, 1, 1, 2, 0, 0, 0, 0, 0};
  words[word] = value;
  for (std::uint32_t stream = 0; stream < kUnit.streams; ++stream) {
    words.push_back(4);
    words.resize(words.size() + 4 * unit::kBurstBytes / 4);
  }
  return words;
}

bool image_refused(std::size_t word, std::uint32_t value) {
  return refused(
      [&] { static_cast<void>(bench::Case(kUnit, bytes_of(image(word, value))).expected()); });
}

Verdict images_are_whole() {
  return only_whole(bytes_of(image()), [](std::span<const char> bytes) {
    static_cast<void>(bench::Case(kUnit, bytes).expected());
  });
}

Verdict descriptors_are_checked() {
  // Operation, tokens, tokens of a pass, blocks, hidden rows, hidden blocks, rows, bases.
  const std::vector<std::pair<std::size_t, std::uint32_t>> wrong{
      {0, 7}, {0, 7 << 4}, {1, 0},   {2, 0}, {3, 0}, {3, 1U << 31}, {4, 0},  {4, 33},
      {5, 0}, {6, 0},      {6, ~0U}, {7, 4}, {9, 4}, {10, ~0U},     {12, 9}, {1, ~0U}};
  for (const auto& [word, value] : wrong) {
    if (!image_refused(word, value)) {
      return "word " + std::to_string(word) + " = " + std::to_string(value) + " is taken";
    }
  }
  return kFine;
}

Verdict job_words_are_numbers() {
  for (const char* line :
       {"tokens=", "tokens=-1", "tokens=4294967296", "tokens=3x", "seed= 1 =", "rate=1/",
        "rate=0/1", "rate=/1", "seed=99999999999999999999", "latency=1e3", "tokens"}) {
    if (!refused([line] { static_cast<void>(bench::parse_job(line)); })) {
      return std::string(line) + " is taken";
    }
  }
  const bench::Job job = bench::parse_job("tokens=3 rate=3/10 seed=18446744073709551615");
  if (job.shape.tokens != 3 || job.traffic.rate_bursts != 3 || job.traffic.rate_cycles != 10) {
    return "numbers are not those of the line";
  }
  return kFine;
}

Verdict random_jobs_have_a_size() {
  const auto make = [](const char* line) {
    const bench::Job job = bench::parse_job(line);
    static_cast<void>(bench::Case(kUnit, job.shape, job.contents, job.seed).bursts_to_read());
  };
  for (const char* line : {"pass=0", "tokens=0", "in=0", "rows=0", "mid=0", "op=3", "func=7",
                           "bf16=2", "in=4294967295", "mid=1048576 in=1048576"}) {
    if (!refused([&] { make(line); })) return std::string(line) + " is taken";
  }
  make("op=1 tokens=3 pass=2 in=2 mid=5 rows=7");
  return kFine;
}

Words sparf(std::uint32_t tokens = 2, std::uint32_t log_page = 7, std::uint32_t log_dims = 2) {
  Words words{1, 1, 1, 1, 1, 1, 2, 1, 1, 0, 1, 0, 1000, tokens, log_page, log_dims};
  words.resize(words.size() + 2 * 2 * sparf_case::kWidth / 2);  // keys and values of two tokens
  words.resize(words.size() + sparf_case::kLineWords);          // DRAM
  words.resize(words.size() + 1 + sparf_case::kDescWords + 3);  // a descriptor, a failure
  return words;
}

Verdict cases_are_whole() {
  return only_whole(bytes_of(sparf()), [](std::span<const char> bytes) {
    static_cast<void>(sparf_case::read_case(bytes));
  });
}

Verdict pages_have_a_size() {
  for (const auto& words : {sparf(~0U), sparf(2, 2), sparf(2, 31), sparf(2, 64), sparf(2, 7, 5),
                            sparf(2, 7, 32), sparf(2, 3, 3)}) {
    if (!refused([&] { static_cast<void>(sparf_case::read_case(bytes_of(words))); })) {
      return "pages of 2^" + std::to_string(words[14]) + " bytes and 2^" +
             std::to_string(words[15]) + " dimensions are taken";
    }
  }
  return kFine;
}

Words head(std::size_t field = 0, std::uint32_t value = 0) {
  Words words{0, 1, 3, 2, 2, 1, 1, 0, 0, 2, 2, 1};
  words[field] = value;
  words.resize(words.size() + (1 + 2 * 3) * bench::kWidth / 2);
  return words;
}

void read_head(std::span<const char> bytes) {
  bench::FileBytes file(bytes);
  static_cast<void>(bench::Head(file).lines());
}

Verdict heads_are_whole() { return only_whole(bytes_of(head()), read_head); }

Verdict head_fields_are_checked() {
  // Group, tokens, tokens in dimension order, tokens of a column job, rows of a row job.
  for (const auto& [field, value] : std::vector<std::pair<std::size_t, std::uint32_t>>{
           {1, ~0U}, {2, ~0U}, {9, 4}, {10, 0}, {11, 0}}) {
    if (!refused([&] { read_head(bytes_of(head(field, value))); })) {
      return "field " + std::to_string(field) + " = " + std::to_string(value) + " is taken";
    }
  }
  return kFine;
}

/// In order, in reverse, and at random within a small and the whole range, compared with a set.
Verdict ids_are_distinguished() {
  std::mt19937_64 random(1);
  for (const std::uint64_t range : {std::uint64_t{500}, std::uint64_t{1} << 53U}) {
    dram::IdSet ids(1U << 20U);
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t id = i % 3 == 0 ? static_cast<std::uint64_t>(i) : random() % range;
      const auto expected =
          seen.insert(id).second ? dram::IdSet::Added::kNew : dram::IdSet::Added::kTwice;
      if (ids.add(id) != expected) return "id " + std::to_string(id) + " is judged wrongly";
    }
  }
  dram::IdSet few(2);
  const bool held = few.add(0) == dram::IdSet::Added::kNew &&
                    few.add(127) == dram::IdSet::Added::kNew &&
                    few.add(64) == dram::IdSet::Added::kNew;
  if (!held) return "two groups of 64 are not held";
  if (few.add(128) != dram::IdSet::Added::kTooMany) return "a third group is held";
  return kFine;
}

}  // namespace

int main() {
  constexpr std::array checks{
      checks::Check{"an image of an NDP job is read whole or not at all", images_are_whole},
      checks::Check{"a descriptor that reads outside of its image is refused",
                    descriptors_are_checked},
      checks::Check{"words of a job are numbers that fit", job_words_are_numbers},
      checks::Check{"a random job has a shape that can be held", random_jobs_have_a_size},
      checks::Check{"a case of the engine is read whole or not at all", cases_are_whole},
      checks::Check{"pages of a case have a size", pages_have_a_size},
      checks::Check{"a head of the kernel is read whole or not at all", heads_are_whole},
      checks::Check{"fields of a head are checked", head_fields_are_checked},
      checks::Check{"ids of a trace are distinguished", ids_are_distinguished},
  };
  neardata::checks::run_checks(checks);
}
