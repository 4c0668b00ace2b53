// SPDX-License-Identifier: Apache-2.0
//
// Requests that wait for one die, oldest first, one line per operation. Taking a command's worth
// of work costs a constant time per plane however long the line is: next to the line stands an
// index from (plane, page number) to the oldest request with that place.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "flash/types.h"

namespace neardata::flash {

/// Index of a request in the channel's pool.
using Slot = std::uint32_t;

/// Pages that go to the die in one command, in queue order.
struct CommandPages {
  std::array<Slot, kMaxPlanes> slots{};
  std::uint32_t count = 0;
};

class DieQueue {
 public:
  /// Multi-plane commands are formed only when the die has more than one plane.
  explicit DieQueue(std::uint32_t planes) : planes_(planes) {}

  void push(Slot slot, const PageRequest& request);

  [[nodiscard]] bool empty(Operation operation) const {
    return lines_[index(operation)].head == kNone;
  }

  /// The oldest request and, for every other plane, the oldest one with the same page number
  /// (erases: any block). Precondition: not empty.
  CommandPages take(Operation operation);

 private:
  using NodeIndex = std::uint32_t;
  static constexpr NodeIndex kNone = 0xffffffffU;
  struct Line {
    NodeIndex head = kNone;
    NodeIndex tail = kNone;
  };
  struct Node {
    Slot slot = 0;
    std::uint64_t order = 0;
    std::uint32_t plane = 0;
    std::uint32_t page = 0;
    NodeIndex previous = kNone;
    NodeIndex next = kNone;
    NodeIndex next_same_place = kNone;
  };
  using PlaceIndex = std::unordered_map<std::uint64_t, Line>;

  static constexpr std::size_t index(Operation operation) {
    return static_cast<std::size_t>(operation);
  }
  static std::uint64_t place(std::uint32_t plane, std::uint32_t page) {
    return (std::uint64_t{plane} << 32U) | page;
  }
  NodeIndex new_node(Slot slot, const PageRequest& request);
  static NodeIndex oldest_at(const PlaceIndex& places, std::uint32_t plane, std::uint32_t page);
  void remove(Operation operation, NodeIndex taken);

  std::uint32_t planes_;
  std::uint64_t pushed_ = 0;
  std::vector<Node> nodes_;
  std::vector<NodeIndex> free_nodes_;
  std::array<Line, kOperations> lines_{};
  std::array<PlaceIndex, kOperations> places_{};
};

}  // namespace neardata::flash
