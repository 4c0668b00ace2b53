// SPDX-License-Identifier: Apache-2.0
#include "flash/die_queue.h"

#include <algorithm>

namespace neardata::flash {

void DieQueue::push(PageSlot slot, const PageRequest& request) {
  const NodeIndex added = new_node(slot, request);
  const Node& node = nodes_[added];
  append(lines_[index(node.operation)], added, &Node::line);
  if (node.operation != Operation::kRead) join_block(added);
  if (node.startable) ++startable_[index(node.operation)];
  if (planes_ == 1) return;
  append(places_[index(node.operation)][key(node.plane, node.page)], added, &Node::same_place);
}

CommandPages DieQueue::take(Operation operation) {
  std::array<NodeIndex, kMaxPlanes> taken{};
  std::uint32_t count = 0;
  taken[count++] = first_startable(lines_[index(operation)].head, &Node::line);
  if (planes_ > 1) {
    const Node& leader = nodes_[taken[0]];
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
      if (plane == leader.plane) continue;
      const NodeIndex other = partner(places_[index(operation)], plane, leader.page);
      if (other != kNone) taken[count++] = other;
    }
    std::sort(taken.begin(), taken.begin() + count,
              [this](NodeIndex a, NodeIndex b) { return nodes_[a].order < nodes_[b].order; });
  }
  CommandPages pages;
  for (std::uint32_t i = 0; i < count; ++i) {
    pages.slots[pages.count++] = nodes_[taken[i]].slot;
    remove(taken[i]);
  }
  return pages;
}

DieQueue::NodeIndex DieQueue::new_node(PageSlot slot, const PageRequest& request) {
  NodeIndex added = static_cast<NodeIndex>(nodes_.size());
  if (free_nodes_.empty()) {
    nodes_.emplace_back();
  } else {
    added = free_nodes_.back();
    free_nodes_.pop_back();
  }
  Node node;
  node.slot = slot;
  node.operation = request.operation;
  node.order = pushed_++;
  node.plane = request.address.plane;
  node.block = request.address.block;
  node.page = request.operation == Operation::kErase ? 0 : request.address.page;
  nodes_[added] = node;
  return added;
}

void DieQueue::append(List& line, NodeIndex added, Links Node::*links) {
  (nodes_[added].*links).previous = line.tail;
  (line.tail == kNone ? line.head : (nodes_[line.tail].*links).next) = added;
  line.tail = added;
}

void DieQueue::unlink(List& line, NodeIndex taken, Links Node::*links) {
  const Links own = nodes_[taken].*links;
  (own.previous == kNone ? line.head : (nodes_[own.previous].*links).next) = own.next;
  (own.next == kNone ? line.tail : (nodes_[own.next].*links).previous) = own.previous;
}

DieQueue::NodeIndex DieQueue::first_startable(NodeIndex from, Links Node::*links) const {
  while (from != kNone && !nodes_[from].startable) from = (nodes_[from].*links).next;
  return from;
}

DieQueue::NodeIndex DieQueue::partner(const Lines& places, std::uint32_t plane,
                                      std::uint32_t page) const {
  const auto found = places.find(key(plane, page));
  if (found == places.end()) return kNone;
  return first_startable(found->second.head, &Node::same_place);
}

void DieQueue::join_block(NodeIndex added) {
  Node& node = nodes_[added];
  List& block = blocks_[key(node.plane, node.block)];
  node.startable = block.tail == kNone;
  (block.tail == kNone ? block.head : nodes_[block.tail].next_of_block) = added;
  block.tail = added;
}

/// It could start, so it is the oldest of its block; the next operation can start.
void DieQueue::leave_block(const Node& node) {
  const auto block = blocks_.find(key(node.plane, node.block));
  if (node.next_of_block == kNone) {
    blocks_.erase(block);
    return;
  }
  block->second.head = node.next_of_block;
  Node& next = nodes_[node.next_of_block];
  next.startable = true;
  ++startable_[index(next.operation)];
}

void DieQueue::remove(NodeIndex taken) {
  const Node& node = nodes_[taken];
  const std::size_t operation = index(node.operation);
  unlink(lines_[operation], taken, &Node::line);
  --startable_[operation];
  if (node.operation != Operation::kRead) leave_block(node);
  free_nodes_.push_back(taken);

  if (planes_ == 1) return;
  const auto place = places_[operation].find(key(node.plane, node.page));
  unlink(place->second, taken, &Node::same_place);
  if (place->second.head == kNone) places_[operation].erase(place);
}

}  // namespace neardata::flash
