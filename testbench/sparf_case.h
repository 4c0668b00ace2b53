// SPDX-License-Identifier: Apache-2.0
//
// A case for `sparf_engine` as a file of little-endian 32-bit words, and its result.
//
// Case: header (struct Header), heads of the KV cache, each {tokens, log2 page bytes, log2 m} and
// then tokens x Width 16-bit keys and as many values (two to a word); the DRAM image, 16 words a
// line; descriptors, each {barrier, 16 words} (a barrier is rung when all before it are done);
// unreadable pages, each {head, kind, index}.
//
// Result: {cycles, done, page requests, choices, words of choices, arrived beats, passed beats,
// waits of channels, cycles of the first and of the last beat}, done words with their cycles, page
// requests {kind, head, index, write}, choices {tag, dims mask words, tokens, token...}, the DRAM
// image.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace sparf_case {

constexpr std::uint32_t kWidth = RTL_PARAMETER_Width;
constexpr std::uint32_t kLineWords = 16;
constexpr std::uint32_t kDescWords = 16;

struct Header {
  std::uint32_t seed;
  std::uint32_t heads;
  std::uint32_t dram_lines;
  std::uint32_t descriptors;
  std::uint32_t failures;
  std::uint32_t latency_least;  ///< cycles from a page's request to its slot at the channel
  std::uint32_t latency_most;
  std::uint32_t beat_num;  ///< beats of a channel arrive every beat_num / beat_den cycles
  std::uint32_t beat_den;
  std::uint32_t page_gap;  ///< cycles between two pages of a channel
  std::uint32_t dram_latency;
  std::uint32_t pause;  ///< share of 256 of cycles in which a port waits
  std::uint32_t longest;
};

using Line = std::array<std::uint32_t, kLineWords>;

struct Page {
  std::uint32_t kind;
  std::uint32_t head;
  std::uint32_t index;
  bool write;
};

struct Head {
  std::uint32_t tokens;
  std::uint32_t log_page_bytes;
  std::uint32_t log_dims;
  std::vector<std::uint16_t> keys;
  std::vector<std::uint16_t> values;

  /// The bytes of a page as 16-bit values; values beyond the sequence are NaN.
  [[nodiscard]] std::vector<std::uint16_t> page(std::uint32_t kind, std::uint32_t index) const;
};

struct Descriptor {
  bool barrier;
  std::array<std::uint32_t, kDescWords> words;
};

struct Choice {
  std::uint32_t tag = 0;
  std::vector<std::uint32_t> dims;
  std::vector<std::uint32_t> tokens;
};

struct Case {
  Header header{};
  std::vector<Head> heads;
  std::vector<Line> dram;
  std::vector<Descriptor> descriptors;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> failures;
};

struct Result {
  std::uint32_t cycles = 0;
  std::uint32_t beats_in = 0;
  std::uint32_t beats_kept = 0;
  std::uint32_t waits = 0;
  std::uint32_t first_beat = 0;
  std::uint32_t last_beat = 0;
  std::vector<std::array<std::uint32_t, 2>> done;  ///< word, cycle
  std::vector<Page> pages;
  std::vector<Choice> choices;
};

/// @throws std::runtime_error when the bytes are not a case
[[nodiscard]] Case read_case(std::span<const char> bytes);
void write_result(const std::string& path, const Result& result, const std::vector<Line>& dram);

}  // namespace sparf_case
