// SPDX-License-Identifier: Apache-2.0
#include "link/ideal_link.h"

#include <algorithm>

namespace neardata::link {

using core::Fs;

core::Expected<Fs> IdealLink::step(Fs now) {
  while (credits_in_->front(now) != nullptr) credits_in_->pop(now);
  while (!wire_.empty() && wire_.front().arrival <= now) {
    if (!output_->try_push(now, wire_.front().packet)) break;
    ++counters_.packets;
    counters_.payload_bytes += wire_.front().packet.payload().size();
    wire_.pop_front();
  }
  while (lanes_free_ <= now) {
    const Packet* packet = input_->front(now);
    if (packet == nullptr) break;
    const core::Cycle length = config_.wire_cycles(packet->payload().size());
    lanes_free_ = now + clock().edge(length);
    counters_.busy_cycles += length.value;
    counters_.wire_bytes += packet->payload().size();
    wire_.push_back({lanes_free_ + clock().edge(config_.latency), *packet});
    input_->pop(now);
  }
  Fs next = credits_in_->front_time();
  // Where the output is full its reader wakes this link.
  if (!wire_.empty() && wire_.front().arrival > now) next = std::min(next, wire_.front().arrival);
  const Fs input = input_->front_time();
  return input == core::kNever ? next : std::min(next, std::max(input, lanes_free_));
}

}  // namespace neardata::link
