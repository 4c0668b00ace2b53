// SPDX-License-Identifier: Apache-2.0
//
// The DRAM of a device's controller as ports with a latency and a rate: requests of a cycle are
// accepted in that cycle and cross one bus in order. A read line arrives after the latency or after
// its bus transfer, whichever is later. Lines of one transfer follow each other at the rate of the
// bus. The model has no banks and no refresh (an assumption); guards check it against the pins and
// the shortest latency of DDR4.
//
// Contents are written and read at the acceptance of a request, writes of a cycle before its reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/guard.h"
#include "core/part.h"
#include "system/csd/csd_types.h"
#include "system/memory/byte_store.h"
#include "system/memory/dram_bulk.h"
#include "system/memory/pauses.h"
#include "unit/sparf/sparf_unit.h"

namespace neardata::system {

class ControllerDram final : public core::Part {
 public:
  /// `lines` lines of the store have contents; the others are unused. Its bulk clients are the
  /// flash and the host. The engine may be absent if it has no work, and a host that reads nothing
  /// needs no answers.
  ControllerDram(core::Placement place, const ControllerDramConfig& config, ByteStore& store,
                 std::uint32_t lines, Pauses pauses);

  [[nodiscard]] std::string_view kind() const override { return "controller DRAM"; }
  void declare(core::PortList& ports) override;
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override { return std::nullopt; }
  [[nodiscard]] std::uint64_t progress() const override { return transfers_; }

  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 private:
  [[nodiscard]] core::Expected<void> take_writes(core::Fs now);
  [[nodiscard]] core::Expected<void> take_bulks(core::Fs now);
  [[nodiscard]] core::Expected<void> answer(const core::Out<DramBulkEnd>& to, core::Fs line,
                                            core::Fs now);
  /// Lines that cross the bus behind all before them, the first no sooner than `least`: when it has
  /// carried that.
  [[nodiscard]] core::Expected<core::Fs> cross(core::Fs now, std::uint64_t lines, core::Fs least);
  [[nodiscard]] core::Expected<void> check(std::uint32_t line, core::Fs now) const;
  void write(const unit::DramWrite& write);
  [[nodiscard]] core::Fs next(core::Fs now);

  core::In<unit::DramRead> reads_;
  core::Out<unit::DramLine> lines_out_;
  core::In<unit::DramWrite> writes_;
  /// A client with bulk transfers.
  struct Client {
    core::In<DramBulk> bulks;
    core::Out<DramBulkEnd> read;
  };
  Client flash_;
  Client host_;
  ControllerDramConfig config_;
  ByteStore& store_;
  std::uint32_t lines_;
  Pauses pauses_;
  core::BusGuard bus_;
  core::LatencyGuard latency_;
  core::EdgeCursor edge_;  ///< the first after the last step
  core::Fs free_;          ///< the bus has carried everything
  core::Fs rested_;        ///< no read is accepted before this time
  Traffic traffic_;
  std::uint64_t transfers_ = 0;
};

}  // namespace neardata::system
