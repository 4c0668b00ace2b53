// SPDX-License-Identifier: Apache-2.0
//
// Raw descriptors through the attention engine, as RTL and as cycle model, behind the same DRAM and
// flash. No host orders them. Standard input, numbers in decimal: the path of a plug-in of
// `sparf_engine`, the number of runs, and of each run {seed, probability that the DRAM pauses in
// 1/256, latency of the DRAM in cycles, descriptors}, then each descriptor {cycle, 16 words}. A
// descriptor is enqueued in its cycle or later, in order. Prints a line of JSON for each run and
// engine. Tags of a run differ.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "checks.h"
#include "core/machine/machine.h"
#include "core/splitmix64.h"
#include "rtl/rtl_sparf_unit.h"
#include "system/memory/pauses.h"
#include "unit/sparf/cycle/cycle_sparf_unit.h"
#include "unit/sparf/sparf_task.h"

namespace {

using namespace neardata;
using core::Cycle;
using core::Expected;
using core::Fs;
using unit::SparfTask;

constexpr core::Hertz kClock{285'000'000};
/// Lines of sums of V are before this one, rows of K and V and queries from it on.
constexpr std::uint32_t kSumLines = 1024;
/// Of flash: a read, and beats of 8 bytes at 1.4 GB/s.
constexpr Fs kPageLatency{3'000'000'000};
constexpr std::int64_t kTicksPerNs = 7;
constexpr std::int64_t kBeatTicks = 40;

struct Sent {
  Cycle at;
  unit::SparfDescriptor words{};
};

struct Run {
  std::uint64_t seed = 0;
  std::uint64_t pauses = 0;  ///< 1/256
  std::int64_t dram_latency = 0;
  std::vector<Sent> descriptors;
};

/// A number that depends on everything that was added, in order.
class Hash {
 public:
  void add(std::uint64_t value) {
    core::SplitMix64 next(value_ ^ value);
    value_ = next.next() + count_++;
  }
  void add(const unit::DramLine& line) {
    for (std::size_t at = 0; at < line.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, line.data() + at, sizeof word);
      add(word);
    }
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::string text() const {
    return "\"" + std::to_string(count_) + " words, " + std::to_string(value_) + "\"";
  }

 private:
  std::uint64_t value_ = 0;
  std::uint64_t count_ = 0;
};

/// Finite values of both signs, of a size from 2^-2 to below 1.
std::uint16_t value_of(core::SplitMix64& random) {
  return static_cast<std::uint16_t>((random.next() & 0x87FFU) + 0x3400U);
}

/// Enqueues descriptors, receives their ends, and records the choices of the engine.
class Driver final : public core::Part, public unit::SparfObserver {
 public:
  Driver(core::Placement place, const std::vector<Sent>& sent)
      : Part(std::move(place)), sent_(sent) {
    for (const Sent& one : sent) {
      const SparfTask task = SparfTask::decode(one.words);
      if (task.operation == unit::SparfOperation::kSparse) chosen_[task.tag] = {};
    }
  }

  [[nodiscard]] std::string_view kind() const override { return "driver"; }
  void declare(core::PortList& ports) override {
    ports.out("descriptors", descriptors_);
    ports.in("done", done_);
  }
  [[nodiscard]] Fs begins() const override { return Fs{0}; }
  [[nodiscard]] Expected<Fs> step(Fs now) override {
    for (; const unit::SparfDone* done = done_->front(now); done_->pop(now)) {
      last_ = clock().at_or_after(now);
      const unsigned status =
          (done->unreadable ? 1U : 0U) | (done->refused ? 2U : 0U) | (done->non_finite ? 4U : 0U);
      ends_.push_back("[" + std::to_string(done->tag) + "," + std::to_string(status) + "," +
                      std::to_string(last_.value) + "]");
    }
    while (next_ < sent_.size() && clock().edge(sent_[next_].at) <= now &&
           descriptors_->try_push(now, sent_[next_].words)) {
      ++next_;
    }
    if (next_ == sent_.size()) return done_->front_time();
    const Fs at = clock().edge(sent_[next_].at);
    return std::min(done_->front_time(), at > now ? at : core::kNever);
  }
  [[nodiscard]] std::optional<std::string> waits_for() const override {
    if (ends_.size() == sent_.size()) return std::nullopt;
    return std::to_string(sent_.size() - ends_.size()) + " descriptors";
  }
  [[nodiscard]] std::uint64_t progress() const override { return next_ + ends_.size(); }

  void dim_chosen(std::uint16_t tag, std::uint32_t dim) override {
    if (Chosen* of = chosen(tag)) of->dims.add(dim);
  }
  void token_chosen(std::uint16_t tag, std::uint32_t token) override {
    if (Chosen* of = chosen(tag)) of->tokens.add(token);
  }
  void alpha(std::uint16_t tag, std::uint32_t query, float value) override {
    if (Chosen* of = chosen(tag)) of->alphas[query] = std::bit_cast<std::uint32_t>(value);
  }

  [[nodiscard]] Cycle last() const { return last_; }
  [[nodiscard]] const std::vector<std::string>& ends() const { return ends_; }
  /// By sparse head: tag, chosen tokens, and a hash of all choices.
  [[nodiscard]] std::vector<std::string> choices() const {
    std::vector<std::string> texts;
    for (const auto& [tag, of] : chosen_) {
      Hash alphas;
      for (const auto& [query, value] : of.alphas) alphas.add(std::uint64_t{query} << 32U | value);
      texts.push_back("[" + std::to_string(tag) + "," + std::to_string(of.tokens.count()) + "," +
                      of.dims.text() + "," + of.tokens.text() + "," + alphas.text() + "]");
    }
    return texts;
  }

 private:
  struct Chosen {
    Hash dims;
    Hash tokens;
    std::map<std::uint32_t, std::uint32_t> alphas;  ///< by query
  };
  [[nodiscard]] Chosen* chosen(std::uint16_t tag) {
    const auto of = chosen_.find(tag);
    return of == chosen_.end() ? nullptr : &of->second;
  }

  const std::vector<Sent>& sent_;
  core::Out<unit::SparfDescriptor> descriptors_;
  core::In<unit::SparfDone> done_;
  std::size_t next_ = 0;
  Cycle last_;
  std::vector<std::string> ends_;
  std::map<std::uint16_t, Chosen> chosen_;
};

/// Accepts one read a cycle, but for pauses; lines that nothing has written have sampled values.
class Dram final : public core::Part {
 public:
  Dram(core::Placement place, const Run& run)
      : Part(std::move(place)),
        seed_(run.seed),
        latency_{run.dram_latency},
        pauses_({.seed = run.seed, .probability = static_cast<double>(run.pauses) / 256}, 0) {}

  [[nodiscard]] std::string_view kind() const override { return "DRAM"; }
  void declare(core::PortList& ports) override {
    ports.in("reads", reads_);
    ports.out("lines", lines_);
    ports.in("writes", writes_);
  }
  [[nodiscard]] Expected<Fs> step(Fs now) override {
    for (; const unit::DramWrite* write = writes_->front(now); writes_->pop(now)) {
      image_[write->line] = write->data;
      log(now, write->line);
      log_.add(write->data);
    }
    const unit::DramRead* read = reads_->front(now);
    if (read != nullptr && now >= rested_ && !lines_->full(now)) {
      const Fs at = clock().edge(clock().at_or_after(now) + latency_);
      static_cast<void>(lines_->try_push(at, line(read->line)));
      log(now, read->line);
      reads_->pop(now);
      rested_ = clock().edge(clock().after(now) + Cycle{pauses_.next()});
    }
    Fs due = writes_->front_time();
    if (!lines_->full(now)) due = std::min(due, std::max(reads_->front_time(), rested_));
    return std::max(due, clock().edge(clock().after(now)));
  }
  [[nodiscard]] std::optional<std::string> waits_for() const override { return std::nullopt; }
  [[nodiscard]] std::uint64_t progress() const override { return log_.count(); }

  [[nodiscard]] unit::DramLine line(std::uint32_t number) const {
    if (const auto written = image_.find(number); written != image_.end()) return written->second;
    core::SplitMix64 random(seed_ * core::SplitMix64::kStep + number);
    std::array<std::uint16_t, sizeof(unit::DramLine) / sizeof(std::uint16_t)> values{};
    for (std::uint16_t& value : values) value = value_of(random);
    std::array<std::int64_t, sizeof(unit::DramLine) / sizeof(std::int64_t)> sums{};
    for (std::int64_t& sum : sums) sum = static_cast<std::int32_t>(random.next());
    if (number < kSumLines) return std::bit_cast<unit::DramLine>(sums);
    return std::bit_cast<unit::DramLine>(values);
  }
  [[nodiscard]] const Hash& traffic() const { return log_; }
  [[nodiscard]] Hash image() const {
    Hash all;
    for (const auto& [number, written] : image_) {
      all.add(number);
      all.add(written);
    }
    return all;
  }

 private:
  void log(Fs now, std::uint32_t line) {
    log_.add(static_cast<std::uint64_t>(clock().at_or_after(now).value));
    log_.add(line);
  }

  core::In<unit::DramRead> reads_;
  core::Out<unit::DramLine> lines_;
  core::In<unit::DramWrite> writes_;
  std::uint64_t seed_;
  Cycle latency_;
  system::Pauses pauses_;
  Fs rested_;
  Hash log_;
  std::map<std::uint32_t, unit::DramLine> image_;
};

/// Pages of sampled values, each on the channel that its head and index choose.
class Flash final : public core::Part {
 public:
  Flash(core::Placement place, const Run& run, std::uint32_t channels)
      : Part(std::move(place)), seed_(run.seed), channels_(channels) {
    for (const Sent& sent : run.descriptors) {
      const SparfTask task = SparfTask::decode(sent.words);
      page_bytes_[task.head] = task.page_bytes;
    }
  }

  [[nodiscard]] std::string_view kind() const override { return "flash"; }
  void declare(core::PortList& ports) override {
    ports.in("requests", requests_);
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      ports.out(core::port_of("pages", c), channels_[c].pages);
    }
  }
  [[nodiscard]] Expected<Fs> step(Fs now) override {
    for (; const unit::SparfPageRequest* request = requests_->front(now); requests_->pop(now)) {
      log(*request, now);
      if (!request->write) read(*request, now);
    }
    Fs due = requests_->front_time();
    for (Channel& channel : channels_) {
      while (!channel.waiting.empty() && channel.next() <= now) {
        if (!send(channel, now)) {
          return core::broken_rule(std::string(name()), "more pages than tags", now);
        }
      }
      if (!channel.waiting.empty()) due = std::min(due, channel.next());
    }
    return due;
  }
  [[nodiscard]] std::optional<std::string> waits_for() const override { return std::nullopt; }
  [[nodiscard]] std::uint64_t progress() const override { return log_.count(); }
  [[nodiscard]] const Hash& requests() const { return log_; }

 private:
  struct Waiting {
    std::uint16_t tag = 0;
    Fs ready;
    std::vector<std::uint16_t> values;
  };
  struct Channel {
    core::Out<unit::SparfPage> pages;
    std::deque<Waiting> waiting;
    Fs free;
    [[nodiscard]] Fs next() const { return std::max(free, waiting.front().ready); }
  };

  void log(const unit::SparfPageRequest& request, Fs now) {
    log_.add(static_cast<std::uint64_t>(clock().at_or_after(now).value));
    log_.add(std::uint64_t{request.tag} << 32U | request.head);
    log_.add(std::uint64_t{request.index} << 8U | static_cast<unsigned>(request.kind) << 1U |
             (request.write ? 1U : 0U));
  }
  void read(const unit::SparfPageRequest& request, Fs now) {
    core::SplitMix64 random(seed_ ^ std::uint64_t{request.head} << 34U ^
                            std::uint64_t{request.index} << 2U ^
                            static_cast<unsigned>(request.kind));
    Waiting page{.tag = request.tag, .ready = now + kPageLatency, .values = {}};
    page.values.resize(page_bytes_[request.head] / sizeof(std::uint16_t));
    for (std::uint16_t& value : page.values) value = value_of(random);
    channels_[(request.index + request.head) % channels_.size()].waiting.push_back(std::move(page));
  }
  [[nodiscard]] bool send(Channel& channel, Fs now) {
    sent_.push_back(std::move(channel.waiting.front().values));
    const std::int64_t tick = (now.value * kTicksPerNs + core::kFsPerNs - 1) / core::kFsPerNs;
    const unit::SparfPage page{
        .tag = channel.waiting.front().tag,
        .data = std::as_bytes(std::span(sent_.back())).data(),
        .bytes = static_cast<std::uint32_t>(sent_.back().size() * sizeof(std::uint16_t)),
        .beats = {.first = tick + kBeatTicks, .step = kBeatTicks, .ticks_per_ns = kTicksPerNs}};
    channel.waiting.pop_front();
    channel.free = page.beats.at(page.beat_count() - 1);
    return channel.pages->try_push(now, page);
  }

  std::uint64_t seed_;
  core::In<unit::SparfPageRequest> requests_;
  std::vector<Channel> channels_;
  std::map<std::uint32_t, std::uint32_t> page_bytes_;  ///< by head
  std::deque<std::vector<std::uint16_t>> sent_;        ///< contents live until the run ends
  Hash log_;
};

unit::SparfParameters parameters_of(const rtl::UnitPlugin& unit) {
  const auto number = [&](const char* name) {
    return static_cast<std::uint32_t>(unit.parameter(name).value());
  };
  return {.channels = number("Channels"),
          .kernels = number("Kernels"),
          .lanes = number("Lanes"),
          .width = number("Width"),
          .max_keys = number("MaxKeys"),
          .max_group = number("MaxGroup"),
          .slots = number("Slots"),
          .ring_lines = number("RingLines"),
          .max_page_rows = number("MaxPageRows"),
          .tags = number("Tags"),
          .query_sets = number("QuerySets")};
}

std::string list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ",") + item;
  return "[" + text + "]";
}

/// By head: its tag and a hash of the lines of its outputs.
std::vector<std::string> outputs(const Run& run, const Dram& dram, std::uint32_t width) {
  std::vector<std::string> texts;
  for (const Sent& sent : run.descriptors) {
    const SparfTask task = SparfTask::decode(sent.words);
    if (task.operation == unit::SparfOperation::kAppend) continue;
    Hash lines;
    for (std::uint32_t at = 0; at < task.group * unit::row_lines(width); ++at) {
      lines.add(dram.line(task.out_line + at));
    }
    texts.push_back("[" + std::to_string(task.tag) + "," + lines.text() + "]");
  }
  return texts;
}

/// A line of JSON: the end of the run, and the events of the engine by cycle.
void simulate(const Run& run, const rtl::SparfPlugin& plugin, bool as_rtl) {
  constexpr std::size_t kMessages = 4;
  constexpr std::size_t kLines = 1024;
  constexpr core::EdgeRules kAfterWrites{.capacity = kMessages, .latency = Cycle{2}};
  constexpr core::EdgeRules kQueue{.capacity = kMessages};
  const unit::SparfParameters parameters = parameters_of(plugin.unit);
  core::Machine machine;
  machine.add_clock("engine", core::Clock(kClock));
  const auto subsystem = machine.subsystem();
  auto& driver = subsystem.add<Driver>("driver", "engine", run.descriptors);
  auto& dram = subsystem.add<Dram>("DRAM", "engine", run);
  auto& flash = subsystem.add<Flash>("flash", "engine", run, parameters.channels);
  unit::SparfUnit* engine = nullptr;
  if (as_rtl) {
    engine = &subsystem.add<rtl::RtlSparfUnit>("attention engine", "engine", plugin, driver,
                                               rtl::RtlOptions{});
  } else {
    engine = &subsystem.add<unit::CycleSparfUnit>("attention engine", "engine", parameters, driver);
  }
  subsystem.join(driver.port("descriptors"), engine->port("descriptors"), kQueue);
  subsystem.join(engine->port("done"), driver.port("done"), kAfterWrites);
  subsystem.join(engine->port("page_requests"), flash.port("requests"), kAfterWrites);
  for (std::uint32_t c = 0; c < parameters.channels; ++c) {
    subsystem.join(flash.port(core::port_of("pages", c)), engine->port(core::port_of("pages", c)),
                   {.capacity = parameters.page_tags()});
  }
  subsystem.join(engine->port("dram_reads"), dram.port("reads"), kQueue);
  subsystem.join(dram.port("lines"), engine->port("dram_lines"), {.capacity = kLines});
  subsystem.join(engine->port("dram_writes"), dram.port("writes"), kQueue);

  checks::Patient patient;
  const auto outcome = machine.run(patient);
  engine->finish(driver.last());
  std::vector<std::string> events;
  for (std::uint32_t bit = 0; bit < engine->events().count(); ++bit) {
    events.push_back(std::to_string(engine->events().totals()[bit]));
  }
  std::printf(
      R"({"engine":"%s","error":"%s","ends":%s,"choices":%s,"outputs":%s,"dram":%s,"flash":%s,)"
      R"("image":%s,"events":%s})"
      "\n",
      as_rtl ? "rtl" : "cycle", outcome ? "" : outcome.error().message.c_str(),
      list(driver.ends()).c_str(), list(driver.choices()).c_str(),
      list(outputs(run, dram, parameters.width)).c_str(), dram.traffic().text().c_str(),
      flash.requests().text().c_str(), dram.image().text().c_str(), list(events).c_str());
}

}  // namespace

int main() {
  std::string path;
  std::size_t runs = 0;
  std::cin >> path >> runs;
  auto plugin = rtl::SparfPlugin::load(path);
  if (!plugin) {
    std::fprintf(stderr, "%s\n", plugin.error().message.c_str());
    return 1;
  }
  for (; runs > 0; --runs) {
    Run run;
    std::size_t count = 0;
    std::cin >> run.seed >> run.pauses >> run.dram_latency >> count;
    run.descriptors.resize(count);
    for (Sent& sent : run.descriptors) {
      std::cin >> sent.at.value;
      for (std::uint32_t& word : sent.words) std::cin >> word;
    }
    if (!std::cin) return 1;
    simulate(run, *plugin, true);
    simulate(run, *plugin, false);
  }
}
