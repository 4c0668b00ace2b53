// SPDX-License-Identifier: Apache-2.0
#include "flash/die_queue.h"

#include <algorithm>

namespace neardata::flash {

void DieQueue::push(Slot slot, const PageRequest& request) {
  const NodeIndex added = new_node(slot, request);
  Node& node = nodes_[added];
  Line& line = lines_[index(request.operation)];
  node.previous = line.tail;
  (line.tail == kNone ? line.head : nodes_[line.tail].next) = added;
  line.tail = added;

  if (planes_ == 1) return;
  Line& same = places_[index(request.operation)][place(node.plane, node.page)];
  (same.tail == kNone ? same.head : nodes_[same.tail].next_same_place) = added;
  same.tail = added;
}

CommandPages DieQueue::take(Operation operation) {
  std::array<NodeIndex, kMaxPlanes> taken{};
  std::uint32_t count = 0;
  taken[count++] = lines_[index(operation)].head;
  if (planes_ > 1) {
    const Node& leader = nodes_[taken[0]];
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
      if (plane == leader.plane) continue;
      const NodeIndex partner = oldest_at(places_[index(operation)], plane, leader.page);
      if (partner != kNone) taken[count++] = partner;
    }
    std::sort(taken.begin(), taken.begin() + count,
              [this](NodeIndex a, NodeIndex b) { return nodes_[a].order < nodes_[b].order; });
  }
  CommandPages pages;
  for (std::uint32_t i = 0; i < count; ++i) {
    pages.slots[pages.count++] = nodes_[taken[i]].slot;
    remove(operation, taken[i]);
  }
  return pages;
}

DieQueue::NodeIndex DieQueue::new_node(Slot slot, const PageRequest& request) {
  NodeIndex added = static_cast<NodeIndex>(nodes_.size());
  if (free_nodes_.empty()) {
    nodes_.emplace_back();
  } else {
    added = free_nodes_.back();
    free_nodes_.pop_back();
  }
  Node node;
  node.slot = slot;
  node.order = pushed_++;
  node.plane = request.address.plane;
  node.page = request.operation == Operation::kErase ? 0 : request.address.page;
  nodes_[added] = node;
  return added;
}

DieQueue::NodeIndex DieQueue::oldest_at(const PlaceIndex& places, std::uint32_t plane,
                                        std::uint32_t page) {
  const auto found = places.find(place(plane, page));
  return found == places.end() ? kNone : found->second.head;
}

void DieQueue::remove(Operation operation, NodeIndex taken) {
  const Node& node = nodes_[taken];
  Line& line = lines_[index(operation)];
  (node.previous == kNone ? line.head : nodes_[node.previous].next) = node.next;
  (node.next == kNone ? line.tail : nodes_[node.next].previous) = node.previous;
  free_nodes_.push_back(taken);

  if (planes_ == 1) return;
  PlaceIndex& places = places_[index(operation)];
  const auto found = places.find(place(node.plane, node.page));
  found->second.head = node.next_same_place;  // a taken request is the oldest of its place
  if (node.next_same_place == kNone) places.erase(found);
}

}  // namespace neardata::flash
