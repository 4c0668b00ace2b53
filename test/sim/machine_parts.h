// SPDX-License-Identifier: Apache-2.0
//
// Parts for the checks of sim/core/machine: a source and a sink of numbers, and others with unusual
// connections of their ports.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/machine/machine.h"

namespace {

using namespace neardata;
using core::Clock;
using core::Expected;
using core::Fs;
using core::Hertz;

const Clock kFast(Hertz{2'400'000'000});
const Clock kSlow(Hertz{1'000'000'000});

struct Number {
  static constexpr core::MessageType kMessage{"number", 4};
  std::uint32_t value = 0;
};

struct Word {
  static constexpr core::MessageType kMessage{"word"};
};

/// Sends numbers as fast as the edge accepts them; `words` are optional.
class Source final : public core::Part {
 public:
  Source(core::Placement place, std::uint32_t count, std::size_t least = 1)
      : Part(std::move(place)), count_(count), least_(least) {}
  std::string_view kind() const override { return "source"; }
  void declare(core::PortList& ports) override {
    ports.out("numbers", numbers_, {.least_capacity = least_});
    ports.in("words", words_, {.option = "talk"});
    ports.out("answers", answers_, {.option = "talk"});
  }
  Fs begins() const override { return Fs{0}; }
  Expected<Fs> step(Fs now) override {
    if (words_ && words_->front(now) != nullptr) {
      words_->pop(now);
      ++heard;
    }
    if (sent_ == count_ || !numbers_->try_push(now, {sent_})) return core::kNever;
    ++sent_;
    return clock().edge(clock().after(now));
  }
  std::optional<std::string> waits_for() const override {
    if (sent_ == count_) return std::nullopt;
    return "room";
  }
  std::uint64_t progress() const override { return sent_; }

  std::uint32_t heard = 0;

 private:
  core::Out<Number> numbers_;
  core::In<Word> words_;
  core::Out<Word> answers_;
  std::uint32_t count_;
  std::size_t least_;
  std::uint32_t sent_ = 0;
};

/// Pops a number per clock edge and records the time; woken `patience` late.
class Sink final : public core::Part {
 public:
  explicit Sink(core::Placement place, Fs patience = {})
      : Part(std::move(place)), patience_(patience) {}
  std::string_view kind() const override { return "sink"; }
  void declare(core::PortList& ports) override {
    ports.in("numbers", numbers_, {.patience = patience_});
  }
  Expected<Fs> step(Fs now) override {
    if (first == core::kNever) first = now;
    const Number* number = numbers_->front(now);
    if (number == nullptr) return numbers_->front_time();
    log.push_back(now.value * 1000 + number->value);
    numbers_->pop(now);
    return std::max(numbers_->front_time(), clock().edge(clock().after(now)));
  }
  std::optional<std::string> waits_for() const override { return std::nullopt; }
  std::uint64_t progress() const override { return log.size(); }

  Fs first = core::kNever;
  std::vector<std::int64_t> log;

 private:
  core::In<Number> numbers_;
  Fs patience_;
};

/// Hears words.
class Listener final : public core::Part {
 public:
  explicit Listener(core::Placement place) : Part(std::move(place)) {}
  std::string_view kind() const override { return "listener"; }
  void declare(core::PortList& ports) override { ports.in("words", words_); }
  Expected<Fs> step(Fs) override { return core::kNever; }
  std::optional<std::string> waits_for() const override { return std::nullopt; }
  std::uint64_t progress() const override { return 0; }

 private:
  core::In<Word> words_;
};

/// Two ports of one name, which is an error of a part.
class Twin final : public core::Part {
 public:
  explicit Twin(core::Placement place) : Part(std::move(place)) {}
  std::string_view kind() const override { return "twin"; }
  void declare(core::PortList& ports) override {
    ports.in("words", one_, {.option = "talk"});
    ports.in("words", other_, {.option = "talk"});
  }
  Expected<Fs> step(Fs) override { return core::kNever; }
  std::optional<std::string> waits_for() const override { return std::nullopt; }
  std::uint64_t progress() const override { return 0; }

 private:
  core::In<Word> one_;
  core::In<Word> other_;
};

}  // namespace
