// SPDX-License-Identifier: Apache-2.0
//
// Requests that wait for one die, oldest first, one line per operation. Programs and erases of one
// block run in the order of their arrival: an operation with an older one of its block in the queue
// cannot start, neither alone nor as the partner of another plane. NAND requires this order, so two
// planes share a command only if it is preserved.
//
// The work of a command is removed in constant time per plane, independent of the length of the
// queue, except for requests that wait for an older erase or program of their block. An index maps
// (plane, page number) to the requests with this address.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "flash/types.h"

namespace neardata::flash {

/// Index of a request in the channel's pool.
using PageSlot = std::uint32_t;

/// Pages that go to the die in one command, in queue order.
struct CommandPages {
  std::array<PageSlot, kMaxPlanes> slots{};
  std::uint32_t count = 0;
};

class DieQueue {
 public:
  /// Multi-plane commands are formed only when the die has more than one plane.
  explicit DieQueue(std::uint32_t planes) : planes_(planes) {}

  void push(PageSlot slot, const PageRequest& request);

  /// Whether a request of this kind can start.
  [[nodiscard]] bool ready(Operation operation) const { return startable_[index(operation)] > 0; }

  /// Removes the oldest request that can start and, for every other plane, the oldest one that can
  /// start with the same page number (erases: any block). Precondition: ready.
  CommandPages take(Operation operation);

 private:
  using NodeIndex = std::uint32_t;
  static constexpr NodeIndex kNone = 0xffffffffU;
  struct List {
    NodeIndex head = kNone;
    NodeIndex tail = kNone;
  };
  /// The neighbours of a request in a list.
  struct Links {
    NodeIndex previous = kNone;
    NodeIndex next = kNone;
  };
  struct Node {
    PageSlot slot = 0;
    Operation operation = Operation::kRead;
    std::uint64_t order = 0;
    std::uint32_t plane = 0;
    std::uint32_t block = 0;
    std::uint32_t page = 0;
    bool startable = true;
    Links line;        ///< of its operation
    Links same_place;  ///< and its plane and page number
    NodeIndex next_of_block = kNone;
  };
  using Lines = std::unordered_map<std::uint64_t, List>;

  static constexpr std::size_t index(Operation operation) {
    return static_cast<std::size_t>(operation);
  }
  static std::uint64_t key(std::uint32_t plane, std::uint32_t number) {
    return (std::uint64_t{plane} << 32U) | number;
  }
  NodeIndex new_node(PageSlot slot, const PageRequest& request);
  void append(List& line, NodeIndex added, Links Node::*links);
  void unlink(List& line, NodeIndex taken, Links Node::*links);
  [[nodiscard]] NodeIndex first_startable(NodeIndex from, Links Node::*links) const;
  [[nodiscard]] NodeIndex partner(const Lines& places, std::uint32_t plane,
                                  std::uint32_t page) const;
  /// Behind older programs and erases of its block.
  void join_block(NodeIndex added);
  void leave_block(const Node& node);
  void remove(NodeIndex taken);

  std::uint32_t planes_;
  std::uint64_t pushed_ = 0;
  std::vector<Node> nodes_;
  std::vector<NodeIndex> free_nodes_;
  std::array<List, kOperations> lines_{};
  std::array<std::uint64_t, kOperations> startable_{};  ///< requests
  std::array<Lines, kOperations> places_{};             ///< by plane and page number
  Lines blocks_;                                        ///< programs and erases by plane and block
};

}  // namespace neardata::flash
