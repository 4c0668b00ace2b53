// SPDX-License-Identifier: Apache-2.0
#include "link/link.h"

#include <algorithm>
#include <utility>

namespace neardata::link {

using core::Cycle;
using core::Fs;

template <typename P>
Link<P>::Link(core::Placement place, const LinkConfig& config, std::uint64_t number)
    : LinkPart<P>(std::move(place), config),
      errors_(config.bit_error_rate, config.seed, number),
      bus_(std::string(this->name()), config.limits.wires),
      latency_(std::string(this->name()) + " latency", config.limits.flight),
      credits_(config.credits) {}

template <typename P>
core::Expected<Fs> Link<P>::step(Fs now) {
  const Cycle cycle = this->clock().at_or_after(now);
  if (this->clock().edge(cycle) != now)
    return this->clock().edge(cycle);  // woken between two edges
  receive(cycle);
  hear(cycle);
  send(cycle);
  if (error_) return std::unexpected(*error_);
  return next_work();
}

template <typename P>
void Link<P>::receive(Cycle now) {
  while (!wire_.empty() && wire_.front().arrival <= now) {
    const OnWire arrived = std::move(wire_.front());
    wire_.pop_front();
    const Fs time = this->clock().edge(arrived.arrival);
    const core::ByteCount bytes{static_cast<std::int64_t>(arrived.packet->wire_bytes())};
    keep(bus_.transfer(bytes, time));
    keep(latency_.answer(arrived.sent + config_.limits.wires.time_for(bytes), time));
    const Cycle heard = arrived.arrival + config_.latency;
    if (!arrived.packet->intact()) {
      ++counters_.corrupt;
      answers_.push_back({heard, false, expected_});
    } else if (arrived.packet->sequence() == expected_) {
      // Every other intact packet follows a corrupt one and is retransmitted.
      answers_.push_back({heard, true, expected_++});
      counters_.packets += arrived.packet->packets();
      counters_.payload_bytes += arrived.packet->payload_bytes();
      if (!output_->try_push(time, *arrived.packet)) {
        keep(core::SimError{core::Fault::kProtocol, std::string(this->name()),
                            "more packets than credits", time});
      }
    }
  }
}

template <typename P>
void Link<P>::hear(Cycle now) {
  while (!answers_.empty() && answers_.front().arrival <= now) {
    const Answer answer = answers_.front();
    answers_.pop_front();
    const auto oldest =
        static_cast<std::uint16_t>(next_sequence_ - static_cast<std::uint16_t>(unanswered_.size()));
    const auto place = static_cast<std::uint16_t>(answer.sequence - oldest);
    if (place >= unanswered_.size()) continue;  // refused twice, and sent again since
    if (answer.intact) {
      unanswered_.pop_front();
      // A packet that was refused again while its second copy was in flight is not sent again.
      if (resend_ > 0) --resend_;
    } else {
      resend_ = place;
    }
  }
  const Fs time = this->clock().edge(now);
  while (const Credit* credit = credits_in_->front(time)) {
    credits_ += credit->packets;
    credits_in_->pop(time);
  }
}

template <typename P>
void Link<P>::send(Cycle now) {
  if (lanes_free_ > now) return;
  if (resend_ < unanswered_.size()) {
    transmit(unanswered_[resend_++], now);
    return;
  }
  const Fs time = this->clock().edge(now);
  const P* packet = input_->front(time);
  if (packet == nullptr) return;
  if (credits_ < packet->packets()) {
    waiting_ = packet->packets();
    return;
  }
  waiting_ = 0;
  credits_ -= packet->packets();
  unanswered_.push_back(*packet);
  input_->pop(time);
  unanswered_.back().seal(next_sequence_++);
  ++resend_;
  transmit(unanswered_.back(), now);
}

template <typename P>
void Link<P>::transmit(const P& packet, Cycle now) {
  const Cycle length = config_.wire_cycles(packet.wire_bytes());
  lanes_free_ = now + length;
  counters_.busy_cycles += length.value;
  counters_.wire_bytes += packet.wire_bytes();
  auto sent = std::make_unique<P>(packet);
  errors_.pass(*sent);
  wire_.push_back({lanes_free_ + config_.latency, this->clock().edge(now), std::move(sent)});
}

template <typename P>
Fs Link<P>::next_work() const {
  Fs next = credits_in_->front_time();
  if (!wire_.empty()) next = std::min(next, this->clock().edge(wire_.front().arrival));
  if (!answers_.empty()) next = std::min(next, this->clock().edge(answers_.front().arrival));
  const Fs free = this->clock().edge(lanes_free_);
  if (resend_ < unanswered_.size()) return std::min(next, free);
  if (credits_ == 0 || credits_ < waiting_) return next;
  const Fs input = input_->front_time();
  return input == core::kNever ? next : std::min(next, std::max(input, free));
}

template <typename P>
Fs Link<P>::earliest_message(Fs due) const {
  if (!wire_.empty()) return this->clock().edge(wire_.front().arrival);
  return due + this->clock().edge(config_.latency);
}

template <typename P>
std::optional<std::string> Link<P>::waits_for() const {
  const std::size_t waiting = unanswered_.size() + input_->size();
  if (waiting == 0) return std::nullopt;
  return std::to_string(waiting) + " packets to get through";
}

template class Link<Packet>;
template class Link<PacketSequence>;

}  // namespace neardata::link
