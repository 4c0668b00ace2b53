// SPDX-License-Identifier: Apache-2.0
//
// The flash of a device behind the engine: turns page requests into reads and programs, works the
// channels by the rules of sim/flash and hands pages on as their bytes cross the bus. Time inside
// is in ticks; an event of tick t happens at the first femtosecond not before it, a request reaches
// the flash at the first tick not before it.
//
// A page reaches the engine as data only if the code corrected it and its checksum is right. A read
// that fails is tried again; one that fails for good, or of a channel that is silent, arrives as an
// error. So every request is answered. What the engine asks for is checked before anything is done
// with it: a faulty engine ends the run.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/guard.h"
#include "core/part.h"
#include "flash/backend.h"
#include "system/flash/flash_agenda.h"
#include "system/flash/flash_types.h"
#include "system/flash/flash_writer.h"
#include "system/flash/page_gather.h"
#include "system/flash/page_reading.h"
#include "system/flash/translator.h"
#include "system/memory/dram_bulk.h"
#include "system/memory/pauses.h"
#include "unit/sparf/sparf_unit.h"

namespace neardata::system {

/// A program that was asked for has ended, or was given up.
struct ProgramEnd {
  static constexpr core::MessageType kMessage{"end of a program"};
  flash::Owner owner = 0;
  bool failed = false;
};

class FlashPort final : public core::Part {
 public:
  /// `heads` are what handles name, by handle; `dram` is where copies of pages lie. The cache
  /// outlives the port. Tags of pages that are read are below `tags`; where nobody reads any, there
  /// are none and `pages` stay open. Nobody need listen to `programs`.
  FlashPort(core::Placement place, const FlashConfig& config, const ControllerDramConfig& dram,
            KvCache& cache, std::vector<FlashHead> heads, std::uint32_t tags, Pauses pauses,
            std::size_t kept_pages);

  [[nodiscard]] std::string_view kind() const override { return "flash"; }
  void declare(core::PortList& ports) override;
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return progress_; }

  /// Ends what is under way, so that contents and translation agree. The run is over.
  void end_open_work();

  /// Pages asked for, by kind, of each job.
  [[nodiscard]] const std::vector<std::array<std::uint32_t, 3>>& asked() const { return asked_; }
  [[nodiscard]] const ReadCounters& reads() const { return counters_; }
  [[nodiscard]] std::uint64_t failed_programs() const { return failed_programs_; }
  [[nodiscard]] const std::vector<PageRecord>& records() const { return records_; }
  [[nodiscard]] std::vector<core::Fs> bus_time(flash::Tick flash::BusUse::*use) const;

 private:
  struct Reading {
    unit::SparfPageRequest request;
    flash::Owner owner = 0;
    flash::Place place;
    PageReading reading;
    std::optional<std::size_t> record;
  };
  /// Of a page that the engine reads.
  struct ReadId {
    std::uint32_t value = 0;
  };
  using Purpose = std::variant<ReadId, FlashWriter::Id>;

  /// The flash knows a read of the engine and a work of the writer by ids of one kind; only
  /// `purpose` says which of them an id is.
  [[nodiscard]] static flash::RequestId id_of(ReadId slot) { return {slot.value}; }
  [[nodiscard]] static flash::RequestId id_of(FlashWriter::Id id) { return {id.value | kWriteBit}; }
  [[nodiscard]] static Purpose purpose(flash::RequestId id) {
    if ((id.value & kWriteBit) == 0) return ReadId{id.value};
    return FlashWriter::Id{id.value & ~kWriteBit};
  }
  static constexpr std::uint32_t kWriteBit = 0x80000000U;

  /// kNever from the end of time on.
  [[nodiscard]] core::Fs time_of(flash::Tick tick) const;
  [[nodiscard]] flash::Tick tick_of(core::Fs time) const;
  [[nodiscard]] bool is_dead(std::uint32_t channel) const;

  [[nodiscard]] Reading& at(ReadId slot) { return readings_[slot.value]; }
  [[nodiscard]] core::Expected<void> check(const unit::SparfPageRequest& request,
                                           core::Fs now) const;
  [[nodiscard]] core::Expected<void> take(const unit::SparfPageRequest& request, core::Fs now);
  /// A page whose copy lies in DRAM is read there, behind what the DRAM has to do before it.
  [[nodiscard]] core::Expected<void> take_hot(ReadId slot, std::span<const std::byte> bytes,
                                              core::Fs now);
  /// Its first line has come.
  [[nodiscard]] core::Expected<void> hand_on_hot(ReadId slot, std::span<const std::byte> bytes,
                                                 core::Fs now);
  [[nodiscard]] core::Expected<void> take_program(const unit::SparfPageRequest& request,
                                                  core::Fs now);
  [[nodiscard]] core::Expected<void> run_tick(flash::Tick tick);
  [[nodiscard]] core::Expected<void> run_agenda(flash::Tick tick);
  [[nodiscard]] core::Expected<void> guard_order(flash::Tick tick) const;
  [[nodiscard]] core::Expected<void> run(const FlashAgenda::Item& item, flash::Tick tick);
  [[nodiscard]] core::Expected<void> submit(flash::RequestId id, flash::Tick tick);
  [[nodiscard]] core::Expected<void> give_up(flash::RequestId id, flash::Tick tick);
  [[nodiscard]] core::Expected<flash::RoutedRequest> routed(flash::RequestId id, core::Fs now);
  void start_writes(flash::Tick tick);
  [[nodiscard]] core::Expected<void> gather(core::Fs now, flash::Tick tick);
  [[nodiscard]] core::Expected<void> take_awaited(core::Fs now);
  /// An entry of the table, rows of a page, the copy of a hot page.
  struct Entry {
    flash::RequestId of;
  };
  struct Rows {};
  struct HotPage {
    ReadId slot;
    std::span<const std::byte> bytes;
  };
  using Awaited = std::variant<Entry, Rows, HotPage>;
  [[nodiscard]] core::Expected<void> await(std::uint32_t bytes, const Awaited& what, core::Fs now);
  [[nodiscard]] core::Expected<void> look_up(flash::RequestId id, core::Fs now);
  /// A page that has come from flash, while its place has it.
  struct Copy {
    flash::Owner owner = 0;
    flash::Place place;
    std::span<const std::byte> bytes;
  };
  /// Plans to keep a page in DRAM when all of it has come.
  void plan_copy(const Reading& read, const unit::SparfPage& page);
  [[nodiscard]] core::Expected<void> keep_copy(std::uint64_t number, flash::Tick tick);
  /// Where it lies is known.
  [[nodiscard]] core::Expected<void> translated(flash::RequestId id, flash::Tick tick);
  [[nodiscard]] core::Expected<void> begin_read(ReadId slot, flash::Tick tick);
  [[nodiscard]] core::Expected<void> take_loaded(flash::Tick tick);
  [[nodiscard]] core::Expected<void> begin_data_out(const flash::DataOut& page);
  [[nodiscard]] core::Expected<void> finish(const flash::Completion& completion);
  [[nodiscard]] core::Expected<void> finish_read(ReadId slot, flash::Tick end);
  [[nodiscard]] core::Expected<void> finish_move(FlashWriter::Id id, flash::Tick end);
  [[nodiscard]] core::Expected<void> guard_page(std::uint32_t channel, flash::Tick end);
  [[nodiscard]] core::Expected<PageStore::Reading> judge(PageReading& reading,
                                                         const flash::Place& place,
                                                         flash::Owner owner, flash::Tick start);
  /// `silent`: nobody knows whether it was done.
  [[nodiscard]] core::Expected<void> finish_write(FlashWriter::Id id, flash::Tick tick,
                                                  bool silent);
  [[nodiscard]] core::Expected<void> tell(const flash::FlashWork& work, bool failed,
                                          flash::Tick tick);
  [[nodiscard]] core::Expected<void> hand_on(std::uint32_t channel, const unit::SparfPage& page,
                                             core::Fs now);
  [[nodiscard]] std::optional<std::size_t> record(const unit::SparfPageRequest& request,
                                                  core::Fs now);
  /// It cannot be read, which is `known` then.
  [[nodiscard]] core::Expected<void> hand_on_error(ReadId slot, flash::Tick now, flash::Tick known);
  [[nodiscard]] flash::Tick next_tick() const;
  void release(ReadId slot, core::Fs arrived);

  core::In<unit::SparfPageRequest> requests_;
  std::vector<core::Out<unit::SparfPage>> pages_;  ///< by channel
  core::Out<DramBulk> bulk_;
  core::In<DramBulkEnd> read_;
  std::deque<Awaited> awaited_;  ///< of the DRAM, oldest first
  core::Out<ProgramEnd> programs_;
  FlashConfig config_;
  ControllerDramConfig dram_;
  KvCache& cache_;
  std::vector<FlashHead> heads_;
  Pauses pauses_;
  std::size_t kept_pages_;
  flash::Backend backend_;
  PageGather gather_;
  Translator translator_;
  FlashWriter writer_;
  std::vector<core::BusGuard> guards_;
  core::LatencyGuard latency_;  ///< of reads
  core::LatencyGuard program_;
  core::LatencyGuard erase_;
  std::vector<flash::EccDecoder> decoders_;  ///< by channel
  std::uint32_t bus_bytes_;                  ///< of a page on its channel
  std::vector<Reading> readings_;
  std::vector<ReadId> free_;
  std::vector<bool> on_its_way_;  ///< by tag: a page was asked for and has not begun to arrive
  FlashAgenda agenda_;
  std::map<std::uint64_t, Copy> copies_;  ///< on their way from flash
  std::uint64_t next_copy_ = 0;
  std::vector<flash::Completion> finished_;
  std::vector<flash::RoutedRequest> batch_;
  std::vector<FlashWriter::Id> ready_;
  std::vector<FlashWriter::Id> gathered_;
  std::vector<std::array<std::uint32_t, 3>> asked_;
  std::vector<PageRecord> records_;
  ReadCounters counters_;
  std::uint64_t failed_programs_ = 0;
  std::uint64_t progress_ = 0;
};

}  // namespace neardata::system
