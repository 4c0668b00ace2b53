// SPDX-License-Identifier: Apache-2.0
//
// Reads a request trace from pieces of text: a header `id,arrival,op,addr`, then one request per
// line. Ids are decimal, below 2^53 and unique, arrivals decimal, operations R or W in either case,
// addresses decimal or hexadecimal with 0x, aligned to an access and within the capacity. Lines end
// in LF or CR LF. The last line may have no end, and the first line a byte order mark. The replay
// checks the order of arrivals.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "dram/trace/id_set.h"
#include "dram/types.h"

namespace neardata::dram {

struct TraceRequest {
  std::uint64_t id = 0;
  Cycle arrival;
  Operation operation = Operation::kRead;
  std::uint64_t address = 0;
};

/// An error in a trace and its line, counted from 1.
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

  /// Passes every request that `text` completes to `take`, which returns an error text or nothing.
  /// After an error, no more text may be read.
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

  /// Ends the text: reads a last line without an end, rejects an empty trace.
  template <typename Take>
  [[nodiscard]] std::optional<TraceError> finish(Take take) {
    if (!partial_.empty()) {
      if (auto error = read_line(partial_, take)) return error;
      partial_.clear();
    }
    return check_end();
  }

  /// An error in the line that was read last.
  [[nodiscard]] TraceError error(std::string what) const { return {lines_, std::move(what)}; }

  /// Lines read so far.
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

 private:
  template <typename Take>
  std::optional<TraceError> read_line(std::string_view line, Take& take) {
    ++lines_;
    if (auto error = check_length(line)) return error;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (lines_ == 1) return check_header(line);
    TraceRequest request;
    if (auto error = parse(line, request)) return error;
    if (std::optional<std::string> problem = take(request)) return error(*std::move(problem));
    return std::nullopt;
  }

  std::optional<TraceError> keep(std::string_view text);
  [[nodiscard]] std::optional<TraceError> check_header(std::string_view line) const;
  [[nodiscard]] std::optional<TraceError> check_length(std::string_view line) const;
  [[nodiscard]] std::optional<TraceError> check_end() const;
  std::optional<TraceError> parse(std::string_view line, TraceRequest& request);

  /// Groups of 64 distinct ids: 1 GiB for a trace that numbers its requests at random.
  static constexpr std::size_t kMostIdGroups = std::size_t{1} << 25U;

  Rules rules_;
  std::uint64_t lines_ = 0;
  IdSet ids_{kMostIdGroups};
  std::string partial_;
};

}  // namespace neardata::dram
