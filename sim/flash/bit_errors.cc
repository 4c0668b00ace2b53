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

/// Wrong bits of `bits`, each of them with probability `rate`, by inversion of the binomial
/// distribution. It is worked in parts with a mean of 32 at most, so that (1 - rate)^bits does not
/// vanish; above a half the bits that are right are counted.
std::uint32_t wrong_bits(std::uint32_t bits, double rate, std::uint64_t key) {
  constexpr double kPart = 32;
  if (rate > 0.5) return bits - wrong_bits(bits, 1 - rate, key);
  if (rate <= 0) return 0;
  const auto most = static_cast<std::uint32_t>(std::min<double>(bits, std::floor(kPart / rate)));
  const double odds = rate / (1 - rate);
  std::uint32_t count = 0;
  for (std::uint32_t part = 0; bits > 0; bits -= part, key = mix(key)) {
    part = std::min(bits, most);
    const double draw = uniform(key);
    double term = std::exp(part * std::log1p(-rate));
    double below = term;
    for (std::uint32_t n = 0; draw >= below && n < part && term > 0; ++count) {
      term *= odds * (part - n) / (n + 1);
      ++n;
      below += term;
    }
  }
  return count;
}

/// Bits of a codeword of a page, with its parity.
std::uint32_t codeword_bits(const BitErrorModel& model, std::uint32_t page_bytes,
                            std::uint32_t codeword) {
  constexpr std::uint64_t kByte = 8;
  const std::uint64_t before = std::uint64_t{codeword} * model.codeword_bytes;
  const std::uint64_t data = std::min<std::uint64_t>(model.codeword_bytes, page_bytes - before);
  const std::uint64_t parity =
      (data * model.parity_bytes + model.codeword_bytes - 1) / model.codeword_bytes;
  return static_cast<std::uint32_t>(kByte * (data + parity));
}

}  // namespace

SensedPage sense(const BitErrorModel& model, const Place& place, std::uint32_t bytes,
                 std::uint64_t reading, std::uint32_t attempt) {
  const PageAddress& address = place.address;
  SensedPage page;
  if (model.raw_rate <= 0) return page;
  const std::vector<double>& types = model.by_page_type;
  const double type = types.empty() ? 1 : types[address.page % types.size()];
  const double rate = std::min(1.0, type * model.raw_rate / std::pow(model.retry_gain, attempt));
  std::uint64_t key = mix(model.seed);
  for (const std::uint64_t part : {std::uint64_t{place.channel}, std::uint64_t{address.die},
                                   std::uint64_t{address.plane}, std::uint64_t{address.block},
                                   std::uint64_t{address.page}, reading, std::uint64_t{attempt}}) {
    key = mix(key ^ part);
  }
  const std::uint32_t codewords =
      std::max(1U, (bytes + model.codeword_bytes - 1) / model.codeword_bytes);
  for (std::uint32_t i = 0; i < codewords; ++i) {
    const std::uint32_t errors = wrong_bits(codeword_bits(model, bytes, i), rate, mix(key + i));
    page.worst_codeword_errors = std::max(page.worst_codeword_errors, errors);
    page.corrected_bits += errors;
  }
  page.correctable = page.worst_codeword_errors <= model.correctable_bits;
  return page;
}

}  // namespace neardata::flash
