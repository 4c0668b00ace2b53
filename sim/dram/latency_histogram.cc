// SPDX-License-Identifier: Apache-2.0
#include "dram/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace neardata::dram {

std::size_t LatencyHistogram::bucket(std::uint64_t latency) {
  if (latency < kExact) return latency;
  const unsigned octave = static_cast<unsigned>(std::bit_width(latency)) - kExactBits - 1;
  const std::uint64_t step = (latency >> (octave + 1)) - kSteps;
  return kExact + octave * kSteps + step;
}

std::uint64_t LatencyHistogram::lower_edge(std::size_t bucket) {
  if (bucket < kExact) return bucket;
  const std::size_t octave = (bucket - kExact) / kSteps;
  const std::size_t step = (bucket - kExact) % kSteps;
  return (kSteps + step) << (octave + 1);
}

void LatencyHistogram::add(Cycle latency) {
  const auto value = static_cast<std::uint64_t>(latency.value);
  const std::size_t place = bucket(value);
  if (place >= counts_.size()) counts_.resize(place + 1);
  ++counts_[place];
  ++count_;
  sum_ += value;
  largest_ = std::max(largest_, latency);
}

double LatencyHistogram::mean() const {
  return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

Cycle LatencyHistogram::quantile(double fraction) const {
  const double wanted = std::ceil(fraction * static_cast<double>(count_));
  const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= rank) return {static_cast<std::int64_t>(lower_edge(i))};
  }
  return largest_;
}

}  // namespace neardata::dram
