// SPDX-License-Identifier: Apache-2.0
//
// A page that is read from flash, by the engine or by the cleaner: how often it was tried, and what
// came of the last time.
#pragma once

#include <cstdint>

#include "core/time.h"
#include "flash/types.h"

namespace neardata::system {

enum class PageVerdict : std::uint8_t {
  kGood,
  kRetry,          ///< the code failed, and the page is to be read again
  kUncorrectable,  ///< for good
  kWrong,          ///< corrected, but not what was written
};

struct PageReading {
  core::Fs asked;             ///< of the flash; of a program: when the die had its bytes
  std::uint32_t attempt = 0;  ///< reads that have begun to leave the die
  PageVerdict verdict = PageVerdict::kGood;
  flash::Tick known;  ///< the verdict of the last of them
};

}  // namespace neardata::system
