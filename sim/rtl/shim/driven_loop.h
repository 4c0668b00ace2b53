// SPDX-License-Identifier: Apache-2.0
//
// The loop over the cycles of a driven unit's run, compiled with its model: the interface of
// driven_plugin.h for the code that is generated from the unit's ports, `Ports` (model_shim.h) and
// a type `Streams` with the lanes and positions of each stream (`kStreams`, `kPieces`), the
// position and the bits of the counted strobes (`kStrobeWord`, `kStrobeBits`), and copies between
// words and ports:
// - `drive_handshake<S>`: the valid of a stream into the unit, the ready of another one;
// - `sample_handshake<S>`: the ready of a stream into the unit, the valid of another one;
// - `drive<S>`, `sample<S>`: the payload, whose words begin at the one that is passed;
// - `drive_rest`, `sample_rest`: ports of no stream.
//
// The model evicts all other data from the L1 cache, so each cycle accesses as few lines as
// possible: state of every cycle is adjacent, and ports are written only when they change.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "rtl/shim/driven_lanes.h"
#include "rtl/shim/driven_plugin.h"
#include "rtl/shim/driven_words.h"
#include "rtl/shim/model_shim.h"
#include "rtl/shim/verilated_bits.h"

namespace neardata::rtl {

/// A word that belongs to no port of a stream: always set.
inline constexpr std::uint32_t kAlways = 0xFFFFFFFF;

/// Lanes side by side: their valids are the low bits of one word, their readys of another.
struct DrivenStream {
  bool into;
  std::uint32_t lanes;
  std::uint32_t in_word;   ///< the word of inputs that `drive_handshake` reads; or kAlways
  std::uint32_t out_word;  ///< the word of outputs that `sample_handshake` writes; or kAlways
  std::uint32_t base;      ///< the first word of the payload
  std::uint32_t width;     ///< words of a message
  std::uint32_t first;     ///< of its pieces; only a stream with several lanes has any
  std::uint32_t pieces;
};

/// Adjacent words of a message in the payload of a stream with several lanes. Behind those of lane
/// 0 are those of lane 1, and so on.
struct DrivenPiece {
  std::uint32_t from;  ///< of lane 0, from the first word of the payload
  std::uint32_t words;
};

/// A model whose clock the loop moves.
template <typename Ports>
class DrivenModel : public ModelShim<Ports> {
 public:
  using ModelShim<Ports>::ModelShim;
  using ModelShim<Ports>::enter;
  using ModelShim<Ports>::fall;
  using ModelShim<Ports>::model;
  using ModelShim<Ports>::rise;
};

template <typename Ports, typename Streams>
class DrivenLoop {
 public:
  static constexpr std::size_t kCount = Streams::kStreams.size();
  static constexpr std::size_t kLanes = [] {
    std::size_t all = 0;
    for (const DrivenStream& stream : Streams::kStreams) all += stream.lanes;
    return all;
  }();
  static constexpr auto kLaneTable = [] {
    std::array<NeardataDrivenLane, kLanes> all{};
    std::size_t at = 0;
    for (const DrivenStream& stream : Streams::kStreams) {
      for (std::uint32_t i = 0; i < stream.lanes; ++i) all[at++] = {stream.into, stream.width};
    }
    return all;
  }();

  explicit DrivenLoop(NeardataDrivenPrinter printer) : printer_(printer) { reset(0); }
  DrivenLoop(const DrivenLoop&) = delete;
  DrivenLoop& operator=(const DrivenLoop&) = delete;

  void reset(std::uint64_t seed) {
    model_.reset();
    seed_ = seed;
    inputs_.fill(0);
    outputs_.fill(0);
    open_.fill(0);
    schedule_.clear();
    for (std::size_t i = 0; i < kSources; ++i) sources_[i].clear(fronts_[i]);
    for (DrivenSink& sink : sinks_) sink.clear();
    moves_.reset();
    cycle_ = 0;
    tracing_ = false;
    failed_ = false;
  }

  [[nodiscard]] std::uint64_t answers_needed(std::uint32_t lane) const {
    return sources_[kPlaces[lane]].answers_needed();
  }

  void error(NeardataUnitError& error) const {
    error.place = model_->context().place().c_str();
    error.message = model_->context().message().c_str();
  }

  void run(const NeardataDrivenRun& run, NeardataDrivenResult& result) {
    start();
    begin(run);
    result.fault = failed_ ? NeardataDrivenFault::kFailed : cycles(run, result.reached);
    if (tracing_) model_->close_trace();
    tracing_ = false;
    model_->end_line();
    end(result);
  }

 private:
  /// Cycles between two calls of `keep_going`. A cycle of large RTL takes milliseconds.
  static constexpr std::uint64_t kStride = 64;

  static constexpr const DrivenStream& stream(std::size_t number) {
    return Streams::kStreams[number];
  }
  /// The number of a stream's first lane.
  static constexpr std::size_t lane_of(std::size_t number) {
    std::size_t all = 0;
    for (std::size_t i = 0; i < number; ++i) all += stream(i).lanes;
    return all;
  }
  /// The place of a stream's first lane among those of its direction. Lanes of a stream into the
  /// unit are in one set of the schedule, so some places may have no lane.
  static constexpr std::size_t place_of(std::size_t number) {
    const bool into = stream(number).into;
    std::size_t all = 0;
    for (std::size_t i = 0; i <= number; ++i) {
      if (stream(i).into != into) continue;
      if (into && all % kScheduleSet + stream(i).lanes > kScheduleSet)
        all += kScheduleSet - all % kScheduleSet;
      if (i == number) break;
      all += stream(i).lanes;
    }
    return all;
  }
  static constexpr std::size_t places(bool into) {
    std::size_t all = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      if (stream(i).into == into) all = place_of(i) + stream(i).lanes;
    }
    return all;
  }
  static constexpr std::size_t kSources = places(true);
  static constexpr std::size_t kSinks = places(false);
  /// Of each lane, among the sources or the sinks.
  static constexpr auto kPlaces = [] {
    std::array<std::uint32_t, kLanes> all{};
    for (std::size_t i = 0; i < kCount; ++i) {
      for (std::size_t bit = 0; bit < stream(i).lanes; ++bit) {
        all[lane_of(i) + bit] = static_cast<std::uint32_t>(place_of(i) + bit);
      }
    }
    return all;
  }();
  /// Lanes of each stream as bits.
  using Lanes = std::array<std::uint32_t, kCount>;
  /// A lane as a bit of its stream.
  struct LaneBit {
    std::uint32_t stream;
    std::uint32_t bit;
  };
  static constexpr auto kLaneBits = [] {
    std::array<LaneBit, kLanes> all{};
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < kCount; ++i) {
      for (std::uint32_t bit = 0; bit < stream(i).lanes; ++bit) all[at++] = {i, bit};
    }
    return all;
  }();
  /// The bits of all lanes of a stream.
  static constexpr std::uint32_t all_lanes(std::size_t number) {
    return low_bits(stream(number).lanes);
  }

  /// Calls `call` with the number of each stream as a template argument.
  template <typename Call>
  [[gnu::always_inline]] static void each(Call call) {
    [&]<std::size_t... S>(std::index_sequence<S...>) { (call.template operator()<S>(), ...); }
    (std::make_index_sequence<kCount>());
  }
  /// Calls `call` with each set bit of a word of lanes of stream S.
  template <std::size_t S, typename Call>
  [[gnu::always_inline]] static void each_bit(std::uint32_t lanes, Call call) {
    if constexpr (stream(S).lanes == 1) {
      call(0U);
    } else {
      for (; lanes != 0; lanes &= lanes - 1) call(static_cast<unsigned>(std::countr_zero(lanes)));
    }
  }
  /// Calls `call` with the position of each piece of a lane's message in the payload of stream S,
  /// its position in the message, and its words, as a constant.
  template <std::size_t S, typename Call>
  [[gnu::always_inline]] static void each_piece(unsigned bit, Call call) {
    std::size_t at = 0;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const auto piece = [&]<std::size_t K>() {
        constexpr DrivenPiece kPiece = Streams::kPieces[stream(S).first + K];
        call(kPiece.from + bit * kPiece.words, at,
             std::integral_constant<std::size_t, kPiece.words>());
        at += kPiece.words;
      };
      (piece.template operator()<I>(), ...);
    }
    (std::make_index_sequence<stream(S).pieces>());
  }

  static void print(void* loop, const char* text, std::uint64_t length) {
    const auto& self = *static_cast<DrivenLoop*>(loop);
    self.printer_.print(self.printer_.receiver, self.cycle_, text, length);
  }

  /// Creates the model and resets it, if `reset` was called since the last run. The RTL may block
  /// its thread for any time, so it is evaluated only in runs.
  void start() {
    if (model_) {
      model_->enter();
      return;
    }
    const NeardataUnitStart start{
        .seed = seed_, .assertions = true, .printer = {.print = print, .receiver = this}};
    model_.emplace(start);
  }

  void begin(const NeardataDrivenRun& run) {
    for (const NeardataDrivenWord& set : run.sets) inputs_[set.word] = set.value;
    Streams::drive_rest(model_->model(), inputs_.data());
    for (const NeardataDrivenPauses& pauses : run.pauses) {
      const std::uint32_t place = kPlaces[pauses.lane];
      if (kLaneTable[pauses.lane].into) {
        sources_[place].flip(PauseCoin(pauses), fronts_[place]);
      } else {
        sinks_[place].coin = PauseCoin(pauses);
      }
    }
    for (const NeardataDrivenMessages& sent : run.sends) {
      const std::uint32_t place = kPlaces[sent.lane];
      schedule(place, sources_[place].add(sent, fronts_[place], cycle_), cycle_);
    }
    for (const NeardataDrivenAnswers& answers : run.answers) {
      const std::uint32_t place = kPlaces[answers.lane];
      sources_[place].answer_from(answers, kLaneTable[answers.lane].width, fronts_[place]);
      DrivenSink& sink = sinks_[kPlaces[answers.asked]];
      sink.answered = true;
      sink.answering = place;
      sink.latency = answers.latency;
    }
    moves_.begin();
    strobes_.begin();
    for (DrivenFront& front : fronts_) front.moved = 0;
    resting_sinks_ = false;
    each([this]<std::size_t S>() {
      if constexpr (!stream(S).into) {
        open_[S] = all_lanes(S);
        for (std::uint32_t bit = 0; bit < stream(S).lanes; ++bit) {
          DrivenSink& sink = sinks_[place_of(S) + bit];
          sink.words.clear();
          sink.moved = 0;
          resting_sinks_ |= sink.coin.pauses();
        }
        drive_handshake<S>();
      }
    });
    pending_.assign(run.seen.begin(), run.seen.end());
    unanswered_.reset();
    resting_ = 0;
  }

  void schedule(std::size_t place, DrivenSource::Due due, std::uint64_t next) {
    if (due) schedule_.add(place, *due, next);
  }

  [[nodiscard]] NeardataDrivenFault cycles(const NeardataDrivenRun& run, bool& reached) {
    const bool ends = run.counts.count + run.words.count + run.seen.count != 0 || run.rests;
    const std::uint64_t rest = run.rests ? run.rest : 0;
    bool counted = false;  // it stays true within a run
    for (std::uint64_t done = 0; done != run.cycles; ++done) {
      if (done % kStride == kStride - 1 && !run.keep_going(run.caller, cycle_)) {
        return NeardataDrivenFault::kStopped;
      }
      if (run.waveform != nullptr && !trace(run)) return NeardataDrivenFault::kWaveform;
      offer();
      model_->fall();
      const auto accepted = exchange();
      if (ends) {
        const bool compares = done == 0 || resting_ == 0;  // counts change with a handshake
        if (!counted && compares) counted = all_counted(run, accepted);
        reached = counted && resting_ >= rest && are(run.words);
      }
      const bool alive = model_->rise();
      accept(accepted, !reached && done + 1 != run.cycles);
      moves_.end(cycle_);
      if (!alive) {
        failed_ = true;
        return NeardataDrivenFault::kFailed;
      }
      ++cycle_;
      if (unanswered_) return NeardataDrivenFault::kUnanswered;
      if (reached) break;
    }
    return NeardataDrivenFault::kNone;
  }

  /// Begins and ends the waveform; false if its file cannot be written.
  [[nodiscard]] bool trace(const NeardataDrivenRun& run) {
    const bool inside = cycle_ >= run.from && cycle_ < run.to;
    if (inside == tracing_) return true;
    tracing_ = inside && model_->open_trace(run.waveform, cycle_);
    if (!inside) model_->close_trace();
    return tracing_ == inside;
  }

  /// Offers the messages that are due, and lets the sinks rest.
  void offer() {
    schedule_.look(cycle_);
    const auto due = schedule_.take(cycle_);
    std::uint64_t any = 0;
    for (const std::uint64_t set : due) any |= set;
    if (any != 0) {
      each([this, &due]<std::size_t S>() {
        if constexpr (stream(S).into) {
          constexpr std::size_t kFirst = place_of(S);
          const std::uint32_t lanes =
              static_cast<std::uint32_t>(due[kFirst / kScheduleSet] >> kFirst % kScheduleSet) &
              all_lanes(S);
          if (lanes != 0) offer<S>(lanes);
        }
      });
    }
    if (resting_sinks_) [[unlikely]]
      rest_sinks();
  }

  template <std::size_t S>
  [[gnu::always_inline]] void offer(std::uint32_t lanes) {
    std::uint32_t offered = lanes;
    each_bit<S>(lanes, [this, &offered](unsigned bit) {
      const std::size_t place = place_of(S) + bit;
      if (fronts_[place].pausing && sources_[place].rests()) [[unlikely]] {
        schedule_.add(place, cycle_ + 1, cycle_ + 1);
        offered &= ~(1U << bit);
      }
    });
    if (offered == 0) return;
    drive_messages<S>(offered);
    open_[S] |= offered;
    drive_handshake<S>();
  }

  /// Writes the next messages of lanes of a stream to its ports.
  template <std::size_t S>
  [[gnu::always_inline]] void drive_messages(std::uint32_t lanes) {
    static constexpr DrivenStream kStream = stream(S);
    if constexpr (kStream.width == 0) {
      return;
    } else if constexpr (kStream.lanes == 1) {
      Streams::template drive<S>(model_->model(), fronts_[place_of(S)].message);
    } else {
      each_bit<S>(lanes, [this](unsigned bit) {
        const std::uint32_t* const message = fronts_[place_of(S) + bit].message;
        each_piece<S>(bit, [this, message](std::size_t place, std::size_t at, auto words) {
          std::copy_n(message + at, words(), &inputs_[kStream.base + place]);
        });
      });
      Streams::template drive<S>(model_->model(), &inputs_[kStream.base]);
    }
  }

  [[gnu::noinline]] void rest_sinks() {
    each([this]<std::size_t S>() {
      // A sink without ready accepts every message.
      if constexpr (!stream(S).into && stream(S).in_word != kAlways) {
        for (unsigned bit = 0; bit < stream(S).lanes; ++bit) {
          PauseCoin& coin = sinks_[place_of(S) + bit].coin;
          if (!coin.pauses()) continue;
          const std::uint32_t mask = 1U << bit;
          open_[S] = coin.rests() ? open_[S] & ~mask : open_[S] | mask;
        }
        drive_handshake<S>();
      }
    });
  }

  template <std::size_t S>
  void drive_handshake() {
    if constexpr (stream(S).in_word != kAlways) {
      inputs_[stream(S).in_word] = open_[S];
      Streams::template drive_handshake<S>(model_->model(), inputs_.data());
    }
  }

  /// Records the messages out of the unit. The lanes of each stream into it that were accepted.
  [[gnu::always_inline]] Lanes exchange() {
    Lanes accepted{};
    bool any = false;
    each([this, &accepted, &any]<std::size_t S>() {
      static constexpr DrivenStream kStream = stream(S);
      std::uint32_t moving = open_[S];
      if constexpr (kStream.out_word != kAlways) {
        Streams::template sample_handshake<S>(model_->model(), outputs_.data());
        moving &= outputs_[kStream.out_word];
      }
      if constexpr (kStream.into) {
        accepted[S] = moving;
      } else if (moving != 0) {
        note<S>(moving);
      }
      any |= moving != 0;
    });
    resting_ = any ? 0 : resting_ + 1;
    Streams::sample_rest(model_->model(), outputs_.data());
    if constexpr (Streams::kStrobeBits != 0) strobes_.add(&outputs_[Streams::kStrobeWord]);
    return accepted;
  }

  template <std::size_t S>
  [[gnu::always_inline]] void note(std::uint32_t moving) {
    static constexpr DrivenStream kStream = stream(S);
    const bool whole = kStream.lanes > 1 || !pending_.empty();
    if (kStream.width != 0 && whole) {
      Streams::template sample<S>(model_->model(), &outputs_[kStream.base]);
    }
    each_bit<S>(moving, [this](unsigned bit) {
      DrivenSink& sink = sinks_[place_of(S) + bit];
      ++sink.moved;
      moves_.add(lane_of(S) + bit, cycle_);
      if constexpr (kStream.width != 0) {
        std::uint32_t* const message = sink.words.next(kStream.width);
        if constexpr (kStream.lanes == 1) {
          Streams::template sample<S>(model_->model(), message);
        } else {
          each_piece<S>(bit, [this, message](std::size_t place, std::size_t at, auto words) {
            std::copy_n(&outputs_[kStream.base + place], words(), message + at);
          });
        }
        if (sink.answered) answer(sink, *message);
      }
      if (!pending_.empty()) [[unlikely]]
        see(lane_of(S) + bit);
    });
  }

  [[gnu::noinline]] void answer(const DrivenSink& sink, std::uint32_t number) {
    DrivenSource& source = sources_[sink.answering];
    if (!source.can_answer(number)) {
      unanswered_ = number;
      return;
    }
    const std::uint64_t next = cycle_ + 1;
    const auto due = source.answer(number, cycle_ + sink.latency, fronts_[sink.answering], next);
    schedule(sink.answering, due, next);
  }

  [[gnu::noinline]] void see(std::size_t lane) {
    std::erase_if(pending_, [this, lane](const NeardataDrivenSeen& one) {
      return one.lane == lane && are(one.words);
    });
  }

  /// The messages that the unit has accepted leave, and their successors are due. If the run
  /// continues, those without a pause are offered at once.
  [[gnu::always_inline]] void accept(const Lanes& accepted, bool continues) {
    each([this, &accepted, continues]<std::size_t S>() {
      if constexpr (stream(S).into) {
        if (accepted[S] == 0) return;
        std::uint32_t following = 0;
        each_bit<S>(accepted[S], [this, continues, &following](unsigned bit) {
          moves_.add(lane_of(S) + bit, cycle_);
          const bool follows = taken(place_of(S) + bit, stream(S).width, continues);
          following |= std::uint32_t{follows} << bit;
        });
        if (following != 0) drive_messages<S>(following);
        if (following == accepted[S]) return;
        open_[S] = (open_[S] & ~accepted[S]) | following;
        drive_handshake<S>();
      }
    });
  }

  /// Whether the next message of the lane is on offer in the next cycle, which is not scheduled.
  [[gnu::always_inline]] bool taken(std::size_t place, std::size_t width, bool continues) {
    DrivenFront& front = fronts_[place];
    ++front.moved;
    const std::uint64_t next = cycle_ + 1;
    if (--front.left == 0) [[unlikely]] {
      schedule(place, sources_[place].over(front, next), next);
      return false;
    }
    front.message += width;
    std::uint64_t due = next;
    if (front.paused) due += *front.message++;
    need_soon(front.message + width, width + 1);
    if (due == next && continues && !front.pausing) return true;
    schedule_.add(place, due, next);
    return false;
  }

  [[nodiscard]] bool are(NeardataSpan<NeardataDrivenWord> words) const {
    for (const NeardataDrivenWord& one : words) {
      if (outputs_[one.word] != one.value) return false;
    }
    return true;
  }
  /// Whether all messages have moved that a run waits for, with those accepted in this cycle.
  [[nodiscard]] bool all_counted(const NeardataDrivenRun& run, const Lanes& accepted) const {
    for (const NeardataDrivenCount& count : run.counts) {
      std::uint64_t all = 0;
      for (std::uint32_t lane = count.lane; lane < count.lane + count.lanes; ++lane) {
        const LaneBit at = kLaneBits[lane];
        all += moved(lane) + (accepted[at.stream] >> at.bit & 1U);
      }
      if (all < count.count) return false;
    }
    return pending_.empty();
  }
  [[nodiscard]] std::uint64_t moved(std::size_t lane) const {
    const std::uint32_t place = kPlaces[lane];
    return kLaneTable[lane].into ? fronts_[place].moved : sinks_[place].moved;
  }

  void end(NeardataDrivenResult& result) {
    moves_.sort(cycle_);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t place = kPlaces[lane];
      NeardataDrivenTaken& taken = taken_[lane];
      taken = {
          .moved = moved(lane), .words = {}, .cycles = span(moves_.cycles(lane)), .waiting = 0};
      if (kLaneTable[lane].into) {
        taken.waiting = sources_[place].waiting(fronts_[place]);
      } else {
        taken.words = span(sinks_[place].words.view());
      }
    }
    result.unanswered = unanswered_.value_or(0);
    result.cycle = cycle_;
    result.lanes = {taken_.data(), taken_.size()};
    result.outputs = {outputs_.data(), outputs_.size()};
    result.strobes = {};
    if constexpr (Streams::kStrobeBits != 0) result.strobes = span(strobes_.totals());
  }
  template <typename Value>
  static NeardataSpan<Value> span(std::span<const Value> of) {
    return {of.data(), of.size()};
  }

  NeardataDrivenPrinter printer_;
  std::uint64_t seed_ = 0;
  std::optional<DrivenModel<Ports>> model_;
  // State that every cycle accesses is adjacent.
  std::uint64_t cycle_ = 0;
  std::uint64_t resting_ = 0;                ///< cycles since the last handshake
  bool resting_sinks_ = false;               ///< some sink rests now and then in this run
  Lanes open_{};                             ///< lanes that offer a message or accept one
  std::vector<NeardataDrivenSeen> pending_;  ///< that have not occurred in this run
  std::optional<std::uint64_t> unanswered_;  ///< a number beyond the messages of its answers
  std::array<std::uint32_t, Ports::kInputWords> inputs_{};
  std::array<std::uint32_t, Ports::kOutputWords> outputs_{};
  DrivenSchedule<kSources> schedule_;
  std::array<DrivenFront, kSources> fronts_;
  std::array<DrivenSink, kSinks> sinks_;
  DrivenMoves<kLanes> moves_;
  BitCounts<Streams::kStrobeBits> strobes_;
  std::array<DrivenSource, kSources> sources_;
  bool tracing_ = false;
  bool failed_ = false;
  std::array<NeardataDrivenTaken, kLanes> taken_{};
};

/// The interface of a unit, which is a NeardataDriven and derives from its DrivenLoop.
template <typename Unit>
constexpr NeardataDrivenPlugin driven_plugin() {
  return {
      .abi = kNeardataDrivenAbi,
      .lanes = {Unit::kLaneTable.data(), Unit::kLaneTable.size()},
      .create = [](NeardataDrivenPrinter printer) -> Unit* {
        return std::make_unique<Unit>(printer).release();  // destroy takes it back
      },
      .destroy = [](Unit* unit) { std::unique_ptr<Unit>{unit}.reset(); },
      .reset = [](Unit* unit, std::uint64_t seed) { unit->reset(seed); },
      .answers_needed = [](const Unit* unit,
                           std::uint32_t lane) { return unit->answers_needed(lane); },
      .run = [](Unit* unit, const NeardataDrivenRun* run,
                NeardataDrivenResult* result) { unit->run(*run, *result); },
      .error = [](const Unit* unit, NeardataUnitError* error) { unit->error(*error); },
  };
}

}  // namespace neardata::rtl
