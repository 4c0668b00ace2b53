// SPDX-License-Identifier: Apache-2.0
//
// The C interface of a unit whose streams a caller drives in batches, beside that of units of
// machines (unit_plugin.h) in the same shared object, with the same words of inputs and outputs.
// The loop over the cycles of a run is compiled with the model (driven_loop.h): a run is one call.
// Outputs may follow inputs in the same cycle. No abort crosses the interface, and no exception but
// std::bad_alloc of the records of messages.
//
// A stream has one lane or more. Lanes are numbered stream by stream, inputs and outputs together.
// A message is the words of its lane's payload, in the order of the fields.
#pragma once

#include <cstdint>

#include "rtl/shim/unit_plugin.h"

/// Values in memory of the side that passes them.
template <typename Value>
struct NeardataSpan {
  const Value* values = nullptr;
  std::uint64_t count = 0;

  [[nodiscard]] const Value* begin() const { return values; }
  [[nodiscard]] const Value* end() const { return values + count; }
};

extern "C" {

struct NeardataDriven;  // one unit with the state of its streams, and its model from the first run

enum : std::uint32_t { kNeardataDrivenAbi = 4 };

struct NeardataDrivenLane {
  bool into;            ///< the unit receives its messages
  std::uint32_t width;  ///< words of a message
};

/// Messages for a lane into the unit. Their memory belongs to the caller, until they have moved or
/// the unit is reset.
struct NeardataDrivenMessages {
  std::uint32_t lane;
  /// Before each message is one word with its pause: the cycles that the source waits before it.
  bool paused;
  const std::uint32_t* words;
  std::uint64_t count;  ///< of messages
};

/// From this run on, the other side of a lane rests in each cycle with this probability.
struct NeardataDrivenPauses {
  std::uint32_t lane;
  std::uint64_t seed;
  double probability;
};

/// From this run on, the lane `lane` answers the requests of the lane `asked` out of the unit: the
/// message whose number is the first word of the request, `latency` cycles later. The memory of
/// the messages belongs to the caller, until a reset or other answers of the lane.
struct NeardataDrivenAnswers {
  std::uint32_t asked;
  std::uint32_t lane;
  std::uint32_t latency;
  const std::uint32_t* words;
  std::uint64_t count;  ///< of messages
};

/// A word of inputs or of outputs.
struct NeardataDrivenWord {
  std::uint32_t word;
  std::uint32_t value;
};

/// So many messages of adjacent lanes together, in this run.
struct NeardataDrivenCount {
  std::uint32_t lane;
  std::uint32_t lanes;
  std::uint64_t count;
};

/// A message of a lane out of the unit with these words of outputs.
struct NeardataDrivenSeen {
  std::uint32_t lane;
  NeardataSpan<NeardataDrivenWord> words;
};

/// A run that has at least one condition ends after the cycle in which all of them are true.
struct NeardataDrivenRun {
  std::uint64_t cycles;  ///< at most
  NeardataSpan<NeardataDrivenMessages> sends;
  NeardataSpan<NeardataDrivenPauses> pauses;
  NeardataSpan<NeardataDrivenAnswers> answers;
  NeardataSpan<NeardataDrivenWord> sets;     ///< inputs of no stream, from here on
  NeardataSpan<NeardataDrivenCount> counts;  ///< a condition each
  NeardataSpan<NeardataDrivenWord> words;    ///< of outputs of no stream, a condition each
  NeardataSpan<NeardataDrivenSeen> seen;     ///< occurred in this run, a condition each
  bool rests;                                ///< `rest` is a condition
  std::uint64_t rest;                        ///< cycles without any handshake
  const char* waveform;                      ///< path of an FST file; null: none
  std::uint64_t from;                        ///< the cycles [from, to) of the waveform
  std::uint64_t to;
  /// False to stop the run; called from time to time.
  bool (*keep_going)(void* caller, std::uint64_t cycle);
  void* caller;
};

enum class NeardataDrivenFault : std::uint32_t {
  kNone,
  kStopped,     ///< by `keep_going`
  kWaveform,    ///< its file cannot be written
  kUnanswered,  ///< the unit asks for a message that its answers lack
  kFailed,      ///< an assertion failed or the model stopped: `error` has the reason
};

/// The messages of a lane in a run.
struct NeardataDrivenTaken {
  std::uint64_t moved;
  NeardataSpan<std::uint32_t> words;   ///< of all messages; empty for a lane into the unit
  NeardataSpan<std::uint32_t> cycles;  ///< as CycleRuns has them (driven_words.h)
  std::uint64_t waiting;               ///< messages that are still pending
};

/// The spans belong to the unit, until its next run or reset.
struct NeardataDrivenResult {
  NeardataDrivenFault fault;
  std::uint64_t unanswered;  ///< the number of the missing message
  bool reached;              ///< all conditions were true
  std::uint64_t cycle;       ///< the first one not executed
  NeardataSpan<NeardataDrivenTaken> lanes;
  NeardataSpan<std::uint32_t> outputs;  ///< those of no stream in the last executed cycle
  NeardataSpan<double> strobes;         ///< cycles of this run in which each bit was set
};

/// Receives a line that the model printed in a cycle, on the thread of the run.
struct NeardataDrivenPrinter {
  void (*print)(void* receiver, std::uint64_t cycle, const char* text, std::uint64_t length);
  void* receiver;
};

struct NeardataDrivenPlugin {
  std::uint32_t abi;
  NeardataSpan<NeardataDrivenLane> lanes;
  /// The unit before its reset.
  NeardataDriven* (*create)(NeardataDrivenPrinter printer);
  void (*destroy)(NeardataDriven* unit);
  /// The next run begins with a reset, with contents from `seed`; no message waits and no stream
  /// pauses.
  void (*reset)(NeardataDriven* unit, std::uint64_t seed);
  /// The smallest number of messages with which a lane can answer all pending requests.
  std::uint64_t (*answers_needed)(const NeardataDriven* unit, std::uint32_t lane);
  void (*run)(NeardataDriven* unit, const NeardataDrivenRun* run, NeardataDrivenResult* result);
  /// Of a unit that has failed.
  void (*error)(const NeardataDriven* unit, NeardataUnitError* error);
};

const NeardataDrivenPlugin* neardata_driven_plugin();
}

inline constexpr const char* kNeardataDrivenEntryName = "neardata_driven_plugin";
