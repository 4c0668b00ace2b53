// SPDX-License-Identifier: Apache-2.0
//
// Request traces of any bytes: accepted requests obey the rules, an error names an existing line,
// and pieces of any length have the result of the whole. The first byte is the length of the
// pieces.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "dram/trace/trace_reader.h"

namespace {

using namespace neardata::dram;

constexpr TraceReader::Rules kRules{.access_bytes = 64,
                                    .capacity_bytes = std::uint64_t{1} << 34U,
                                    .latest_arrival = Cycle{1 << 30}};

struct Outcome {
  std::vector<std::tuple<std::uint64_t, std::int64_t, Operation, std::uint64_t>> requests;
  std::uint64_t line = 0;
  std::string what;

  bool operator==(const Outcome&) const = default;
};

void require(bool holds) {
  if (!holds) std::abort();
}

Outcome read(std::string_view text, std::size_t piece) {
  TraceReader reader(kRules);
  Outcome out;
  const auto take = [&](const TraceRequest& r) -> std::optional<std::string> {
    // The order of arrivals is a rule of the replay, not of the reader.
    require(r.arrival >= Cycle{} && r.arrival <= kRules.latest_arrival);
    require(r.address % kRules.access_bytes == 0 && r.address < kRules.capacity_bytes);
    out.requests.emplace_back(r.id, r.arrival.value, r.operation, r.address);
    return std::nullopt;
  };
  std::optional<TraceError> error;
  for (; !error && !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    error = reader.read(text.substr(0, piece), take);
  }
  if (!error) error = reader.finish(take);
  if (!error) {
    require(!out.requests.empty() && reader.lines() == out.requests.size() + 1);
    return out;
  }
  require(error->line >= 1 && error->line <= reader.lines() + 1 && !error->what.empty());
  out.line = error->line;
  out.what = std::move(error->what);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  require(read(text, text.size() + 1) == read(text, std::size_t{data[0]} + 1));
  return 0;
}
