// SPDX-License-Identifier: Apache-2.0
//
// Runs `dimm_ndp` without Node on a simple memory: the Verilated unit, its cycle model, or both in
// lockstep with every output compared in every cycle. Each job is a line of `key=value` words, from
// the arguments or, without any, one from each line of the standard input; each answers with one
// line of JSON. Exit code 1 when a job failed. testbench/ndp_job.h names the words.
#include <bit>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "rtl/ndp_fields.h"
#include "rtl/unit_plugin.h"
#include "testbench/file_bytes.h"
#include "testbench/ndp_case.h"
#include "testbench/ndp_job.h"
#include "testbench/ndp_memory.h"
#include "unit/ndp_cycle.h"

namespace {

using namespace neardata;
using bench::Case;
using bench::Job;
using bench::StreamMemory;

constexpr unit::NdpParameters kUnit{
    .streams = RTL_PARAMETER_Streams,
    .mult_per_stream = RTL_PARAMETER_MultPerStream,
    .lanes = RTL_PARAMETER_Lanes,
    .bits_per_cycle = RTL_PARAMETER_BitsPerCycle,
    .buffer_bytes = RTL_PARAMETER_BufferBytes,
    .queue_bursts = RTL_PARAMETER_QueueBursts,
    .act_lanes = RTL_PARAMETER_ActLanes,
    .max_tokens = RTL_PARAMETER_MaxTokens,
};

constexpr std::size_t kMostStreams = 8;

/// What the bench gives in a cycle; bit s of a mask belongs to stream s.
struct Inputs {
  const std::uint32_t* desc;  ///< 20 words, or null
  bool done_ready;
  bool out_ready;
  std::uint32_t req_ready;
  std::uint32_t rsp_valid;
  std::array<std::uint32_t, kMostStreams> rsp_tag;
  std::array<const void*, kMostStreams> rsp_data;  ///< 64 bytes, where rsp_valid is set
};

rtl::NdpFields fields_of(const NeardataUnitPlugin& api) {
  auto fields = rtl::NdpFields::find(api);
  if (!fields) throw std::runtime_error(fields.error().message);
  return *fields;
}

/// The Verilated unit, with contents before its reset that are drawn from `seed`.
class Rtl {
 public:
  explicit Rtl(std::uint64_t seed)
      : api_(neardata_unit_plugin()),
        fields_(fields_of(*api_)),
        inputs_(api_->inputs.words),
        outputs_(api_->outputs.words) {
    const NeardataUnitStart start{.seed = seed, .assertions = true};
    unit_ = api_->create(&start, outputs_.data());
    now_.emplace(fields_, outputs_.data());
  }
  Rtl(const Rtl&) = delete;
  Rtl& operator=(const Rtl&) = delete;
  ~Rtl() { api_->destroy(unit_); }

  void step(const Inputs& given, std::uint64_t cycle) {
    drive(given);
    if (api_->step(unit_, inputs_.data(), outputs_.data())) {
      now_.emplace(fields_, outputs_.data());
      return;
    }
    NeardataUnitError error{};
    api_->error(unit_, &error);
    throw std::runtime_error("cycle " + std::to_string(cycle) + ": " + error.place + ": " +
                             error.message);
  }

  [[nodiscard]] const rtl::NdpOutputs& outputs() const { return *now_; }

 private:
  void drive(const Inputs& given) {
    std::uint32_t* in = inputs_.data();
    fields_.desc_valid.set(in, given.desc != nullptr ? 1 : 0);
    if (given.desc != nullptr) {
      std::memcpy(fields_.desc.at(in), given.desc, unit::kDescriptorWords * sizeof *given.desc);
    }
    fields_.done_ready.set(in, given.done_ready ? 1 : 0);
    fields_.out_ready.set(in, given.out_ready ? 1 : 0);
    fields_.req_ready.set(in, given.req_ready);
    fields_.rsp_valid.set(in, given.rsp_valid);
    for (std::uint32_t rest = given.rsp_valid; rest != 0; rest &= rest - 1) {
      const auto s = static_cast<std::size_t>(std::countr_zero(rest));
      fields_.rsp_tag.set(in, given.rsp_tag[s], s);
      std::memcpy(fields_.rsp_data.at(in, s), given.rsp_data[s], unit::kBurstBytes);
    }
  }

  const NeardataUnitPlugin* api_;
  rtl::NdpFields fields_;
  std::vector<std::uint32_t> inputs_;
  std::vector<std::uint32_t> outputs_;
  std::optional<rtl::NdpOutputs> now_;  ///< the outputs of the present cycle
  NeardataUnit* unit_;
};

/// What both engines must agree on, and what must not change while the unit is quiet.
struct Face {
  explicit Face(const rtl::NdpOutputs& o)
      : handshakes{o.desc_ready,
                   o.done_valid,
                   o.out_valid,
                   o.out_valid ? o.out_stream : 0,
                   o.out_valid ? o.out_addr : 0,
                   o.req_valid} {
    take_requests(o.req_valid, o.req_addr, o.req_tag);
  }
  explicit Face(const unit::NdpCycleOutputs& o)
      : handshakes{o.desc_ready,
                   o.done_valid,
                   o.out_valid,
                   o.out_valid ? o.out_stream : 0,
                   o.out_valid ? o.out_addr : 0,
                   o.req_valid} {
    take_requests(o.req_valid, o.req_addr.data(), o.req_tag.data());
  }
  void take_requests(std::uint32_t valid, const std::uint32_t* addr, const std::uint32_t* tag) {
    for (std::uint32_t rest = valid; rest != 0; rest &= rest - 1) {
      const auto s = static_cast<std::size_t>(std::countr_zero(rest));
      requests[s] = {addr[s], tag[s]};
    }
  }
  bool operator==(const Face&) const = default;
  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    out << "desc/done/out/stream/addr/req";
    for (const auto h : handshakes) out << ' ' << h;
    for (const auto& [addr, tag] : requests) out << ' ' << addr << '@' << tag;
    return out.str();
  }
  std::array<std::uint32_t, 6> handshakes;
  std::array<std::pair<std::uint32_t, std::uint32_t>, kMostStreams> requests{};
};

struct Outcome {
  std::uint64_t cycles = 0;
  std::array<std::uint64_t, unit::kNdpEvents> events{};
  bench::Writes writes;
  double seconds = 0;  ///< of processor time
  std::uint64_t skipped = 0;
};

constexpr std::uint64_t kPatience = 100'000;  ///< cycles without a handshake that mean a deadlock

/// One descriptor from reset to the taken `done` and 4 cycles more.
class Run {
 public:
  Run(const Job& job, const Case& data)
      : job_(job),
        case_(data),
        random_(job.traffic.seed),
        streams_(kUnit.streams, StreamMemory(job.traffic)) {
    if (job.engine != "cycle") rtl_ = std::make_unique<Rtl>(job.traffic.seed);
    if (job.engine != "rtl") model_ = std::make_unique<unit::NdpCycle>(kUnit, model_events_);
  }

  Outcome go() {
    const std::clock_t begin = std::clock();
    std::uint64_t last = 0;
    constexpr std::uint64_t kAfter = 4;
    for (std::uint64_t cycle = 0, stop = bench::kNoCycle; cycle < stop; ++cycle) {
      if (!rtl_) cycle = std::min(stop - 1, jump(cycle));
      const bool moved = step(cycle);
      if (moved) last = cycle;
      if (finished_ && stop == bench::kNoCycle) stop = cycle + kAfter;
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
    if (!job_.traffic.steady() || !started_ || out.req_valid != 0 || out.out_valid ||
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
    const bool desc_ready = face.handshakes[0] != 0;
    const bool done_valid = face.handshakes[1] != 0;
    const bool out_valid = face.handshakes[2] != 0;
    const std::uint32_t req_valid = face.handshakes[5];
    if (rtl_) {
      for (std::size_t i = 0; i < unit::kNdpEvents; ++i) {
        outcome_.events[i] += rtl_->outputs().events >> i & 1U;
      }
    }

    Inputs in{};
    if (!started_) in.desc = case_.descriptor().data();
    in.done_ready = !pause(job_.traffic.pause_done);
    in.out_ready = !pause(job_.traffic.pause_out);
    for (std::uint32_t s = 0; s < kUnit.streams; ++s) {
      if (!pause(job_.traffic.pause_req)) in.req_ready |= 1U << s;
      if (streams_[s].next() <= cycle && !pause(job_.traffic.pause_rsp)) {
        const bench::Read read = streams_[s].answer(cycle, random_);
        in.rsp_valid |= 1U << s;
        in.rsp_tag[s] = read.tag;
        in.rsp_data[s] = case_.burst(s, read.burst).data();
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
    if (in.desc != nullptr && desc_ready) started_ = true;
    if (done_valid && in.done_ready) finished_ = true;

    if (job_.replay && moved) record_.emplace_back(cycle, in);
    if (model_) step_model(in, moved, cycle);
    if (rtl_) step_rtl(in, moved, cycle);
    return moved;
  }

  void step_model(const Inputs& in, bool moved, std::uint64_t cycle) {
    if (!moved && model_->idle_until() > cycle) return;
    model_->tick(cycle, model_inputs(in));
  }

  [[nodiscard]] unit::NdpCycleInputs model_inputs(const Inputs& in) const {
    unit::NdpCycleInputs inputs{.desc = in.desc == nullptr ? nullptr : &case_.descriptor(),
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
    unit::NdpEvents events{2};
    unit::NdpCycle model(kUnit, events);
    const std::clock_t begin = std::clock();
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
    const double seconds = seconds_since(begin);
    if (events.totals() != model_events_.totals()) throw std::runtime_error("the replay differs");
    return seconds;
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
    bench::Burst& burst = outcome_.writes[{face.handshakes[3], face.handshakes[4]}];
    if (rtl_) std::memcpy(burst.data(), rtl_->outputs().out_data, sizeof burst);
  }

  const Job& job_;
  const Case& case_;
  std::mt19937_64 random_;
  std::vector<StreamMemory> streams_;
  std::vector<std::pair<std::uint64_t, Inputs>> record_;  ///< cycles with handshakes
  std::unique_ptr<Rtl> rtl_;
  unit::NdpEvents model_events_{2};
  std::unique_ptr<unit::NdpCycle> model_;
  bool started_ = false;
  bool finished_ = false;
  Outcome outcome_;
};

void compare(const bench::Writes& got, const bench::Writes& wanted, bool values) {
  if (got.size() != wanted.size()) {
    throw std::runtime_error(std::to_string(got.size()) + " bursts written, " +
                             std::to_string(wanted.size()) + " expected");
  }
  for (const auto& [place, burst] : wanted) {
    const auto found = got.find(place);
    const std::string where =
        "stream " + std::to_string(place.first) + " burst " + std::to_string(place.second);
    if (found == got.end()) throw std::runtime_error(where + " is not written");
    if (!values) continue;
    for (std::size_t i = 0; i < burst.size(); ++i) {
      if (found->second[i] == burst[i]) continue;
      throw std::runtime_error(where + " value " + std::to_string(i) + " is " +
                               std::to_string(found->second[i]) + ", expected " +
                               std::to_string(burst[i]));
    }
  }
}

/// FNV-1a over the bursts written and where they went.
std::uint64_t hash(const bench::Writes& writes) {
  std::uint64_t value = 0xcbf29ce484222325;
  const auto mix = [&value](std::uint64_t x) { value = (value ^ x) * 0x100000001b3; };
  for (const auto& [place, burst] : writes) {
    mix(place.first);
    mix(place.second);
    for (const auto v : burst) mix(v);
  }
  return value;
}

void write_out(const std::string& path, const bench::Writes& writes) {
  std::ofstream file(path, std::ios::binary);
  for (const auto& [place, burst] : writes) {
    file.write(reinterpret_cast<const char*>(&place.first), sizeof place.first);
    file.write(reinterpret_cast<const char*>(&place.second), sizeof place.second);
    file.write(reinterpret_cast<const char*>(burst.data()), sizeof burst);
  }
}

/// Runs a job and prints its line. False when it failed.
bool run(const std::string& line) {
  std::ostringstream json;
  bool ok = true;
  try {
    const Job job = bench::parse_job(line);
    const Case data = job.image.empty() ? Case(kUnit, job.shape, job.contents, job.seed)
                                        : Case(kUnit, bench::bytes_of_file(job.image));
    const Outcome outcome = Run(job, data).go();
    if (job.check) compare(outcome.writes, data.expected(), job.engine != "cycle");
    if (!job.out.empty()) write_out(job.out, outcome.writes);
    const double slots = static_cast<double>(outcome.events[0]);
    const auto cycles = static_cast<double>(outcome.cycles);
    json << "{\"ok\":true,\"cycles\":" << outcome.cycles << ",\"skipped\":" << outcome.skipped
         << ",\"events\":[";
    for (std::size_t i = 0; i < outcome.events.size(); ++i) {
      json << (i == 0 ? "" : ",") << outcome.events[i];
    }
    json << "],\"bursts\":" << data.bursts_to_read()
         << ",\"utilisation\":" << slots * (16.0 / kUnit.bits_per_cycle) / cycles
         << ",\"burstsPerCycle\":" << static_cast<double>(data.bursts_to_read()) / cycles
         << ",\"seconds\":" << outcome.seconds
         << ",\"kcyclesPerSecond\":" << cycles / outcome.seconds / 1000 << ",\"hash\":\""
         << std::hex << hash(outcome.writes) << "\"}";
  } catch (const std::exception& error) {
    ok = false;
    std::string text = error.what();
    for (char& c : text) c = c == '"' || c == '\\' || c == '\n' ? ' ' : c;
    json << "{\"ok\":false,\"error\":\"" << text << "\"}";
  }
  std::cout << json.str() << std::endl;
  return ok;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    std::string line;
    for (int i = 1; i < argc; ++i) line += std::string(argv[i]) + ' ';
    return run(line) ? 0 : 1;
  }
  bool ok = true;
  for (std::string line; std::getline(std::cin, line);) ok = run(line) && ok;
  return ok ? 0 : 1;
}
