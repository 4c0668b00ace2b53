// SPDX-License-Identifier: Apache-2.0
//
// The host's side of a device: sends each job's queries (or key and value) over the link into the
// controller's DRAM, rings the doorbell with a descriptor when they are there, and fetches the
// outputs of jobs that are done: they leave over the link, in the order in which jobs are done,
// when the DRAM has read them, behind its earlier transfers. Jobs are sent in order; a job that
// follows an append of its head, or appends to a head that is still being read, waits for its
// predecessor.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/part.h"
#include "system/csd/csd_types.h"
#include "system/csd/device_link.h"
#include "system/memory/dram_bulk.h"
#include "unit/sparf/sparf_unit.h"

namespace neardata::system {

class CsdHost final : public core::Part, public unit::SparfObserver {
 public:
  /// Jobs and cache outlive the host. At most `in_flight` jobs are in flight.
  CsdHost(core::Placement place, DeviceLink link, KvCache& cache, const std::vector<CsdJob>& jobs,
          std::uint32_t in_flight);

  [[nodiscard]] std::string_view kind() const override { return "host"; }
  void declare(core::PortList& ports) override;
  [[nodiscard]] core::Fs begins() const override { return core::Fs{0}; }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] core::Fs earliest_message(core::Fs due) const override;
  [[nodiscard]] std::uint64_t progress() const override { return sent_ + rung_ + finished_; }

  void dim_chosen(std::uint16_t tag, std::uint32_t dim) override;
  void token_chosen(std::uint16_t tag, std::uint32_t token) override;
  void alpha(std::uint16_t tag, std::uint32_t query, float value) override;

  /// The run is over: appends that were not done leave their heads as they were, and jobs whose
  /// outputs are still on the link are not done.
  void end_open_work();

  [[nodiscard]] std::vector<CsdJobResult>& results() { return results_; }
  [[nodiscard]] const Traffic& traffic() const { return link_.traffic(); }
  [[nodiscard]] std::size_t finished() const { return finished_; }
  /// When the last job was done.
  [[nodiscard]] core::Fs last_done() const { return last_done_; }

 private:
  /// Jobs in flight per head.
  struct Users {
    std::uint32_t readers = 0;
    std::uint32_t appends = 0;
  };

  /// The device's answer to a finished job; its outputs are read from DRAM first.
  struct Answer {
    std::size_t bytes = 0;
    bool ready = true;
  };

  [[nodiscard]] core::Expected<void> take_done(const unit::SparfDone& done, core::Fs now);
  [[nodiscard]] core::Expected<void> fetch(std::uint32_t job, core::Fs now);
  void take_read(core::Fs now);
  void answer(core::Fs now);
  void receive();
  [[nodiscard]] bool may_send(const CsdJob& job) const;
  void send(core::Fs now);
  [[nodiscard]] core::Expected<bool> ring(core::Fs now);
  [[nodiscard]] unit::SparfTask task_of(std::uint32_t job) const;
  /// The job in flight with this tag, if there is one.
  [[nodiscard]] std::optional<std::size_t> job_of(std::uint16_t tag) const;

  DeviceLink link_;
  KvCache& cache_;
  const std::vector<CsdJob>& jobs_;
  std::uint32_t in_flight_;
  core::Out<unit::SparfDescriptor> descriptors_;
  core::In<unit::SparfDone> done_;
  core::Out<DramBulk> dram_;
  core::In<DramBulkEnd> read_;
  std::vector<CsdJobResult> results_;
  std::deque<Answer> answers_;  ///< in the order of the jobs
  std::map<KvHeadId, Users> users_;
  std::deque<std::size_t> fetched_;  ///< finished jobs that the host is not notified of yet
  std::vector<bool> unfinished_;     ///< by job: sent to the engine, not done
  std::size_t sent_ = 0;
  std::size_t rung_ = 0;
  std::size_t finished_ = 0;
  std::size_t known_ = 0;  ///< number of finished jobs that the host is notified of
  core::Fs last_done_;
};

}  // namespace neardata::system
