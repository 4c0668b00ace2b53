// SPDX-License-Identifier: Apache-2.0
//
// Reads a request trace from pieces of text as they come: a header `id,arrival,op,addr`, then one
// request a line. Ids are decimal, arrivals decimal and never going back, operations R or W,
// addresses hexadecimal with 0x, aligned to an access and within the capacity. Lines end in LF.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "dram/types.h"

namespace neardata::dram {

struct TraceRequest {
  std::uint64_t id = 0;
  Cycle arrival;
  Operation operation = Operation::kRead;
  std::uint64_t address = 0;
};

/// What is wrong with a trace and in which line, counted from 1.
struct TraceError {
  std::uint64_t line = 0;
  std::string what;
};

class TraceReader {
 public:
  struct Rules {
    std::uint32_t access_bytes = 64;
    std::uint64_t capacity_bytes = 0;
    Cycle latest_arrival;
  };

  explicit TraceReader(Rules rules) : rules_(rules) {}

  /// Hands every request that `text` completes to `take`, which returns what is wrong with it or
  /// nothing. After an error nothing more may be read.
  template <typename Take>
  [[nodiscard]] std::optional<TraceError> read(std::string_view text, Take take) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) return keep(text);
      std::string_view line = text.substr(0, end);
      if (!partial_.empty()) {
        partial_.append(line);
        line = partial_;
      }
      if (auto error = read_line(line, take)) return error;
      partial_.clear();
      text.remove_prefix(end + 1);
    }
    return std::nullopt;
  }

  /// Says that the text has ended: takes a last line without LF and complains of an empty trace.
  template <typename Take>
  [[nodiscard]] std::optional<TraceError> finish(Take take) {
    if (!partial_.empty()) {
      if (auto error = read_line(partial_, take)) return error;
    }
    return check_not_empty();
  }

  /// An error in the line that was read last.
  [[nodiscard]] TraceError error(std::string what) const { return {lines_, std::move(what)}; }

  /// Lines read so far.
  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  [[nodiscard]] std::uint64_t requests() const { return lines_ == 0 ? 0 : lines_ - 1; }

 private:
  template <typename Take>
  std::optional<TraceError> read_line(std::string_view line, Take& take) {
    ++lines_;
    if (lines_ == 1) return check_header(line);
    TraceRequest request;
    if (auto error = parse(line, request)) return error;
    if (std::optional<std::string> problem = take(request)) return error(*std::move(problem));
    return std::nullopt;
  }

  std::optional<TraceError> keep(std::string_view text);
  [[nodiscard]] std::optional<TraceError> check_header(std::string_view line) const;
  [[nodiscard]] std::optional<TraceError> check_not_empty() const;
  std::optional<TraceError> parse(std::string_view line, TraceRequest& request);

  Rules rules_;
  std::uint64_t lines_ = 0;
  Cycle last_arrival_;
  std::string partial_;
};

}  // namespace neardata::dram
