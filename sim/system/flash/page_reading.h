// SPDX-License-Identifier: Apache-2.0
//
// A page that is read from flash, by the engine or by the garbage collector: the number of its
// attempts and the decoding result of the last one.
#pragma once

#include <cstdint>

#include "core/time.h"
#include "flash/types.h"

namespace neardata::system {

enum class DecodingResult : std::uint8_t {
  kGood,
  kRetry,          ///< the code failed, and the page is read once more
  kUncorrectable,  ///< for good
  kWrong,          ///< corrected, but not the bytes that were written
};

struct PageReading {
  core::Fs asked;             ///< by the flash; of a program: when the die had its bytes
  std::uint32_t attempt = 0;  ///< reads that have begun to leave the die
  DecodingResult result = DecodingResult::kGood;
  flash::Tick known;  ///< when the decoder has the result of the last attempt
};

}  // namespace neardata::system
