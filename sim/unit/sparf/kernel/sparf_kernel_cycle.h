// SPDX-License-Identifier: Apache-2.0
//
// Cycle model of `sparf_kernel`: for the same handshakes on its inputs the same handshakes on its
// outputs in the same cycles, and the same event counts, without any values. It is event-driven,
// from handshake to handshake: the kernel is a system of maxima and sums of times, so the first
// high cycle of every ready and every valid is known in advance.
//
// Cycle 0 is the first cycle after reset. The time of a port is the cycle in which its ready or
// valid rises; it then stays high until the handshake, which the user reports by the function of
// the port's name. kNever: the time depends on handshakes that have not occurred yet. A returned
// time never changes. Handshakes are reported in the order of their cycles, those of one cycle in
// any order.
#pragma once

#include <deque>
#include <vector>

#include "unit/sparf/kernel/attend_cycle.h"
#include "unit/sparf/kernel/gemv_cycle.h"
#include "unit/sparf/kernel/logit_halves_cycle.h"
#include "unit/sparf/kernel/query_cycle.h"
#include "unit/sparf/kernel/rank_cycle.h"
#include "unit/sparf/sparf_unit.h"

namespace neardata::unit {

class SparfKernelCycle {
 public:
  explicit SparfKernelCycle(const SparfParameters& parameters);
  SparfKernelCycle(const SparfKernelCycle&) = delete;
  SparfKernelCycle& operator=(const SparfKernelCycle&) = delete;

  // Inputs: the cycle from which ready is high, and the handshake in cycle `now`.
  [[nodiscard]] KernelTime head_ready() const { return query_.head_ready(); }
  void head(KernelTime now, const KernelHead& head);
  [[nodiscard]] KernelTime line_ready() const { return query_.line_ready(); }
  /// `digits` of the sums of |q| are looked at to choose dimensions, 0 if none; read with the last
  /// line of queries.
  void line(KernelTime now, std::uint32_t digits) { query_.line(now, digits); }
  [[nodiscard]] KernelTime key_ready() const { return gemv_.ready(); }
  void key_job(KernelTime now, const KernelKeyJob& job);
  [[nodiscard]] KernelTime value_ready() const { return attend_.ready(); }
  void value_job(KernelTime now, const KernelValueJob& job);

  // Outputs: the cycle from which valid is high, the payload (only if that is not kNever), and the
  // handshake in cycle `now`.
  [[nodiscard]] KernelTime dims_valid() const { return query_.dims_valid(); }
  [[nodiscard]] std::uint32_t dims_slot() const { return query_.slot(); }
  void dims(KernelTime now) { query_.dims(now); }
  [[nodiscard]] KernelTime selection_valid() const { return rank_.selection_valid(); }
  [[nodiscard]] const KernelSelection& selection_offered() const { return rank_.offered(); }
  void selection(KernelTime now);
  [[nodiscard]] KernelTime line_valid() const { return attend_.line_valid(); }
  [[nodiscard]] const KernelLine& line_offered() const { return attend_.offered(); }
  void line_taken(KernelTime now);

  // Strobes: cycles in which the lines of a job become free, oldest job first; the user pops them.
  [[nodiscard]] std::deque<KernelTime>& keys_done() { return gemv_.done(); }
  [[nodiscard]] std::deque<KernelTime>& values_done() { return attend_.done(); }

  /// The packed state in cycle `now`. Searches for new cases distinguish cases by it.
  [[nodiscard]] std::uint64_t state(KernelTime now) const;

  /// Strobes in the cycles before `end`, by bit of events_o. Every handshake before `end` is
  /// reported, and later calls report none of an earlier cycle.
  [[nodiscard]] const SparfKernelCounts::Totals& events(KernelTime end) {
    counts_.pass(end);
    return counts_.totals();
  }

 private:
  struct ActiveHead {
    KernelHead head;
    KernelTime shared = kNever;        ///< from when its shares are known
    std::vector<std::uint32_t> beats;  ///< of tokens, with a selection, and the last one
    std::uint32_t digits = 0;          ///< that the selection looks at
  };

  /// Starts each stage whose inputs are ready.
  void start_ready();
  bool begin_keys();
  bool begin_rank();
  bool begin_values();
  bool begin_lines();
  void choose(ActiveHead& slot, const KernelKeyJob& job);
  [[nodiscard]] bool whole(const KernelHead& head, bool second) const;
  /// Logits of step 2 of a head.
  [[nodiscard]] std::uint64_t attended(const KernelHead& head) const;
  /// They are in the memory of step 1, while no head uses it.
  [[nodiscard]] bool borrows(const KernelHead& head) const;

  SparfParameters parameters_;
  SparfKernelCounts counts_;
  QueryCycle query_;
  GemvCycle gemv_;
  LogitHalvesCycle halves_[2];  ///< of step 1, of step 2
  RankCycle rank_;
  AttendCycle attend_;
  bool lent_ = false;     ///< the memory of step 1, to the youngest head in step 2
  bool closing_ = false;  ///< the last value job of a head has begun, and its last line not left
  std::uint32_t heads_ = 0;
  std::vector<ActiveHead> slots_;
};

}  // namespace neardata::unit
