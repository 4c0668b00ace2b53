// SPDX-License-Identifier: Apache-2.0
#include "flash/bit_errors.h"

#include <algorithm>
#include <cmath>

#include "core/splitmix64.h"

namespace neardata::flash {

namespace {

/// A hash of a counter, good enough to draw from.
std::uint64_t mix(std::uint64_t x) { return core::SplitMix64(x).next(); }

double uniform(std::uint64_t bits) { return static_cast<double>(bits >> 11U) * 0x1p-53; }

/// Poisson by inversion, a large mean in parts so that exp(-mean) does not vanish.
std::uint32_t poisson(double mean, std::uint64_t key) {
  constexpr double kPart = 32;
  std::uint32_t count = 0;
  for (; mean > 0; mean -= kPart, key = mix(key)) {
    const double part = std::min(mean, kPart);
    const double draw = uniform(key);
    double term = std::exp(-part);
    double below = term;
    for (std::uint32_t n = 1; draw >= below && term > 0; ++n, ++count) {
      term *= part / n;
      below += term;
    }
  }
  return count;
}

}  // namespace

SensedPage sense(const BitErrorModel& model, std::uint32_t channel, const PageAddress& address,
                 std::uint32_t bytes, std::uint64_t reading, std::uint32_t attempt) {
  SensedPage page;
  if (model.raw_rate <= 0) return page;
  const std::vector<double>& types = model.by_page_type;
  const double type = types.empty() ? 1 : types[address.page % types.size()];
  const double rate = type * model.raw_rate / std::pow(model.retry_gain, attempt);
  std::uint64_t key = mix(model.seed);
  for (const std::uint64_t part : {std::uint64_t{channel}, std::uint64_t{address.die},
                                   std::uint64_t{address.plane}, std::uint64_t{address.block},
                                   std::uint64_t{address.page}, reading, std::uint64_t{attempt}}) {
    key = mix(key ^ part);
  }
  const std::uint32_t codewords =
      std::max(1U, (bytes + model.codeword_bytes - 1) / model.codeword_bytes);
  const double mean = rate * 8 * std::min(bytes, model.codeword_bytes);
  for (std::uint32_t i = 0; i < codewords; ++i) {
    const std::uint32_t errors = poisson(mean, mix(key + i));
    page.worst_codeword_errors = std::max(page.worst_codeword_errors, errors);
    page.corrected_bits += errors;
  }
  page.correctable = page.worst_codeword_errors <= model.correctable_bits;
  return page;
}

}  // namespace neardata::flash
