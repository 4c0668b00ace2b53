// SPDX-License-Identifier: Apache-2.0
#include "system/flash/flash_writer.h"

#include <algorithm>
#include <utility>

namespace neardata::system {

FlashWriter::FlashWriter(const flash::DeviceShape& device)
    : device_(device),
      planes_(std::size_t{device.channels} * device.channel.dies * device.channel.planes) {}

FlashWriter::Id FlashWriter::add(FlashWrite write) {
  Id id{static_cast<std::uint32_t>(writes_.size())};
  if (free_.empty()) {
    writes_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Plane& plane = plane_of(write.work.place);
  writes_[id.value] = std::move(write);
  plane.waiting.push_back(id);
  touch(plane);
  ++outstanding_;
  return id;
}

void FlashWriter::gathered(Id id) {
  FlashWrite& write = writes_[id.value];
  write.gathering = false;
  touch(plane_of(write.work.place));
}

void FlashWriter::touch(Plane& plane) {
  if (!std::exchange(plane.changed, true)) changed_.push_back(&plane);
}

void FlashWriter::start(std::vector<Id>& ready) {
  for (Plane* plane : changed_) {
    plane->changed = false;
    while (!plane->waiting.empty()) {
      const Id next = plane->waiting.front();
      if (at(next).gathering) break;
      if (!plane->running.empty() &&
          at(plane->running.front()).work.operation != at(next).work.operation) {
        break;
      }
      plane->waiting.pop_front();
      plane->running.push_back(next);
      ready.push_back(next);
    }
  }
  changed_.clear();
}

FlashWrite FlashWriter::finish(Id id) {
  FlashWrite write = std::move(writes_[id.value]);
  Plane& plane = plane_of(write.work.place);
  std::erase(plane.running, id);
  if (plane.running.empty()) touch(plane);
  free_.push_back(id);
  --outstanding_;
  return write;
}

std::vector<FlashWrite> FlashWriter::abandon() {
  std::vector<FlashWrite> rest;
  for (Plane& plane : planes_) {
    for (const std::deque<Id>* line : {&plane.running, &plane.waiting}) {
      for (const Id id : *line) rest.push_back(std::move(writes_[id.value]));
    }
  }
  return rest;
}

FlashWriter::Plane& FlashWriter::plane_of(const flash::Place& place) {
  const std::size_t die = std::size_t{place.channel} * device_.channel.dies + place.address.die;
  return planes_[die * device_.channel.planes + place.address.plane];
}

}  // namespace neardata::system
