// SPDX-License-Identifier: Apache-2.0
//
// A session of a machine of several DIMMs with links and a host. Runs are independent: the work of
// a run contains its bytes.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "api/moe_records.h"
#include "core/record.h"
#include "core/refusal.h"

namespace neardata::api {

class MoeSession {
 public:
  static constexpr const char* kName = "session of several DIMMs";
  using Config = system::MoeConfig;

  [[nodiscard]] static core::Answer<std::unique_ptr<MoeSession>> open(Config config);

  struct Contents {
    system::BurstPlace place;
    std::vector<std::byte> data;
  };
  struct PreparedRun {
    system::MoeWork work;
    std::uint64_t seed = 0;
    std::vector<Contents> contents;
    std::vector<OutputRequest> outputs;
  };
  [[nodiscard]] core::Answer<PreparedRun> prepare(const MoeRequest& given);
  /// Progress is femtoseconds.
  [[nodiscard]] MoeReport run(PreparedRun& work, core::Progress& progress);

 private:
  MoeSession(Config config, std::optional<rtl::NdpPlugin> plugin)
      : config_(std::move(config)), plugin_(std::move(plugin)) {}

  Config config_;
  std::optional<rtl::NdpPlugin> plugin_;
};

/// Converts a request to the work of a machine. All locations must exist in the machine, and the
/// bursts that a run moves, reads and returns are limited.
[[nodiscard]] core::Answer<MoeSession::PreparedRun> moe_work(const system::MoeConfig& config,
                                                             const MoeRequest& given);

constexpr auto calls_of(const MoeSession*) {
  return std::tuple(core::RunCall{"moeRun", "moe", &MoeSession::prepare, &MoeSession::run});
}

}  // namespace neardata::api
