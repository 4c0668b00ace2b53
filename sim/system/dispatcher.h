// SPDX-License-Identifier: Apache-2.0
//
// Hands the unit its descriptors, one when the one before it is done, and notes when each was taken
// and done.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/channel.h"
#include "core/component.h"
#include "unit/ndp_unit.h"

namespace neardata::system {

/// When the unit took a descriptor, and when its end was seen: one cycle after the unit told it.
struct JobSpan {
  core::Fs taken;
  core::Fs done;
};

class Dispatcher final : public core::Component {
 public:
  Dispatcher(std::vector<unit::Descriptor> jobs, core::Channel<unit::Descriptor>& descriptors,
             core::Channel<unit::DescriptorDone>& done)
      : jobs_(std::move(jobs)), descriptors_(descriptors), done_(done) {}

  [[nodiscard]] std::string_view name() const override { return "descriptor queue"; }

  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override {
    while (done_.front(now) != nullptr) {
      spans_.push_back({descriptors_.last_pop(), now});
      done_.pop(now);
    }
    if (sent_ == spans_.size() && sent_ < jobs_.size() &&
        descriptors_.try_push(now, jobs_[sent_])) {
      ++sent_;
    }
    return done_.front_time();
  }

  [[nodiscard]] std::optional<std::string> waits_for() const override {
    if (spans_.size() == jobs_.size()) return std::nullopt;
    return std::to_string(jobs_.size() - spans_.size()) + " descriptors";
  }

  [[nodiscard]] std::uint64_t progress() const override { return sent_ + spans_.size(); }

  [[nodiscard]] const std::vector<JobSpan>& spans() const { return spans_; }

 private:
  std::vector<unit::Descriptor> jobs_;
  core::Channel<unit::Descriptor>& descriptors_;
  core::Channel<unit::DescriptorDone>& done_;
  std::size_t sent_ = 0;
  std::vector<JobSpan> spans_;
};

}  // namespace neardata::system
