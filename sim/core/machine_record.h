// SPDX-License-Identifier: Apache-2.0
//
// The description of a machine as plain values that outlive it: parts with their ports and clocks,
// and the edges between them with their message counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/part.h"
#include "core/time.h"

namespace neardata::core {

struct ClockRecord {
  std::string name;
  Hertz frequency;
};

struct PortRecord {
  std::string name;
  Direction direction = Direction::kIn;
  std::string message;
  std::string option;  ///< that it belongs to; empty: it must be joined
  bool joined = false;
};

struct PartRecord {
  std::string name;
  std::string kind;
  std::string subsystem;  ///< the group of parts; empty: none
  std::string clock;
  std::vector<PortRecord> ports;
};

struct EdgeRecord {
  PortName from;
  PortName to;
  std::string message;
  std::uint32_t data_bytes = 0;  ///< of each message, where all have as many
  std::string from_clock;
  std::string to_clock;
  std::size_t capacity = 0;
  Cycle latency;               ///< in edges of the receiver's clock
  std::uint64_t messages = 0;  ///< that the receiver has popped
};

struct MachineRecord {
  std::vector<ClockRecord> clocks;
  std::vector<PartRecord> parts;
  std::vector<EdgeRecord> edges;
};

}  // namespace neardata::core
