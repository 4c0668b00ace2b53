// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/front/sparf_dram.h"

#include <utility>

namespace neardata::unit {

namespace {

// An answer is stored, loaded, offered; a run is requested in the cycle after its acceptance.
constexpr SparfTime kAnswerToOffer = 2;
// The departure of a run's last line frees the entry for another record.
constexpr SparfTime kLeaveToFree = 2;

}  // namespace

std::optional<std::size_t> SparfRoundRobin::serve(SparfTime now) {
  if (due() > now) return std::nullopt;
  do {
    last_ = last_ + 1 == since_.size() ? 0 : last_ + 1;
  } while (since_[last_] > now);
  since_[last_] = kSparfNever;
  return last_;
}

void SparfDramReader::take(SparfTime now, const LineRange& run) {
  runs_.push_back(run);
  next_line_ = run.line;
  left_ = run.lines;
  asking_ = true;
  asking_since_ = now + 1;
  idle_since_ = kSparfNever;
}

std::optional<std::uint32_t> SparfDramReader::asks(SparfTime now) {
  const bool room = now == looked_ + 1 ? room_next_ : held_ || lines_in_flight_ < kLines - 1;
  looked_ = now;
  held_ = false;
  room_next_ = lines_in_flight_ < kLines - 1;
  if (!asking_ || asking_since_ > now || !room) return std::nullopt;
  return next_line_;
}

void SparfDramReader::asked(SparfTime now, bool taken) {
  held_ = !taken;
  if (held_) {
    room_next_ = true;
    return;
  }
  ++lines_in_flight_;
  ++next_line_;
  if (--left_ > 0) return;
  asking_ = false;
  idle_since_ = now + 1;
}

SparfTime SparfDramReader::asks_from(SparfTime now) const {
  if (!asking_ || held_) return kSparfNever;
  if (room_next_) return std::max(asking_since_, now + 1);
  return lines_in_flight_ < kLines - 1 ? std::max(asking_since_, now + 2) : kSparfNever;
}

SparfTime SparfDramReader::line_since() const {
  if (lines_.empty()) return kSparfNever;
  return std::max(lines_.front().came + kAnswerToOffer, last_leave_ + 1);
}

void SparfDramReader::leave(SparfTime now) {
  lines_.pop_front();
  last_leave_ = now;
  --lines_in_flight_;
  if (++place_ < runs_.front().lines) return;
  place_ = 0;
  if (runs_.size() == kRuns) room_since_ = now + kLeaveToFree;
  runs_.pop_front();
}

void SparfLineWriter::choose(SparfTime now) {
  if (who_ || idle_since_ > now) return;
  who_ = arbiter_.serve(now);
  offered_since_ = now + 1;
}

std::optional<std::size_t> SparfLineWriter::offers(SparfTime now) const {
  return who_ && offered_since_ <= now ? who_ : std::nullopt;
}

void SparfLineWriter::taken(SparfTime now) {
  who_.reset();
  idle_since_ = now + 1;
}

}  // namespace neardata::unit
