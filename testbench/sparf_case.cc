// SPDX-License-Identifier: Apache-2.0
#include "testbench/sparf_case.h"

#include <fstream>
#include <stdexcept>

#include "testbench/file_bytes.h"

namespace sparf_case {

namespace {

constexpr std::uint16_t kNotANumber = 0x7e00;

/// From a beat of four values to far beyond any flash.
constexpr std::uint32_t kLeastPageLog = 3;
constexpr std::uint32_t kMostPageLog = 20;

/// A page of dimensions holds whole rows of the same tokens.
void check(const Head& head) {
  if (head.log_page_bytes < kLeastPageLog || head.log_page_bytes > kMostPageLog) {
    throw std::runtime_error("a page has from 8 bytes to 1 MiB");
  }
  if (head.log_dims >= head.log_page_bytes || (1U << head.log_dims) > kWidth) {
    throw std::runtime_error("dimensions of a page are no more than its values and the width");
  }
}

}  // namespace

std::vector<std::uint16_t> Head::page(std::uint32_t kind, std::uint32_t index) const {
  constexpr std::uint32_t kDims = 2;
  const std::uint32_t page_values = (1U << log_page_bytes) / 2;
  std::vector<std::uint16_t> out(page_values, kNotANumber);
  const std::vector<std::uint16_t>& from = kind == 1 ? values : keys;
  if (kind != kDims) {
    for (std::uint32_t i = 0; i < page_values; ++i) {
      const std::size_t at = std::size_t{index} * page_values + i;
      if (at < from.size()) out[i] = from[at];
    }
    return out;
  }
  const std::uint32_t dims = 1U << log_dims;
  const std::uint32_t block_tokens = page_values / dims;
  const std::uint32_t groups = kWidth / dims;
  const std::uint32_t first = index / groups * block_tokens;
  for (std::uint32_t c = 0; c < dims; ++c) {
    for (std::uint32_t t = 0; t < block_tokens && first + t < tokens; ++t) {
      out[c * block_tokens + t] = from[std::size_t{first + t} * kWidth + index % groups * dims + c];
    }
  }
  return out;
}

Case read_case(std::span<const char> bytes) {
  neardata::bench::FileBytes words(bytes);
  Case out;
  out.header = words.value<Header>();
  for (std::uint32_t h = 0; h < out.header.heads; ++h) {
    Head head{};
    head.tokens = words.word();
    head.log_page_bytes = words.word();
    head.log_dims = words.word();
    check(head);
    for (std::vector<std::uint16_t>* rows : {&head.keys, &head.values}) {
      *rows = words.values<std::uint16_t>(std::size_t{head.tokens} * kWidth);
    }
    out.heads.push_back(std::move(head));
  }
  out.dram = words.values<Line>(out.header.dram_lines);
  for (std::uint32_t d = 0; d < out.header.descriptors; ++d) {
    Descriptor descriptor{};
    descriptor.barrier = words.word() != 0;
    descriptor.words = words.value<decltype(descriptor.words)>();
    out.descriptors.push_back(descriptor);
  }
  for (std::uint32_t f = 0; f < out.header.failures; ++f) {
    const std::uint32_t head = words.word();
    const std::uint32_t kind = words.word();
    out.failures.insert({head, kind, words.word()});
  }
  return out;
}

void write_result(const std::string& path, const Result& result, const std::vector<Line>& dram) {
  std::vector<std::uint32_t> out;
  std::uint32_t choice_words = 0;
  for (const Choice& choice : result.choices) {
    choice_words += static_cast<std::uint32_t>(2 + choice.dims.size() + choice.tokens.size());
  }
  const auto count = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  out.insert(out.end(), {result.cycles, count(result.done), count(result.pages),
                         count(result.choices), choice_words, result.beats_in, result.beats_kept,
                         result.waits, result.first_beat, result.last_beat});
  for (const auto& done : result.done) out.insert(out.end(), done.begin(), done.end());
  for (const Page& page : result.pages) {
    out.insert(out.end(), {page.kind, page.head, page.index, page.write ? 1U : 0U});
  }
  for (const Choice& choice : result.choices) {
    out.push_back(choice.tag);
    out.insert(out.end(), choice.dims.begin(), choice.dims.end());
    out.push_back(count(choice.tokens));
    out.insert(out.end(), choice.tokens.begin(), choice.tokens.end());
  }
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(out.data()),
             static_cast<std::streamsize>(out.size() * sizeof(std::uint32_t)));
  file.write(reinterpret_cast<const char*>(dram.data()),
             static_cast<std::streamsize>(dram.size() * sizeof(Line)));
}

}  // namespace sparf_case
