// SPDX-License-Identifier: Apache-2.0
//
// Cycle model of `sparf_head_front` with its kernel, and the values of the heads in flight: accepts
// heads, loads their lines, fetches the pages of each step, passes jobs to the kernel and writes
// the outputs. The engine owns the rings, the DRAM reader and the ports.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "unit/sparf/flash/sparf_ring.h"
#include "unit/sparf/front/sparf_dram.h"
#include "unit/sparf/front/sparf_loader.h"
#include "unit/sparf/front/sparf_selections.h"
#include "unit/sparf/front/sparf_walk.h"
#include "unit/sparf/kernel/sparf_kernel_cycle.h"
#include "unit/sparf/sparf_events.h"
#include "unit/sparf/values/sparf_head.h"

namespace neardata::unit {

class SparfFront {
 public:
  enum : std::size_t { kKeys = 0, kValues = 1, kRings = 2 };

  /// The observer outlives the front.
  SparfFront(const SparfParameters& parameters, SparfObserver& observer);

  // Heads: the first cycle in which one can be accepted, as far as it is known.
  [[nodiscard]] SparfTime takes_from() const { return loader_.takes_from(); }
  void take(SparfTime now, const SparfTask& task) { loader_.take(now, task); }

  /// From when on an append to the cache of `task` does not change sums that a head still reads.
  [[nodiscard]] SparfTime appends_from(const SparfTask& task) const {
    const SparfTask& loaded = loader_.context().task;
    return loaded.head == task.head || loaded.sum_line == task.sum_line ? loader_.idle_since() : 0;
  }

  // Lines for the kernel.
  [[nodiscard]] const SparfLoader& loader() const { return loader_; }
  void load_taken(SparfTime now) { loader_.read_taken(now); }
  [[nodiscard]] SparfTime line_ready() const { return kernel_.line_ready(); }
  void line(SparfTime now, const DramLine& line);

  // Pages and rows for the rings: `ring` has an item, which is requested and arrives.
  [[nodiscard]] const SparfRing& ring(std::size_t ring) const { return rings_[ring]; }
  void granted(std::size_t ring, SparfTime now);
  [[nodiscard]] const SparfItem& on_its_way(std::size_t ring, std::uint32_t number) const {
    return pages_[ring][number];
  }
  [[nodiscard]] const SparfTask& task_of(const SparfItem& item) const {
    return loader_.context(item.job.slot).task;
  }
  void page_came(std::size_t ring, std::uint32_t number, const SparfPage& page, SparfTime turn);
  void row_line(const SparfDramReader::LineRange& run, std::uint32_t place, const DramLine& line);
  void rows_came(std::size_t ring, std::uint32_t number, SparfTime turn) {
    rings_[ring].arrive(number, turn);
  }

  // Lines of output, and heads that are done.
  [[nodiscard]] SparfTime write_since() const { return write_since_; }
  [[nodiscard]] const DramWrite& write() const { return write_; }
  void written(SparfTime now);
  [[nodiscard]] SparfTime done_since() const { return done_since_; }
  [[nodiscard]] const SparfDone& done() const { return done_; }
  void done_taken(SparfTime now);

  /// Does the work of its own parts in cycle `now`; all other events of that cycle have been
  /// reported before.
  void visit(SparfTime now);
  /// When they next do something.
  [[nodiscard]] SparfTime due() const;
  /// A head is in progress, or its end is not reported.
  [[nodiscard]] bool busy() const { return loader_.heads() > 0 || done_since_ != kSparfNever; }
  [[nodiscard]] SparfKernelCycle& kernel() { return kernel_; }

 private:
  struct Flight {
    std::optional<SparfHead> head;
    std::vector<Half> rows;
    ValueSums sums;
    std::vector<Half> output;
    bool unreadable = false;
  };
  struct Queued {
    std::uint32_t slot = 0;
    SparfTime since = 0;
  };
  enum class Task : std::uint8_t { kIdle, kDims, kRows };

  void load_head(SparfTime now);
  void choose_dims(SparfTime now);
  void selection(SparfTime now);
  [[nodiscard]] SparfTime begins() const;
  [[nodiscard]] SparfTime new_from() const;
  void begin_keys(SparfTime now);
  void begin_values();
  void keys_walked(SparfWalk walk);
  void values_walked(SparfWalk walk);
  void fetch_keys();
  void fetch_values();
  [[nodiscard]] SparfTokenWalker::Walk rows_of(const SparfContext& head, std::uint32_t slot) const;
  void key_job(SparfTime now);
  void value_job(SparfTime now);
  void output_line(SparfTime now);
  void free_lines();
  [[nodiscard]] SparfTime outputs_from() const;

  SparfParameters parameters_;
  SparfObserver& observer_;
  std::uint32_t row_lines_;
  SparfKernelCycle kernel_;
  SparfLoader loader_;
  std::vector<Flight> flights_;  ///< by slot
  std::array<SparfRing, kRings> rings_;
  std::array<std::vector<SparfItem>, kRings> pages_;  ///< by number
  std::vector<Half> row_;                             ///< of DRAM, which arrives in lines

  SparfSelections selections_;
  SparfDimWalker dims_;
  SparfTokenWalker keys_;
  SparfTokenWalker values_;
  std::deque<Queued> fresh_;          ///< heads that are prepared
  std::deque<std::uint32_t> ranked_;  ///< slots whose step 1 has begun
  std::deque<Queued> value_tasks_;
  Task task_ = Task::kIdle;
  bool second_ = false;
  std::uint32_t key_slot_ = 0;
  SparfTime keys_idle_since_ = 0;
  bool keys_offered_ = false;  ///< a walker has an item that the ring has not accepted
  bool keys_wait_ = false;     ///< for a selection
  bool values_busy_ = false;
  std::uint32_t value_slot_ = 0;
  SparfTime values_idle_since_ = 0;
  bool values_offered_ = false;
  bool values_wait_ = false;

  SparfTime write_since_ = kSparfNever;
  SparfTime write_idle_since_ = 0;
  bool write_last_ = false;
  std::uint32_t write_slot_ = 0;
  DramWrite write_;
  SparfTime done_since_ = kSparfNever;
  SparfTime done_idle_since_ = 0;
  SparfDone done_;
};

}  // namespace neardata::unit
