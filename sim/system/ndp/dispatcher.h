// SPDX-License-Identifier: Apache-2.0
//
// The buffer chip's queue of descriptors: it fills the descriptor slots of the unit, sends the next
// descriptor when one is done, and records the start and the end of each. With a host, the queue
// begins after the arrival of the descriptors and reports the end of all of them; otherwise it has
// all descriptors from the start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/part.h"
#include "unit/ndp/ndp_unit.h"

namespace neardata::system {

/// The time at which the unit accepted a descriptor, and the time at which its end was visible: one
/// cycle after the unit's signal.
struct JobSpan {
  core::Fs taken;
  core::Fs done;
};

/// The buffer chip has its descriptors.
struct JobsStart {
  static constexpr core::MessageType kMessage{"descriptors"};
};
/// All of them are done.
struct JobsEnded {
  static constexpr core::MessageType kMessage{"end of descriptors"};
  core::Fs at;  ///< by the queue's clock
};

class Dispatcher final : public core::Part {
 public:
  /// At most `at_work` of the jobs are with the unit.
  Dispatcher(core::Placement place, std::vector<unit::Descriptor> jobs, std::uint32_t at_work)
      : Part(std::move(place)), jobs_(std::move(jobs)), at_work_(at_work) {}

  [[nodiscard]] std::string_view kind() const override { return "descriptor queue"; }
  void declare(core::PortList& ports) override {
    ports.out("descriptors", descriptors_);
    ports.in("done", done_);
    ports.in("start", start_, {.option = "host"});
    ports.out("ended", ended_, {.option = "host"});
  }
  [[nodiscard]] core::Fs begins() const override { return core::Fs{0}; }

  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override {
    while (const unit::DescriptorDone* done = done_->front(now)) {
      spans_.push_back({done->taken, now});
      done_->pop(now);
    }
    if (start_ && start_->front(now) != nullptr) {
      start_->pop(now);
      started_ = true;
    }
    if (start_ && !started_) return start_->front_time();
    while (sent_ < jobs_.size() && sent_ - spans_.size() < at_work_ &&
           descriptors_->try_push(now, jobs_[sent_])) {
      ++sent_;
    }
    if (ended_ && !end_sent_ && spans_.size() == jobs_.size())
      end_sent_ = ended_->try_push(now, {now});
    return done_->front_time();
  }

  /// The host is notified only of the last end, which is visible to the queue an edge after the
  /// unit's signal.
  [[nodiscard]] core::Fs earliest_message(core::Fs due) const override {
    if (end_sent_ || (!started_ && start_->empty())) return core::kNever;
    if (spans_.size() == jobs_.size()) return due;
    return done_->empty() ? clock().edge(clock().after(due)) : std::max(due, done_->front_time());
  }
  [[nodiscard]] std::optional<std::string> waits_for() const override {
    if (spans_.size() == jobs_.size()) return std::nullopt;
    return std::to_string(jobs_.size() - spans_.size()) + " descriptors";
  }

  [[nodiscard]] std::uint64_t progress() const override { return sent_ + spans_.size(); }

  [[nodiscard]] const std::vector<JobSpan>& spans() const { return spans_; }

 private:
  std::vector<unit::Descriptor> jobs_;
  std::uint32_t at_work_;
  core::Out<unit::Descriptor> descriptors_;
  core::In<unit::DescriptorDone> done_;
  core::In<JobsStart> start_;
  core::Out<JobsEnded> ended_;
  bool started_ = false;
  bool end_sent_ = false;
  std::size_t sent_ = 0;
  std::vector<JobSpan> spans_;
};

}  // namespace neardata::system
