// SPDX-License-Identifier: Apache-2.0
#include "link/ideal_link.h"

#include <algorithm>

namespace neardata::link {

using core::Fs;

core::Expected<Fs> IdealLink::step(Fs now) {
  while (ends_.credits->front(now) != nullptr) ends_.credits->pop(now);
  while (!wire_.empty() && wire_.front().arrival <= now) {
    if (!ends_.output->try_push(now, wire_.front().packet)) break;
    ++counters_.packets;
    counters_.payload_bytes += wire_.front().packet.payload().size();
    wire_.pop_front();
  }
  while (lanes_free_ <= now) {
    const Packet* packet = ends_.input->front(now);
    if (packet == nullptr) break;
    const core::Cycle length = config_.wire_cycles(packet->payload().size());
    lanes_free_ = now + clock_.edge(length);
    counters_.busy_cycles += length.value;
    counters_.wire_bytes += packet->payload().size();
    wire_.push_back({lanes_free_ + clock_.edge(config_.latency), *packet});
    ends_.input->pop(now);
  }
  Fs next = ends_.credits->front_time();
  // Where the output is full its reader wakes this link.
  if (!wire_.empty() && wire_.front().arrival > now) next = std::min(next, wire_.front().arrival);
  const Fs input = ends_.input->front_time();
  return input == core::kNever ? next : std::min(next, std::max(input, lanes_free_));
}

}  // namespace neardata::link
