// SPDX-License-Identifier: Apache-2.0
//
// The trace of the ports of `sparf_kernel`, cycle by cycle, and the comparison with the cycle
// model: for the same handshakes, the model must have every ready, valid, strobe and event count in
// the same cycle.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/state_pairs.h"
#include "unit/sparf/kernel/sparf_kernel_cycle.h"

namespace neardata::bench {

/// Signals of a cycle, by bit: outputs of the kernel, then its inputs, then its events.
enum KernelSignal : std::uint32_t {
  kHeadReady,
  kLineReady,
  kDimsValid,
  kKeyReady,
  kKeyDone,
  kValueReady,
  kValueDone,
  kSelectionValid,
  kOutValid,
  kKernelSignals,
};
constexpr std::array<const char*, kKernelSignals> kSignalNames = {
    "head ready",      "line ready",  "dims valid",      "key job ready", "keys done",
    "value job ready", "values done", "selection valid", "out valid"};

enum class Port : std::uint8_t { kHead, kLine, kDims, kKeys, kValues, kSelection, kOut };

struct Handshake {
  unit::KernelTime at;
  Port port;
  std::size_t index;  ///< of the port
};

/// Digits that a head's choices look at.
struct ChoiceDigits {
  std::uint32_t dims = 0;
  std::uint32_t tokens = 0;
};

struct KernelTrace {
  std::vector<std::uint32_t> cycles;  ///< KernelSignal by bit, and then the events
  std::vector<Handshake> handshakes;
  std::vector<unit::KernelHead> heads;
  std::vector<std::vector<std::uint32_t>> chosen;  ///< tokens, by head
  std::vector<ChoiceDigits> digits;                ///< by head
  std::vector<std::size_t> line_heads;             ///< to which head lines belong
  std::vector<unit::KernelKeyJob> keys;
  std::vector<std::size_t> key_heads;  ///< to which head they belong
  std::vector<unit::KernelValueJob> values;
  std::vector<std::uint32_t> dims;  ///< slots
  std::vector<unit::KernelSelection> selections;
  std::vector<unit::KernelLine> lines;

  [[nodiscard]] unit::SparfKernelCounts::Totals events() const {
    unit::SparfKernelCounts::Totals counts{};
    for (const std::uint32_t word : cycles) {
      for (std::size_t e = 0; e < counts.size(); ++e) counts[e] += word >> (kKernelSignals + e) & 1;
    }
    return counts;
  }

  /// A handshake at a port, and its payload.
  template <class T>
  void happens(unit::KernelTime at, Port port, std::vector<T>& list, T what) {
    handshakes.push_back({at, port, list.size()});
    list.push_back(std::move(what));
  }
};

inline bool operator==(const unit::KernelSelection& a, const unit::KernelSelection& b) {
  return a.slot == b.slot && a.beat == b.beat && a.last == b.last;
}
inline bool operator==(const unit::KernelLine& a, const unit::KernelLine& b) {
  return a.slot == b.slot && a.query == b.query && a.line == b.line && a.last == b.last;
}

class KernelReplay {
 public:
  KernelReplay(const unit::SparfParameters& parameters, const KernelTrace& trace)
      : model_(parameters), trace_(trace) {}

  /// Replays all handshakes on the model, and compares only the events at the end, which must be
  /// `expected`.
  [[nodiscard]] bool run(const unit::SparfKernelCounts::Totals& expected) {
    while (next_ < trace_.handshakes.size()) tell(trace_.handshakes[next_++]);
    return model_.events(end()) == expected;
  }

  /// Compares every cycle. Empty: no difference.
  [[nodiscard]] std::string compare() {
    unit::SparfKernelCounts::Totals counts{};
    for (unit::KernelTime at = 0; at < end(); ++at) {
      if (model_.events(at) != counts) return differs(at - 1, counts);
      const std::uint32_t word = trace_.cycles[static_cast<std::size_t>(at)];
      pairs_.see(model_.state(at), word);
      for (std::size_t e = 0; e < counts.size(); ++e) counts[e] += word >> (kKernelSignals + e) & 1;
      const std::uint32_t difference = (word ^ signals(at)) & ((1U << kKernelSignals) - 1);
      if (difference != 0) return differs(at, kSignalNames[std::countr_zero(difference)]);
      while (next_ < trace_.handshakes.size() && trace_.handshakes[next_].at == at) {
        if (!offered(trace_.handshakes[next_])) return differs(at, "what is offered");
        tell(trace_.handshakes[next_++]);
      }
    }
    return model_.events(end()) == counts ? "" : differs(end(), counts);
  }

  /// Of the cycles that were compared.
  [[nodiscard]] const StatePairs& pairs() const { return pairs_; }

 private:
  [[nodiscard]] unit::KernelTime end() const {
    return static_cast<unit::KernelTime>(trace_.cycles.size());
  }
  static std::string differs(unit::KernelTime at, const char* what) {
    return "cycle " + std::to_string(at) + ": " + what;
  }

  /// Events in order, as `expected` by the RTL and as counted.
  std::string differs(unit::KernelTime at, const unit::SparfKernelCounts::Totals& expected) {
    std::string counts = differs(at, "events");
    for (const std::uint64_t count : expected) counts += " " + std::to_string(count);
    counts += ", not";
    for (const std::uint64_t count : model_.events(at + 1)) counts += " " + std::to_string(count);
    return counts;
  }

  /// KernelSignal by bit, by the model.
  [[nodiscard]] std::uint32_t signals(unit::KernelTime at) {
    const auto bit = [](KernelSignal signal, bool high) {
      return static_cast<std::uint32_t>(high) << signal;
    };
    const auto strobe = [at](std::deque<unit::KernelTime>& done) {
      if (done.empty() || done.front() != at) return false;
      done.pop_front();
      return true;
    };
    return bit(kHeadReady, at >= model_.head_ready()) | bit(kLineReady, at >= model_.line_ready()) |
           bit(kDimsValid, at >= model_.dims_valid()) | bit(kKeyReady, at >= model_.key_ready()) |
           bit(kKeyDone, strobe(model_.keys_done())) |
           bit(kValueReady, at >= model_.value_ready()) |
           bit(kValueDone, strobe(model_.values_done())) |
           bit(kSelectionValid, at >= model_.selection_valid()) |
           bit(kOutValid, at >= model_.line_valid());
  }

  [[nodiscard]] bool offered(const Handshake& handshake) const {
    switch (handshake.port) {
      case Port::kDims:
        return model_.dims_slot() == trace_.dims[handshake.index];
      case Port::kSelection:
        return model_.selection_offered() == trace_.selections[handshake.index];
      case Port::kOut:
        return model_.line_offered() == trace_.lines[handshake.index];
      default:
        return true;
    }
  }

  void tell(const Handshake& handshake) {
    switch (handshake.port) {
      case Port::kHead:
        model_.head(handshake.at, trace_.heads[handshake.index]);
        break;
      case Port::kLine:
        model_.line(handshake.at, trace_.digits[trace_.line_heads[handshake.index]].dims);
        break;
      case Port::kDims:
        model_.dims(handshake.at);
        break;
      case Port::kKeys: {
        unit::KernelKeyJob job = trace_.keys[handshake.index];
        job.chosen = trace_.chosen[trace_.key_heads[handshake.index]];
        job.digits = trace_.digits[trace_.key_heads[handshake.index]].tokens;
        model_.key_job(handshake.at, job);
        break;
      }
      case Port::kValues:
        model_.value_job(handshake.at, trace_.values[handshake.index]);
        break;
      case Port::kSelection:
        model_.selection(handshake.at);
        break;
      case Port::kOut:
        model_.line_taken(handshake.at);
        break;
    }
  }

  unit::SparfKernelCycle model_;
  const KernelTrace& trace_;
  std::size_t next_ = 0;
  StatePairs pairs_;
};

}  // namespace neardata::bench
