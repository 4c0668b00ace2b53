// SPDX-License-Identifier: Apache-2.0
//
// Runs `sparf_engine` on a case of sparf_case.h, without Node:
//   sparf CASE RESULT [WAVEFORM [PAIRS [RECORD [RESET]]]]   the argument - is none
// Pages arrive over channels (the head and index of a page select the channel) after random
// latencies, so in any order; every port may stall. The engine begins with random contents from the
// seed. PAIRS receives the pairs of states of flash and DRAM and of the RTL (state_pairs.h), RECORD
// the messages of all streams (port_record.h). RESET is a cycle in which a reset begins, after
// which all descriptors are enqueued anew: with CYCLE:wait the reset lasts until no read is
// outstanding, with CYCLE alone pages and lines arrive during the new jobs. CYCLE:wait:rewrite then
// restores the contents of DRAM from before the first descriptor, as a driver does. Prints
// {"cycles":N,"seconds":S,"events":"X"} from the last reset on, seconds of the processor, X a hash
// of all strobes in all cycles. Exit code 1: an assertion fired, the engine asked for something
// that is not there, or it did not end; 2: the case is none.
#include <verilated_fst_c.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <map>
#include <memory>

#include "Vsparf_engine.h"
#include "rtl/shim/verilated_bits.h"
#include "testbench/file_bytes.h"
#include "testbench/sparf_case.h"
#include "testbench/sparf_record.h"
#include "testbench/state_pairs.h"

namespace {

using namespace sparf_case;
using neardata::bench::mixed;
using neardata::rtl::clear;
using neardata::rtl::get_field;
using neardata::rtl::or_field;

constexpr unsigned kChannels = RTL_PARAMETER_Channels;
constexpr unsigned kKernels = RTL_PARAMETER_Kernels;
constexpr unsigned kMaskWords = (kWidth + 31) / 32;

// Fields of the seen_* ports, of each kernel.
constexpr unsigned kSlotBits = 4;
constexpr unsigned kTagBits = 16;
constexpr unsigned kBeatBits = 16;
constexpr unsigned kMaskBits = 8;

// Events of channels follow those of the engine.
constexpr unsigned kOwnEvents = 8;

class Random {
 public:
  explicit Random(std::uint32_t seed) : state_(seed * 2654435761U + 1U) {}
  std::uint32_t below(std::uint32_t bound) {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<std::uint32_t>((std::uint64_t{state_} * bound) >> 32U);
  }

 private:
  std::uint32_t state_;
};

/// One flash channel: pages that wait to be sent, and the one being sent.
struct Channel {
  struct Waiting {
    std::uint64_t ready;
    std::uint32_t tag;
    Page page;
  };
  std::vector<Waiting> waiting;
  std::vector<std::uint16_t> data;
  std::uint32_t tag = 0;
  std::size_t beat = 0;
  std::size_t beats = 0;
  bool error = false;
  bool offered = false;
  std::uint64_t next_num = 0;  ///< the next beat's time, times beat_den
};

bool has(const char* reset, const char* option) {
  return reset != nullptr && std::strstr(reset, option) != nullptr;
}

/// The context of a model whose contents before its reset are generated from `seed`.
VerilatedContext* drawing(VerilatedContext& context, std::uint32_t seed) {
  constexpr int kDrawn = 2;
  context.randReset(kDrawn);
  context.randSeed(static_cast<int>(seed) + 1);  // with 0 the time would be the seed
  Verilated::threadContextp(&context);
  return &context;
}

class Bench {
 public:
  Bench(Case input, const char* waveform, bool watched, bool recorded, const char* reset)
      : watched_(watched),
        recorded_(recorded),
        reset_at_(reset == nullptr ? 0 : std::strtoull(reset, nullptr, 10)),
        reset_waits_(has(reset, ":wait")),
        reset_rewrites_(has(reset, ":rewrite")),
        top_(drawing(context_, input.header.seed)),
        case_(std::move(input)),
        random_(case_.header.seed) {
    if (reset_rewrites_) laid_out_ = case_.dram;
    context_.fatalOnError(false);
    if (waveform != nullptr) {
      context_.traceEverOn(true);
      trace_ = std::make_unique<VerilatedFstC>();
      top_.trace(trace_.get(), 99);
      trace_->open(waveform);
    }
    clear(top_.ch_tag_i);
    clear(top_.ch_data_i);
    top_.rst_ni = 0;
    for (; now_ < kResetCycles; rise()) fall();
    top_.rst_ni = 1;
    top_.eval();
  }
  ~Bench() {
    if (trace_) trace_->close();
    top_.final();
  }

  /// False: it did not end, or requested a missing page or line.
  bool run() {
    const std::size_t wanted = case_.descriptors.size();
    while (result_.done.size() < wanted || top_.quiet_o == 0) {
      if (now_ > case_.header.longest) return complain("it does not end");
      if (reset_at_ != 0 && now_ == reset_at_ + kResetCycles) restart();
      drive();
      fall();
      if (watched_) see_states();
      if (recorded_) record_.see(top_, now_ - kResetCycles);
      if (!sample()) return false;
      rise();
      if (context_.gotError()) return complain("an assertion fired");
    }
    result_.cycles = stamp();
    return true;
  }

  [[nodiscard]] const Result& result() const { return result_; }
  [[nodiscard]] const neardata::bench::StatePairs& pairs() const { return pairs_; }
  [[nodiscard]] const std::vector<Line>& dram() const { return case_.dram; }
  [[nodiscard]] const neardata::bench::SparfRecord& record() const { return record_; }
  /// Since the reset.
  [[nodiscard]] std::uint64_t cycles() const { return now_ - since_ - kResetCycles; }
  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  bool complain(const char* what) {
    std::fprintf(stderr, "cycle %llu: %s\n", static_cast<unsigned long long>(now_), what);
    return false;
  }

  /// The clock falls with the inputs of the cycle that its rise then ends.
  void fall() {
    top_.clk_i = 0;
    top_.eval();
    if (trace_) trace_->dump(2 * now_);
  }
  void rise() {
    top_.clk_i = 1;
    top_.eval();
    if (trace_) trace_->dump(2 * now_ + 1);
    context_.timeInc(1);
    ++now_;
  }

  /// The cycle, counted as if the last reset had been the first.
  [[nodiscard]] std::uint32_t stamp() const { return static_cast<std::uint32_t>(now_ - since_); }

  /// A reset, during which requested pages and lines still arrive. Completed work is discarded.
  void restart() {
    top_.rst_ni = 0;
    top_.desc_valid_i = 0;
    top_.done_ready_i = 0;
    top_.page_req_ready_i = 0;
    top_.dr_req_ready_i = 0;
    top_.dw_ready_i = 0;
    const std::uint64_t begin = now_;
    while (now_ < begin + kResetCycles || (reset_waits_ && expects())) {
      drive_answers();
      fall();
      take_beats();
      rise();
    }
    top_.rst_ni = 1;
    if (reset_rewrites_) case_.dram = laid_out_;
    since_ = now_ - kResetCycles;
    reset_at_ = 0;
    result_ = {};
    events_ = 0;
    rung_ = 0;
    desc_offered_ = false;
  }

  [[nodiscard]] bool expects() const {
    return !answers_.empty() || std::ranges::any_of(channels_, [](const Channel& channel) {
      return !channel.waiting.empty() || channel.beat != channel.beats;
    });
  }

  bool pauses() { return random_.below(256) < case_.header.pause; }

  void drive() {
    if (!desc_offered_ && rung_ < case_.descriptors.size() && !pauses()) {
      const Descriptor& next = case_.descriptors[rung_];
      if (!next.barrier || result_.done.size() == rung_) {
        std::copy(next.words.begin(), next.words.end(), top_.desc_i.data());
        desc_offered_ = true;
      }
    }
    top_.desc_valid_i = desc_offered_;
    top_.done_ready_i = !pauses();
    top_.page_req_ready_i = !pauses();
    top_.dr_req_ready_i = !pauses();
    top_.dw_ready_i = !pauses();
    drive_answers();
  }

  void drive_answers() {
    top_.dr_rsp_valid_i = 0;
    if (!answers_.empty() && answers_.front().first <= now_) {
      top_.dr_rsp_valid_i = 1;
      std::copy(answers_.front().second.begin(), answers_.front().second.end(),
                top_.dr_rsp_data_i.data());
      answers_.pop_front();
    }
    for (unsigned c = 0; c < kChannels; ++c) {
      drive_channel(c);
      set(top_.ch_valid_i, c, channels_[c].offered);
    }
  }

  void drive_channel(unsigned c) {
    Channel& channel = channels_[c];
    if (channel.beat == channel.beats) begin_page(channel);
    if (!channel.offered && channel.beat < channel.beats &&
        channel.next_num <= now_ * case_.header.beat_den && !pauses()) {
      channel.offered = true;
      set(top_.ch_first_i, c, channel.beat == 0);
      set(top_.ch_error_i, c, channel.error);
      put(top_.ch_tag_i, c, 16, channel.tag);
      const auto* halves = channel.data.data() + channel.beat * 4;
      put(top_.ch_data_i, 2 * c, 32, halves[0] | std::uint32_t{halves[1]} << 16U);
      put(top_.ch_data_i, 2 * c + 1, 32, halves[2] | std::uint32_t{halves[3]} << 16U);
      if (result_.first_beat == 0) result_.first_beat = stamp();
    }
  }

  template <typename Port>
  static void set(Port& port, unsigned bit, bool value) {
    port = static_cast<Port>((port & ~(1U << bit)) | (value ? 1U : 0U) << bit);
  }

  template <typename Port>
  static void put(Port& port, unsigned field, unsigned width, std::uint32_t value) {
    const std::uint32_t old = get_field(port, field * width, width);
    or_field(port, field * width, width, value);
    if ((old & ~value) != 0) replace(port, field * width, width, old & ~value);
  }

  /// Clears the bits of `mask` in a field.
  template <std::size_t Words>
  static void replace(VlWide<Words>& port, unsigned lsb, unsigned, std::uint32_t mask) {
    const std::uint64_t pair = std::uint64_t{mask} << lsb % 32;
    port[lsb / 32] &= ~static_cast<std::uint32_t>(pair);
    if (pair >> 32U != 0) port[lsb / 32 + 1] &= ~static_cast<std::uint32_t>(pair >> 32U);
  }
  template <std::unsigned_integral Port>
  static void replace(Port& port, unsigned lsb, unsigned, std::uint32_t mask) {
    port = static_cast<Port>(port & ~(std::uint64_t{mask} << lsb));
  }

  void begin_page(Channel& channel) {
    const auto next =
        std::min_element(channel.waiting.begin(), channel.waiting.end(),
                         [](const auto& a, const auto& b) { return a.ready < b.ready; });
    if (next == channel.waiting.end() || next->ready > now_) return;
    const Head& head = case_.heads[next->page.head];
    channel.data = head.page(next->page.kind, next->page.index);
    channel.error = case_.failures.contains({next->page.head, next->page.kind, next->page.index});
    channel.tag = next->tag;
    channel.beat = 0;
    channel.beats = channel.error ? 1 : channel.data.size() / 4;
    channel.next_num =
        std::max(channel.next_num + std::uint64_t{case_.header.page_gap} * case_.header.beat_den,
                 (now_ - 1) * case_.header.beat_den);
    channel.waiting.erase(next);
  }

  bool sample() {
    if (desc_offered_ && top_.desc_ready_o != 0) {
      desc_offered_ = false;
      ++rung_;
    }
    if (top_.done_valid_o != 0 && top_.done_ready_i != 0) {
      result_.done.push_back({top_.done_o, stamp()});
    }
    if (top_.page_req_valid_o != 0 && top_.page_req_ready_i != 0 && !request_page()) {
      return complain("a page is requested that is not there");
    }
    take_beats();
    if (top_.dr_req_valid_o != 0 && top_.dr_req_ready_i != 0) {
      if (top_.dr_req_addr_o >= case_.dram.size()) return complain("a line is read that is not");
      const std::uint64_t last = answers_.empty() ? 0 : answers_.back().first;
      const std::uint64_t at = now_ + case_.header.dram_latency + (pauses() ? 5 : 0);
      answers_.emplace_back(std::max(at, last), case_.dram[top_.dr_req_addr_o]);
    }
    if (top_.dw_valid_o != 0 && top_.dw_ready_i != 0) {
      if (top_.dw_addr_o >= case_.dram.size()) return complain("a line is written that is not");
      std::copy_n(top_.dw_data_o.data(), kLineWords, case_.dram[top_.dw_addr_o].begin());
    }
    for (unsigned c = 0; c < kChannels; ++c) {
      result_.beats_in += get_field(top_.events_o, kOwnEvents + c, 1);
      result_.beats_kept += get_field(top_.events_o, kOwnEvents + kChannels + c, 1);
      result_.waits += get_field(top_.events_o, kOwnEvents + 2 * kChannels + c, 1);
    }
    for (unsigned k = 0; k < kKernels; ++k) see(k);
    for (unsigned bit = 0; bit < 8 * sizeof top_.events_o; bit += 32) {
      events_ = mixed(events_, get_field(top_.events_o, bit, 32));
    }
    return true;
  }

  void take_beats() {
    for (unsigned c = 0; c < kChannels; ++c) {
      Channel& channel = channels_[c];
      if (!channel.offered || (top_.ch_ready_o >> c & 1U) == 0) continue;
      channel.offered = false;
      channel.next_num += case_.header.beat_num;
      ++channel.beat;
      result_.last_beat = stamp();
    }
  }

  bool request_page() {
    const auto field = [this](unsigned lsb, unsigned width) {
      return get_field(top_.page_req_o, lsb, width);
    };
    const Page page{.kind = field(48, 2),
                    .head = field(16, 32),
                    .index = field(50, 32),
                    .write = field(82, 1) != 0};
    result_.pages.push_back(page);
    if (page.write) return true;
    if (page.head >= case_.heads.size()) return false;
    const Header& header = case_.header;
    const std::uint32_t spread = header.latency_most - header.latency_least;
    channels_[(page.index + page.head) % kChannels].waiting.push_back(
        {now_ + header.latency_least + (spread == 0 ? 0 : random_.below(spread)), field(0, 16),
         page});
    return true;
  }

  /// Records the state of flash, DRAM and the doorbell together with the outputs of the RTL.
  void see_states() {
    constexpr std::size_t kMany = 2;
    std::uint64_t around = mixed(std::min(answers_.size(), kMany), desc_offered_ ? 1 : 0);
    around = mixed(around, std::min(rung_ - result_.done.size(), kMany * kKernels));
    for (const Channel& channel : channels_) {
      const bool sends = channel.beat < channel.beats;
      around = mixed(around, (channel.waiting.empty() ? 0U : 1U) | (sends ? 2U : 0U) |
                                 (channel.beat == 0 ? 4U : 0U) | (channel.offered ? 8U : 0U));
    }
    std::uint64_t rtl = 0;
    for (const std::uint64_t said :
         {std::uint64_t{top_.quiet_o}, std::uint64_t{top_.desc_ready_o},
          std::uint64_t{top_.done_valid_o}, std::uint64_t{top_.page_req_valid_o},
          std::uint64_t{top_.dr_req_valid_o}, std::uint64_t{top_.dw_valid_o},
          std::uint64_t{top_.ch_ready_o}, std::uint64_t{top_.seen_head_valid_o},
          std::uint64_t{top_.seen_dims_valid_o}, std::uint64_t{top_.seen_sel_valid_o},
          std::uint64_t{top_.seen_alpha_valid_o}}) {
      rtl = mixed(rtl, said);
    }
    for (unsigned bit = 0; bit < 8 * sizeof top_.events_o; bit += 32) {
      rtl = mixed(rtl, get_field(top_.events_o, bit, 32));
    }
    pairs_.see(around, rtl);
  }

  void see(unsigned k) {
    const auto of = [k](const auto& port, unsigned width) {
      return get_field(port, k * width, width);
    };
    if (of(top_.seen_head_valid_o, 1) != 0) {
      slots_[k][of(top_.seen_head_slot_o, kSlotBits)] = result_.choices.size();
      result_.choices.push_back(
          {.tag = of(top_.seen_head_tag_o, kTagBits), .dims = {}, .tokens = {}});
    }
    if (of(top_.seen_dims_valid_o, 1) != 0) {
      Choice& choice = result_.choices.at(slots_[k][of(top_.seen_dims_slot_o, kSlotBits)]);
      for (unsigned w = 0; w < kMaskWords; ++w) {
        choice.dims.push_back(
            get_field(top_.seen_dims_mask_o, k * kWidth + 32 * w, std::min(kWidth - 32 * w, 32U)));
      }
    }
    if (of(top_.seen_sel_valid_o, 1) != 0) {
      Choice& choice = result_.choices.at(slots_[k][of(top_.seen_sel_slot_o, kSlotBits)]);
      const std::uint32_t mask = of(top_.seen_sel_mask_o, kMaskBits);
      for (unsigned i = 0; i < kMaskBits; ++i) {
        if ((mask >> i & 1U) == 0) continue;
        choice.tokens.push_back(of(top_.seen_sel_beat_o, kBeatBits) * kMaskBits + i);
      }
    }
  }

  static constexpr std::uint64_t kResetCycles = 4;

  bool watched_;
  bool recorded_;
  std::uint64_t reset_at_;  ///< 0 for none, or no more
  bool reset_waits_;
  bool reset_rewrites_;
  neardata::bench::StatePairs pairs_;
  neardata::bench::SparfRecord record_;
  VerilatedContext context_;
  Vsparf_engine top_;
  std::unique_ptr<VerilatedFstC> trace_;
  Case case_;
  std::vector<Line> laid_out_;  ///< contents of DRAM before the first descriptor
  Random random_;
  Result result_;
  std::uint64_t now_ = 0;
  std::uint64_t since_ = 0;   ///< cycles that do not count
  std::uint64_t events_ = 0;  ///< hash
  std::size_t rung_ = 0;
  bool desc_offered_ = false;
  std::array<Channel, kChannels> channels_;
  std::deque<std::pair<std::uint64_t, Line>> answers_;
  std::array<std::map<std::uint32_t, std::size_t>, kKernels> slots_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 7) {
    std::fprintf(stderr, "usage: sparf CASE RESULT [WAVEFORM [PAIRS [RECORD [RESET]]]]\n");
    return 2;
  }
  return neardata::bench::exit_code_of(argv[1], [argc, argv] {
    const auto file = [argc, argv](int at) {
      return argc > at && std::strcmp(argv[at], "-") != 0 ? argv[at] : nullptr;
    };
    const char* pairs = file(4);
    const char* record = file(5);
    Bench bench(read_case(neardata::bench::bytes_of_file(argv[1])), file(3), pairs != nullptr,
                record != nullptr, file(6));
    const std::clock_t begin = std::clock();
    const bool ended = bench.run();
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    write_result(argv[2], bench.result(), bench.dram());
    if (pairs != nullptr) bench.pairs().write(pairs);
    if (record != nullptr) bench.record().write(record, bench.cycles());
    std::printf("{\"cycles\":%llu,\"seconds\":%.9f,\"events\":\"%llx\"}\n",
                static_cast<unsigned long long>(bench.cycles()), seconds,
                static_cast<unsigned long long>(bench.events()));
    return ended ? 0 : 1;
  });
}
