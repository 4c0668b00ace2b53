// SPDX-License-Identifier: Apache-2.0
//
// Raw bit errors of page reads, and the result of the error-correcting code. Every bit of a
// codeword is wrong with the same probability, data and parity alike, so that the errors of a
// codeword have a binomial distribution. Their number is a function of seed, page, number of reads
// and attempt: a run is reproducible, and the errors of a read do not depend on the order of other
// reads.
#pragma once

#include <cstdint>
#include <vector>

#include "flash/types.h"

namespace neardata::flash {

struct BitErrorModel {
  double raw_rate = 0;                  ///< raw bit errors per bit read with default thresholds
  double retry_gain = 4;                ///< each retry divides the rate by this
  std::uint32_t codeword_bytes = 1024;  ///< of data
  std::uint32_t parity_bytes = 0;  ///< of a codeword; a shorter one has as large a share of them
  std::uint32_t correctable_bits = 40;  ///< per codeword
  std::uint32_t most_retries = 5;
  std::vector<double> by_page_type;  ///< factors of the rate, cyclic by page number; none: all 1
  std::uint64_t seed = 0;
};

/// A page read once: errors in its worst codeword, and whether all codewords were corrected.
struct SensedPage {
  std::uint32_t worst_codeword_errors = 0;
  std::uint32_t corrected_bits = 0;
  bool correctable = true;
};

/// Samples the errors of attempt `attempt` (0 first) of the `reading`-th read of a page with
/// `bytes` of data.
SensedPage sense(const BitErrorModel& model, const Place& place, std::uint32_t bytes,
                 std::uint64_t reading, std::uint32_t attempt);

}  // namespace neardata::flash
