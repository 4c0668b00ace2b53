// SPDX-License-Identifier: Apache-2.0
#include "link/link.h"

#include <algorithm>
#include <utility>

namespace neardata::link {

using core::Cycle;
using core::Fs;

Link::Link(core::Placement place, const LinkConfig& config, std::uint64_t number)
    : LinkPart(std::move(place), config),
      errors_(config.bit_error_rate, config.seed, number),
      bus_(std::string(name()), config.wires),
      latency_(std::string(name()) + " latency", config.flight),
      credits_(config.credits) {}

core::Expected<Fs> Link::step(Fs now) {
  const Cycle cycle = clock().at_or_after(now);
  if (clock().edge(cycle) != now) return clock().edge(cycle);  // woken between two edges
  receive(cycle);
  hear(cycle);
  send(cycle);
  if (error_) return std::unexpected(*error_);
  return next_work();
}

void Link::receive(Cycle now) {
  while (!wire_.empty() && wire_.front().arrival <= now) {
    const OnWire arrived = std::move(wire_.front());
    wire_.pop_front();
    const Fs time = clock().edge(arrived.arrival);
    const core::ByteCount bytes{static_cast<std::int64_t>(arrived.packet->wire_bytes())};
    keep(bus_.transfer(bytes, time));
    keep(latency_.answer(arrived.sent + config_.wires.time_for(bytes), time));
    const Cycle heard = arrived.arrival + config_.latency;
    if (!arrived.packet->intact()) {
      ++counters_.corrupt;
      answers_.push_back({heard, false, expected_});
    } else if (arrived.packet->header().sequence != expected_) {
      ++counters_.out_of_order;
    } else {
      answers_.push_back({heard, true, expected_++});
      ++counters_.packets;
      counters_.payload_bytes += arrived.packet->payload().size();
      if (!output_->try_push(time, *arrived.packet)) {
        keep(core::SimError{core::Fault::kProtocol, std::string(name()),
                            "more packets than credits", time});
      }
    }
  }
}

void Link::hear(Cycle now) {
  while (!answers_.empty() && answers_.front().arrival <= now) {
    const Answer answer = answers_.front();
    answers_.pop_front();
    const auto oldest =
        static_cast<std::uint16_t>(next_sequence_ - static_cast<std::uint16_t>(unanswered_.size()));
    const auto place = static_cast<std::uint16_t>(answer.sequence - oldest);
    if (place >= unanswered_.size()) continue;  // refused twice, and sent again since
    if (answer.intact) {
      unanswered_.pop_front();
      --resend_;
    } else {
      resend_ = place;
    }
  }
  const Fs time = clock().edge(now);
  while (credits_in_->front(time) != nullptr) {
    credits_in_->pop(time);
    ++credits_;
  }
}

void Link::send(Cycle now) {
  if (lanes_free_ > now) return;
  if (resend_ < unanswered_.size()) {
    transmit(unanswered_[resend_++], now);
    return;
  }
  const Fs time = clock().edge(now);
  const Packet* packet = input_->front(time);
  if (packet == nullptr) return;
  if (credits_ == 0) {
    if (!std::exchange(waiting_, true)) ++counters_.waits;
    return;
  }
  waiting_ = false;
  --credits_;
  unanswered_.push_back(*packet);
  input_->pop(time);
  unanswered_.back().seal(next_sequence_++);
  ++resend_;
  transmit(unanswered_.back(), now);
}

void Link::transmit(const Packet& packet, Cycle now) {
  const Cycle length = config_.wire_cycles(packet.wire_bytes());
  lanes_free_ = now + length;
  counters_.busy_cycles += length.value;
  counters_.wire_bytes += packet.wire_bytes();
  auto sent = std::make_unique<Packet>(packet);
  errors_.pass(*sent);
  wire_.push_back({lanes_free_ + config_.latency, clock().edge(now), std::move(sent)});
}

Fs Link::next_work() const {
  Fs next = credits_in_->front_time();
  if (!wire_.empty()) next = std::min(next, clock().edge(wire_.front().arrival));
  if (!answers_.empty()) next = std::min(next, clock().edge(answers_.front().arrival));
  const Fs free = clock().edge(lanes_free_);
  if (resend_ < unanswered_.size()) return std::min(next, free);
  if (credits_ == 0) return next;
  const Fs input = input_->front_time();
  return input == core::kNever ? next : std::min(next, std::max(input, free));
}

std::optional<std::string> Link::waits_for() const {
  const std::size_t waiting = unanswered_.size() + input_->size();
  if (waiting == 0) return std::nullopt;
  return std::to_string(waiting) + " packets to get through";
}

}  // namespace neardata::link
