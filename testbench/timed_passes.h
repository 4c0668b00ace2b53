// SPDX-License-Identifier: Apache-2.0
//
// How a bench of one unit times itself, in seconds of the processor: a pass begins with its input
// in a file that is in the cache of the system, as messages of a batch are in the memory of
// JavaScript, and ends with its results in memory.
#pragma once

#include <cstdio>
#include <ctime>

namespace neardata::bench {

/// Runs `pass` once to warm up and once more, and prints {"seconds":S,"results":N} of the second
/// one; `pass` returns how many results it has. The exit code: 0, or 1 where a pass returns a
/// negative number.
template <typename Pass>
int timed_passes(Pass pass) {
  if (pass() < 0) return 1;
  const std::clock_t begin = std::clock();
  const long results = pass();
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("{\"seconds\":%.9f,\"results\":%ld}\n", seconds, results);
  return results < 0 ? 1 : 0;
}

}  // namespace neardata::bench
