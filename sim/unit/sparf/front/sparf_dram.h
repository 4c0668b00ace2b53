// SPDX-License-Identifier: Apache-2.0
//
// Cycle models of `sparf_dram_reader`, `sparf_line_writer` and of round-robin ports. Each request
// has the cycle from which it is valid.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "unit/sparf/sparf_layout.h"

namespace neardata::unit {

/// Round-robin arbiter: the first requester behind the one served last.
class SparfRoundRobin {
 public:
  explicit SparfRoundRobin(std::size_t members) : since_(members, kSparfNever) {}

  void request(std::size_t who, SparfTime since) { since_[who] = since; }
  /// The cycle of the earliest request.
  [[nodiscard]] SparfTime due() const { return *std::ranges::min_element(since_); }
  /// Serves a member with a request at `now`, if there is one.
  [[nodiscard]] std::optional<std::size_t> serve(SparfTime now);

 private:
  std::vector<SparfTime> since_;
  std::size_t last_ = 0;
};

class SparfDramReader {
 public:
  /// Consecutive lines that a reader requests.
  struct LineRange {
    std::uint32_t who = 0;
    std::uint32_t line = 0;
    std::uint32_t lines = 0;
    std::uint32_t number = 0;  ///< of the item in its ring
    SparfItem item;            ///< of a ring
  };

  /// The next run can be accepted from this cycle on.
  [[nodiscard]] SparfTime takes_from() const {
    return runs_.size() < kRuns ? std::max(idle_since_, room_since_) : kSparfNever;
  }
  void take(SparfTime now, const LineRange& run);

  /// Evaluates the request port in cycle `now`, once per relevant cycle: the requested line, and
  /// then whether it was accepted.
  [[nodiscard]] std::optional<std::uint32_t> asks(SparfTime now);
  void asked(SparfTime now, bool taken);
  /// When there can be a request after `now`.
  [[nodiscard]] SparfTime asks_from(SparfTime now) const;

  void received(SparfTime now, const DramLine& line) { lines_.push_back({now, line}); }

  /// The oldest line is offered to its reader from this cycle on.
  [[nodiscard]] SparfTime line_since() const;
  [[nodiscard]] const LineRange& run() const { return runs_.front(); }
  [[nodiscard]] std::uint32_t place() const { return place_; }
  [[nodiscard]] bool is_last() const { return place_ + 1 == runs_.front().lines; }
  [[nodiscard]] const DramLine& line() const { return lines_.front().line; }
  void leave(SparfTime now);

 private:
  static constexpr std::size_t kRuns = 16;
  static constexpr std::uint32_t kLines = 64;
  struct Line {
    SparfTime came = 0;
    DramLine line;
  };

  std::deque<LineRange> runs_;  ///< whose lines have not all left
  SparfTime idle_since_ = 0;
  SparfTime room_since_ = 0;  ///< for a run's record
  bool asking_ = false;
  SparfTime asking_since_ = 0;
  std::uint32_t next_line_ = 0;
  std::uint32_t left_ = 0;
  std::uint32_t lines_in_flight_ = 0;  ///< requested and not yet forwarded
  // The register that signals space for a line, valid in cycle looked_ + 1; later it follows the
  // number of lines in flight.
  SparfTime looked_ = 0;
  bool room_next_ = true;
  bool held_ = false;  ///< a request waits for the port
  std::deque<Line> lines_;
  std::uint32_t place_ = 0;
  SparfTime last_leave_ = -1;
};

/// One write port for several writers. It is idle for a cycle between two lines.
class SparfLineWriter {
 public:
  explicit SparfLineWriter(std::size_t writers) : arbiter_(writers) {}

  void request(std::size_t writer, SparfTime since) { arbiter_.request(writer, since); }
  /// The cycle of the next action: a writer is chosen or its line is accepted.
  [[nodiscard]] SparfTime due() const {
    return who_ ? offered_since_ : std::max(idle_since_, arbiter_.due());
  }
  void choose(SparfTime now);
  /// The writer whose line is on the port in cycle `now`.
  [[nodiscard]] std::optional<std::size_t> offers(SparfTime now) const;
  void taken(SparfTime now);

 private:
  SparfRoundRobin arbiter_;
  std::optional<std::size_t> who_;
  SparfTime offered_since_ = 0;
  SparfTime idle_since_ = 0;
};

}  // namespace neardata::unit
