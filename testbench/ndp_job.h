// SPDX-License-Identifier: Apache-2.0
//
// A job of ndp_main: a line of `key=value` words.
//   engine=rtl|cycle|both
//   check=0|1          outputs against the value model
//   times=N            the descriptor so often, the next one offered while the unit works
//   skip=0|1           no clock while the unit is quiet
//   replay=0|1         time the engine alone: a second unit gets the same inputs in the same
//   cycles,
//                      without the memory
//   then               the words behind it are of one more descriptor, given behind those before it
//   broken=FIELD       the descriptor breaks the rule of this field (dimm_ndp_pkg) and is refused
//   image=FILE         descriptor and contents; without it a random job of
//   op func plus limit bf16 tokens pass in mid rows weights repeats contents=tame|wild|any seed
//   out=FILE           the bursts written: stream, burst, 64 bytes
//   pairs=FILE         with both engines: their pairs of states (state_pairs.h)
//   record=FILE        with the RTL: the messages of all of its streams (port_record.h)
//   latency rate=BURSTS/CYCLES window traffic (seed)
//   req rsp outp done  pauses, per mille
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/ndp_case.h"
#include "testbench/ndp_memory.h"

namespace neardata::bench {

/// A random descriptor with its contents.
struct Part {
  Shape shape;
  Contents contents = Contents::kTame;
  std::uint64_t seed = 1;
  std::uint32_t broken = 0;  ///< field for which it is refused, or none
};

struct Job : Part {
  std::string engine = "rtl";
  bool check = true;
  bool skip = false;
  bool replay = false;
  std::uint32_t times = 1;
  std::string image;
  std::string out;
  std::string pairs;
  std::string record;
  std::vector<Part> then;
  Traffic traffic;
};

/// @throws std::runtime_error that names an unknown word
[[nodiscard]] Job parse_job(const std::string& line);

}  // namespace neardata::bench
