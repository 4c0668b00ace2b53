// SPDX-License-Identifier: Apache-2.0
#include "dram/trace/trace_reader.h"

#include <array>
#include <charconv>

namespace neardata::dram {
namespace {

constexpr std::array<std::string_view, 4> kColumns = {"id", "arrival", "op", "addr"};
constexpr std::string_view kHeader = "id,arrival,op,addr";
constexpr std::size_t kLongestLine = 256;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
/// Ids that a double, and so a script that reads the results, represents exactly.
constexpr std::uint64_t kIdsEnd = std::uint64_t{1} << 53U;

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string out = "\"";
  for (const char c : text.substr(0, kShown)) out += (c >= ' ' && c <= '~') ? c : '?';
  return out + (text.size() > kShown ? "...\"" : "\"");
}

template <typename Number>
bool parse_number(std::string_view text, int base, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number, base);
  return problem == std::errc{} && stop == end && !text.empty();
}

/// Splits at commas. Returns the number of fields, at most one more than the capacity.
std::size_t split(std::string_view line, std::array<std::string_view, kColumns.size()>& fields) {
  std::size_t count = 0;
  while (true) {
    const std::size_t comma = line.find(',');
    if (count == fields.size()) return count + 1;
    fields[count++] = line.substr(0, comma);
    if (comma == std::string_view::npos) return count;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

std::optional<TraceError> TraceReader::keep(std::string_view text) {
  partial_.append(text);
  if (partial_.size() <= kLongestLine) return std::nullopt;
  ++lines_;
  return check_length(partial_);
}

std::optional<TraceError> TraceReader::check_length(std::string_view line) const {
  if (line.size() <= kLongestLine) return std::nullopt;
  return error("a line must not be longer than " + std::to_string(kLongestLine) + " bytes");
}

std::optional<TraceError> TraceReader::check_header(std::string_view line) const {
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  if (line == kHeader) return std::nullopt;
  for (const std::string_view column : kColumns) {
    if (line.find(column) == std::string_view::npos) {
      return error("the header must be " + std::string(kHeader) + "; column \"" +
                   std::string(column) + "\" is missing");
    }
  }
  return error("the header must be " + std::string(kHeader) + ", not " + quoted(line));
}

std::optional<TraceError> TraceReader::check_end() const {
  if (lines_ == 0) return TraceError{1, "the trace is empty"};
  if (lines_ == 1) return TraceError{1, "the trace has a header but no requests"};
  return std::nullopt;
}

std::optional<TraceError> TraceReader::parse(std::string_view line, TraceRequest& request) {
  std::array<std::string_view, kColumns.size()> fields;
  const std::size_t count = split(line, fields);
  if (count != kColumns.size()) {
    return error("a request has " + std::to_string(kColumns.size()) + " columns (" +
                 std::string(kHeader) + "), this line has " +
                 (count > kColumns.size() ? "more" : std::to_string(count)));
  }
  const auto& [id, arrival, operation, address] = fields;
  if (!parse_number(id, 10, request.id)) {
    return error("the id must be a decimal number, not " + quoted(id));
  }
  if (request.id >= kIdsEnd) {
    return error("the id must be less than 2^53, not " + quoted(id));
  }
  if (!parse_number(arrival, 10, request.arrival.value) || request.arrival.value < 0 ||
      request.arrival > rules_.latest_arrival) {
    return error("the arrival must be a decimal number of cycles up to " +
                 std::to_string(rules_.latest_arrival.value) + ", not " + quoted(arrival));
  }
  const char letter = operation.size() == 1 ? operation.front() : ' ';
  const bool is_read = letter == 'R' || letter == 'r';
  if (!is_read && letter != 'W' && letter != 'w') {
    return error("the operation must be R or W, not " + quoted(operation));
  }
  const bool is_hexadecimal = address.starts_with("0x") || address.starts_with("0X");
  if (is_hexadecimal ? !parse_number(address.substr(2), 16, request.address)
                     : !parse_number(address, 10, request.address)) {
    return error("the address must be decimal, or hexadecimal with 0x, not " + quoted(address));
  }
  if (request.address % rules_.access_bytes != 0) {
    return error("address " + std::string(address) + " is not aligned to " +
                 std::to_string(rules_.access_bytes) + " bytes");
  }
  if (request.address >= rules_.capacity_bytes) {
    return error("address " + std::string(address) + " is beyond the capacity of " +
                 std::to_string(rules_.capacity_bytes) + " bytes");
  }
  request.operation = is_read ? Operation::kRead : Operation::kWrite;
  switch (ids_.add(request.id)) {
    case IdSet::Added::kTwice:
      return error("the id " + std::string(id) + " occurs twice");
    case IdSet::Added::kTooMany:
      return error("the ids lie in more than " + std::to_string(kMostIdGroups) +
                   " groups of 64; number the requests in order");
    case IdSet::Added::kNew:
      break;
  }
  return std::nullopt;
}

}  // namespace neardata::dram
