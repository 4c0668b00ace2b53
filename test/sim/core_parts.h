// SPDX-License-Identifier: Apache-2.0
//
// Components for the checks of sim/core: a pipe of two, and some that behave oddly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checks.h"
#include "core/channel.h"
#include "core/clock.h"
#include "core/engine/engine.h"

namespace {

using namespace neardata;
using checks::Patient;
using core::Channel;
using core::Clock;
using core::Cycle;
using core::Expected;
using core::Fs;
using core::Hertz;

const Clock kNdp(Hertz{1'000'000'000});
const Clock kDdr(Hertz{2'400'000'000});
const Clock kCsd(Hertz{285'000'000});

/// Sends numbers as fast as the channel accepts them.
class Source final : public core::Component {
 public:
  Source(Channel<int>& out, int count) : out_(out), count_(count) {}
  std::string_view name() const override { return "source"; }
  Expected<Fs> step(Fs now) override {
    if (sent_ == count_) return core::kNever;
    if (!out_.try_push(now, sent_)) return core::kNever;
    ++sent_;
    return kNdp.edge(kNdp.after(now));
  }
  std::optional<std::string> waits_for() const override {
    if (sent_ == count_) return std::nullopt;
    return "room";
  }
  std::uint64_t progress() const override { return static_cast<std::uint64_t>(sent_); }

 private:
  Channel<int>& out_;
  int count_;
  int sent_ = 0;
};

/// Pops one number every `pace` edges of its clock, up to `most`, and records the times.
class Sink final : public core::Component {
 public:
  Sink(Channel<int>& in, std::int64_t pace, int most) : in_(in), pace_(pace), most_(most) {}
  std::string_view name() const override { return "sink"; }
  Expected<Fs> step(Fs now) override {
    if (static_cast<int>(log_.size()) == most_) return core::kNever;
    if (now < ready_) return ready_;
    const int* message = in_.front(now);
    if (message == nullptr) return in_.front_time();
    log_.push_back(now.value * 1'000 + *message % 1'000);
    in_.pop(now);
    ready_ = kDdr.edge(kDdr.after(now) + Cycle{pace_ - 1});
    return std::max(ready_, in_.front_time());
  }
  std::optional<std::string> waits_for() const override { return std::nullopt; }
  std::uint64_t progress() const override { return log_.size(); }
  const std::vector<std::int64_t>& log() const { return log_; }

 private:
  Channel<int>& in_;
  std::int64_t pace_;
  int most_;
  Fs ready_{-1};
  std::vector<std::int64_t> log_;
};

struct PipeRun {
  Expected<Fs> end;
  std::vector<std::int64_t> log;
};

PipeRun run_pipe(bool source_first, std::int64_t pace, int most, int looks = 1 << 30) {
  Channel<int> channel(3, kNdp, kDdr);
  Source source(channel, 500);
  Sink sink(channel, pace, most);
  channel.connect(source.alarm(), sink.alarm());
  core::Engine engine({.instants_per_look = 16});
  if (source_first) engine.add(source, Fs{0});
  engine.add(sink);
  if (!source_first) engine.add(source, Fs{0});
  Patient patient(looks);
  auto end = engine.run(patient);
  return {std::move(end), sink.log()};
}

/// Has work for ever and does none.
class Spinner final : public core::Component {
 public:
  std::string_view name() const override { return "spinner"; }
  Expected<Fs> step(Fs now) override { return kNdp.edge(kNdp.after(now)); }
  std::optional<std::string> waits_for() const override { return "godot"; }
  std::uint64_t progress() const override { return 0; }
};

/// Its name dies with it.
class Named final : public core::Component {
 public:
  explicit Named(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  Expected<Fs> step(Fs) override { return core::kNever; }
  std::optional<std::string> waits_for() const override { return std::nullopt; }
  std::uint64_t progress() const override { return 0; }

 private:
  std::string name_;
};

/// Sleeps ever longer.
class Sleeper final : public core::Component {
 public:
  std::string_view name() const override { return "sleeper"; }
  Expected<Fs> step(Fs now) override { return now + Fs{now.value / 2 + 1}; }
  std::optional<std::string> waits_for() const override { return std::nullopt; }
  std::uint64_t progress() const override { return 0; }
};

/// A model whose library throws.
class Thrower final : public core::Component {
 public:
  std::string_view name() const override { return "thrower"; }
  Expected<Fs> step(Fs) override { throw core::LibraryError("a library", "its own words"); }
  std::optional<std::string> waits_for() const override { return std::nullopt; }
  std::uint64_t progress() const override { return 0; }
};

}  // namespace
