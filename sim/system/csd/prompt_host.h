// SPDX-License-Identifier: Apache-2.0
//
// The device side of prefill: keys and values of one head after another cross the link into the
// controller's DRAM, after the GPU has computed them, and their pages are programmed, K in both
// orders. The link transfers the next head while pages of earlier heads are written; rows wait in
// DRAM until then. A prompt that is not written when the run ends leaves its head without tokens.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/part.h"
#include "system/csd/csd_types.h"
#include "system/csd/device_link.h"
#include "system/flash/flash_port.h"
#include "system/memory/dram_bulk.h"

namespace neardata::system {

/// Rows of a head that has none; the GPU has them at `ready`.
struct Prompt {
  KvHeadId head = 0;
  core::Fs ready;
  std::vector<unit::Half> keys;
  std::vector<unit::Half> values;
};

class PromptHost final : public core::Part {
 public:
  /// Prompts are sent in order; they and the cache outlive the host.
  PromptHost(core::Placement place, DeviceLink link, KvCache& cache,
             const std::vector<Prompt>& prompts);

  [[nodiscard]] std::string_view kind() const override { return "host"; }
  void declare(core::PortList& ports) override;
  [[nodiscard]] core::Fs begins() const override { return core::Fs{0}; }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] core::Fs earliest_message(core::Fs due) const override;
  [[nodiscard]] std::uint64_t progress() const override { return progress_; }

  /// Ends the run: discards the state of unfinished prompts.
  void end_open_work();

  /// Times of each prompt: its first byte leaves (sent), its last byte is in DRAM (taken), its last
  /// page is written (done), the host is notified (received); and its programs, by kind.
  [[nodiscard]] std::vector<CsdJobResult>& results() { return results_; }
  [[nodiscard]] const Traffic& traffic() const { return link_.traffic(); }
  [[nodiscard]] std::size_t finished() const { return finished_; }

 private:
  struct Unwritten {
    std::size_t programs = 0;
    bool all = true;  ///< none of the ended programs has failed
  };
  struct Request {
    std::uint32_t prompt = 0;
    flash::KvPage page;
  };

  void send(core::Fs now);
  [[nodiscard]] core::Expected<void> arrive(core::Fs now);
  void ask(core::Fs now);
  [[nodiscard]] core::Expected<void> end(const ProgramEnd& program, core::Fs now);
  void finish(std::size_t prompt, core::Fs now);

  DeviceLink link_;
  KvCache& cache_;
  const std::vector<Prompt>& prompts_;
  core::Out<unit::SparfPageRequest> pages_;
  core::In<ProgramEnd> programs_;
  core::Out<DramBulk> dram_;
  std::vector<CsdJobResult> results_;
  std::vector<Unwritten> unwritten_;                                          ///< by prompt
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> prompt_of_;  ///< sequence, head
  std::deque<Request> requests_;  ///< pages that are not requested from the flash
  std::size_t sent_ = 0;
  std::size_t arrived_ = 0;
  std::size_t finished_ = 0;
  std::deque<std::size_t> written_;  ///< written prompts that the host is not notified of yet
  std::uint64_t progress_ = 0;
};

}  // namespace neardata::system
