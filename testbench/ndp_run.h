// SPDX-License-Identifier: Apache-2.0
//
// A descriptor through an engine of the bench, or through both in lockstep, on a simple memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "testbench/ndp_case.h"
#include "testbench/ndp_engines.h"
#include "testbench/ndp_job.h"
#include "testbench/ndp_memory.h"
#include "testbench/port_record.h"
#include "testbench/state_pairs.h"

namespace neardata::bench {

struct Outcome {
  std::uint64_t cycles = 0;
  std::array<std::uint64_t, unit::kNdpEvents> events{};
  Writes writes;
  double seconds = 0;  ///< of processor time
  std::uint64_t skipped = 0;
  /// With the RTL: of each pass but the first the cycles without a slot before its first one.
  std::vector<std::uint64_t> gaps;
  StatePairs pairs;   ///< if requested
  PortRecord record;  ///< if requested
};

constexpr std::uint64_t kPatience = 100'000;  ///< cycles without a handshake that mean a deadlock

/// Descriptors, once or several times in sequence, from reset to 4 cycles after the last accepted
/// `done`. Bursts are written, and completions are signalled, in the order of the descriptors.
class Run {
 public:
  /// The cases run in sequence.
  Run(const Job& job, std::span<const Case> cases)
      : job_(job),
        cases_(cases),
        random_(job.traffic.seed),
        streams_(kUnit.streams, StreamMemory(job.traffic)) {
    if (job.engine != "cycle") rtl_ = std::make_unique<Rtl>(job.traffic.seed);
    if (!job.record.empty()) begin_record();
    if (job.engine != "rtl") model_ = std::make_unique<unit::NdpCycle>(kUnit, model_events_);
  }

  Outcome go() {
    const std::clock_t begin = std::clock();
    std::uint64_t last = 0;
    constexpr std::uint64_t kAfter = 4;
    for (std::uint64_t cycle = 0, stop = kNoCycle; cycle < stop; ++cycle) {
      if (!rtl_) cycle = std::min(stop - 1, jump(cycle));
      const bool moved = step(cycle);
      if (moved) last = cycle;
      if (finished_ == count_ && stop == kNoCycle) stop = cycle + kAfter;
      if (cycle - last > kPatience) {
        throw std::runtime_error("no handshake since cycle " + std::to_string(last));
      }
      outcome_.cycles = cycle + 1;
    }
    outcome_.seconds = seconds_since(begin);
    if (model_) {
      model_->finish(outcome_.cycles);
      if (rtl_ && outcome_.events != model_events_.totals()) {
        std::string text = "events differ (rtl/model):";
        for (std::size_t i = 0; i < unit::kNdpEvents; ++i) {
          text += ' ' + std::to_string(outcome_.events[i]) + '/' +
                  std::to_string(model_events_.totals()[i]);
        }
        throw std::runtime_error(text);
      }
      outcome_.events = model_events_.totals();
    }
    if (job_.replay) outcome_.seconds = rtl_ ? replay_rtl() : replay_model();
    return outcome_;
  }

 private:
  /// With no RTL to clock: the next cycle in which anything can happen.
  [[nodiscard]] std::uint64_t jump(std::uint64_t cycle) const {
    const auto& out = model_->outputs();
    if (!job_.traffic.steady() || offered_ < count_ || out.req_valid != 0 || out.out_valid ||
        out.done_valid) {
      return cycle;
    }
    std::uint64_t next = model_->idle_until();
    for (const StreamMemory& stream : streams_) next = std::min(next, stream.next());
    return std::max(next, cycle);
  }

  [[nodiscard]] bool pause(std::uint32_t per_mille) {
    return per_mille != 0 && random_() % 1000 < per_mille;
  }

  /// One cycle. True when a handshake happened.
  bool step(std::uint64_t cycle) {
    const Face face = rtl_ ? Face(rtl_->outputs()) : Face(model_->outputs());
    if (rtl_ && model_ && !(face == Face(model_->outputs()))) {
      throw std::runtime_error("cycle " + std::to_string(cycle) + ": rtl " + face.text() +
                               ", model " + Face(model_->outputs()).text());
    }
    if (rtl_ && model_ && !job_.pairs.empty()) see_states(face, cycle);
    const bool desc_ready = face.handshakes[0] != 0;
    const bool done_valid = face.handshakes[1] != 0;
    const bool out_valid = face.handshakes[2] != 0;
    const std::uint32_t req_valid = face.handshakes[5];
    if (rtl_) {
      for (std::size_t i = 0; i < unit::kNdpEvents; ++i) {
        outcome_.events[i] += rtl_->outputs().events >> i & 1U;
      }
      see_gap(rtl_->outputs().events, cycle);
    }

    Inputs in{};
    if (offered_ < count_) in.desc = at(offered_).descriptor().data();
    in.done_ready = !pause(job_.traffic.pause_done);
    in.out_ready = !pause(job_.traffic.pause_out);
    for (std::uint32_t s = 0; s < kUnit.streams; ++s) {
      if (!pause(job_.traffic.pause_req)) in.req_ready |= 1U << s;
      if (streams_[s].next() <= cycle && !pause(job_.traffic.pause_rsp)) {
        const Read read = streams_[s].answer(cycle, random_);
        in.rsp_valid |= 1U << s;
        in.rsp_tag[s] = static_cast<std::uint16_t>(read.tag);
        in.rsp_data[s] = holder(read.burst).burst(s, read.burst).data();
      }
    }
    for (std::uint32_t rest = req_valid & in.req_ready; rest != 0; rest &= rest - 1) {
      const auto s = static_cast<std::uint32_t>(std::countr_zero(rest));
      streams_[s].request(face.requests[s].second, face.requests[s].first, cycle);
    }
    if (out_valid && in.out_ready) keep_output(face);
    const bool moved = (in.desc != nullptr && desc_ready) || (done_valid && in.done_ready) ||
                       (out_valid && in.out_ready) || (req_valid & in.req_ready) != 0 ||
                       in.rsp_valid != 0;
    if (done_valid && in.done_ready) take_answer(cycle);

    if (job_.replay && moved) record_.emplace_back(cycle, in);
    if (!job_.record.empty() && moved) record(face, in, cycle);
    if (model_) step_model(in, moved, cycle);
    if (rtl_) step_rtl(in, moved, cycle);
    if (in.desc != nullptr && desc_ready) ++offered_;
    return moved;
  }

  [[nodiscard]] const Case& at(std::size_t turn) const { return cases_[turn % cases_.size()]; }
  [[nodiscard]] const Case& holder(std::uint32_t burst) const {
    const auto found =
        std::ranges::find_if(cases_, [burst](const Case& c) { return c.holds(burst); });
    return found == cases_.end() ? cases_.front() : *found;
  }

  void see_gap(std::uint32_t events, std::uint64_t cycle) {
    const auto has = [events](unit::NdpEvent event) {
      return (events >> static_cast<std::uint32_t>(event) & 1U) != 0;
    };
    if (has(unit::NdpEvent::kPassStart)) pass_starts_ = true;
    if (!has(unit::NdpEvent::kSlotStart)) return;
    constexpr std::uint64_t kSlot = 16 / kUnit.bits_per_cycle;
    if (pass_starts_ && last_slot_) outcome_.gaps.push_back(cycle - *last_slot_ - kSlot);
    pass_starts_ = false;
    last_slot_ = cycle;
  }

  void pass_written() {
    while (written_ < count_ && burst_ == at(written_).bursts_to_write()) {
      ++written_;
      burst_ = 0;
    }
  }

  /// The answer is that of the oldest descriptor, all of whose bursts are written.
  void take_answer(std::uint64_t cycle) {
    pass_written();
    const std::uint32_t field =
        rtl_ ? rtl_->done_field() : static_cast<std::uint32_t>(model_->outputs().done_field);
    const auto wrong = [cycle](const std::string& what) {
      return std::runtime_error("cycle " + std::to_string(cycle) + ": the answer " + what);
    };
    if (rtl_ && model_ && field != static_cast<std::uint32_t>(model_->outputs().done_field)) {
      throw wrong("of the model has another field than " + std::to_string(field));
    }
    // One alone may be refused unforeseen, and lacks its bursts then.
    if (cases_.size() > 1) {
      if (field != at(finished_).broken()) throw wrong("names field " + std::to_string(field));
      if (written_ <= finished_) throw wrong("comes before all is written");
    }
    ++finished_;
  }

  void begin_record() {
    if (!rtl_) throw std::runtime_error("record=FILE is of the RTL, which engine=cycle has not");
    constexpr std::uint32_t kBurstWords = unit::kBurstBytes / sizeof(std::uint32_t);
    PortRecord& record = outcome_.record;
    desc_ = record.add("desc", true, unit::kDescriptorWords);
    done_ = record.add("done", false, 1);
    req_ = record.add("req", false, 2, kUnit.streams);
    rsp_ = record.add("rsp", true, 1 + kBurstWords, kUnit.streams);
    out_ = record.add("out", false, 2 + kBurstWords);
  }

  /// The handshakes of a cycle, messages as the ports of the unit have them.
  void record(const Face& face, const Inputs& in, std::uint64_t cycle) {
    PortRecord& record = outcome_.record;
    const rtl::NdpOutputs& out = rtl_->outputs();
    const auto burst = [](const void* data) {
      return std::span(static_cast<const std::uint32_t*>(data),
                       unit::kBurstBytes / sizeof(std::uint32_t));
    };
    if (in.desc != nullptr && out.desc_ready) {
      record.lane(desc_).add(cycle, {std::span(in.desc, unit::kDescriptorWords)});
    }
    if (out.done_valid && in.done_ready) {
      record.lane(done_).add(cycle, {std::array{rtl_->done_field()}});
    }
    for (std::uint32_t s = 0; s < kUnit.streams; ++s) {
      if ((out.req_valid & in.req_ready) >> s & 1U) {
        const auto& [addr, tag] = face.requests[s];
        record.lane(req_ + s).add(cycle, {std::array{addr, tag}});
      }
      if (in.rsp_valid >> s & 1U) {
        const std::uint32_t tag = in.rsp_tag[s];
        record.lane(rsp_ + s).add(cycle, {std::array{tag}, burst(in.rsp_data[s])});
      }
    }
    if (out.out_valid && in.out_ready) {
      record.lane(out_).add(cycle, {std::array{out.out_stream, out.out_addr}, burst(out.out_data)});
    }
  }

  void see_states(const Face& face, std::uint64_t cycle) {
    constexpr std::uint32_t kAll = (1U << kUnit.streams) - 1;
    const std::uint32_t requests = face.handshakes[5];
    std::uint64_t rtl = rtl_->outputs().events;
    for (const bool flag : {rtl_->outputs().quiet, face.handshakes[0] != 0, face.handshakes[1] != 0,
                            face.handshakes[2] != 0, requests != 0, requests == kAll}) {
      rtl = rtl << 1U | (flag ? 1U : 0U);
    }
    outcome_.pairs.see(model_->state(cycle), rtl);
  }

  void step_model(const Inputs& in, bool moved, std::uint64_t cycle) {
    if (!moved && model_->idle_until() > cycle) return;
    model_->tick(cycle, model_inputs(in));
  }

  [[nodiscard]] unit::NdpCycleInputs model_inputs(const Inputs& in) const {
    const auto given = std::ranges::find_if(
        cases_, [&in](const Case& one) { return one.descriptor().data() == in.desc; });
    unit::NdpCycleInputs inputs{.desc = given == cases_.end() ? nullptr : &given->descriptor(),
                                .done_ready = in.done_ready,
                                .out_ready = in.out_ready,
                                .req_ready = in.req_ready,
                                .rsp_valid = in.rsp_valid};
    std::copy_n(in.rsp_tag.begin(), kUnit.streams, inputs.rsp_tag.begin());
    return inputs;
  }

  /// Seconds of a fresh unit for the recorded inputs; its outputs were compared when recorded.
  [[nodiscard]] double replay_rtl() const {
    Rtl rtl(job_.traffic.seed);
    auto next = record_.begin();
    const std::clock_t begin = std::clock();
    for (std::uint64_t cycle = 0; cycle < outcome_.cycles; ++cycle) {
      const bool moved = next != record_.end() && next->first == cycle;
      rtl.step(moved ? (next++)->second : Inputs{}, cycle);
    }
    return seconds_since(begin);
  }

  [[nodiscard]] double replay_model() const {
    std::vector<std::pair<std::uint64_t, unit::NdpCycleInputs>> record;
    record.reserve(record_.size());
    for (const auto& [cycle, in] : record_) record.emplace_back(cycle, model_inputs(in));
    // A pass lasts some milliseconds; the first one warms caches and branch predictors.
    constexpr int kPasses = 50;
    const std::clock_t begin = std::clock();
    for (int pass = 0; pass < kPasses; ++pass) replay_model_once(record);
    return seconds_since(begin) / kPasses;
  }

  void replay_model_once(
      const std::vector<std::pair<std::uint64_t, unit::NdpCycleInputs>>& record) const {
    unit::NdpEvents events{2};
    unit::NdpCycle model(kUnit, events);
    std::uint64_t cycle = 0;
    for (const auto& [at, in] : record) {
      for (; model.idle_until() < at; ++cycle) {
        cycle = std::max(cycle, model.idle_until());
        if (cycle == at) break;
        model.tick(cycle, {});
      }
      model.tick(at, in);
      cycle = at + 1;
    }
    model.finish(outcome_.cycles);
    if (events.totals() != model_events_.totals()) throw std::runtime_error("the replay differs");
  }

  [[nodiscard]] static double seconds_since(std::clock_t begin) {
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  }

  void step_rtl(const Inputs& in, bool moved, std::uint64_t cycle) {
    const bool quiet = rtl_->outputs().quiet && !moved;
    if (quiet && job_.skip) {
      ++outcome_.skipped;
      return;
    }
    const std::uint32_t events = rtl_->outputs().events;
    const Face before(rtl_->outputs());
    rtl_->step(in, cycle);
    if (quiet && (!rtl_->outputs().quiet || rtl_->outputs().events != events ||
                  !(Face(rtl_->outputs()) == before))) {
      throw std::runtime_error("cycle " + std::to_string(cycle) + ": changed while quiet");
    }
  }

  void keep_output(const Face& face) {
    pass_written();
    if (written_ == count_ || !at(written_).holds(face.handshakes[4])) {
      throw std::runtime_error("burst " + std::to_string(face.handshakes[4]) +
                               " is not of the descriptor whose turn it is");
    }
    ++burst_;
    Burst& burst = outcome_.writes[{face.handshakes[3], face.handshakes[4]}];
    if (rtl_) std::memcpy(burst.data(), rtl_->outputs().out_data, sizeof burst);
  }

  const Job& job_;
  std::span<const Case> cases_;
  std::mt19937_64 random_;
  std::vector<StreamMemory> streams_;
  std::vector<std::pair<std::uint64_t, Inputs>> record_;  ///< cycles with handshakes
  std::unique_ptr<Rtl> rtl_;
  unit::NdpEvents model_events_{2};
  std::unique_ptr<unit::NdpCycle> model_;
  std::size_t count_ = job_.times * cases_.size();  ///< descriptors
  std::size_t offered_ = 0;
  std::size_t finished_ = 0;
  std::size_t written_ = 0;  ///< of them, all bursts
  std::uint64_t burst_ = 0;  ///< written bursts of the next one
  bool pass_starts_ = false;
  std::optional<std::uint64_t> last_slot_;
  Outcome outcome_;
  std::size_t desc_ = 0, done_ = 0, req_ = 0, rsp_ = 0, out_ = 0;  ///< lanes of the record
};

}  // namespace neardata::bench
