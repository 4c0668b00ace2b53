// SPDX-License-Identifier: Apache-2.0
//
// The Verilated attention engine as a component. It runs the RTL clock by clock and skips the
// clocks in which the RTL is quiet and nothing arrives. A failed assertion ends the run with an
// error that names the scope. Impossible outputs also end the run: an unknown job, slot, dimension
// or token. The flash and the DRAM check pages and lines.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/clock.h"
#include "rtl/beat_stream.h"
#include "rtl/plugin.h"
#include "rtl/rtl_unit.h"
#include "rtl/sparf_fields.h"
#include "unit/sparf/sparf_events.h"
#include "unit/sparf/sparf_unit.h"

namespace neardata::rtl {

/// A loaded unit whose ports are those of an attention engine.
struct SparfPlugin {
  UnitPlugin unit;
  SparfFields fields;
  std::uint32_t slots;     ///< of a kernel
  std::uint32_t max_keys;  ///< of a head
  std::uint32_t query_sets;

  /// kBadConfig when the file is not a plug-in or its unit does not fit.
  [[nodiscard]] static core::Expected<SparfPlugin> load(const std::string& path);
};

class RtlSparfUnit final : public unit::SparfUnit {
 public:
  /// Plug-in and observer outlive the unit.
  RtlSparfUnit(core::Placement place, const SparfPlugin& plugin, unit::SparfObserver& observer,
               RtlOptions options);

  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override;
  [[nodiscard]] std::uint64_t progress() const override { return transfers_; }
  void finish(core::Cycle end) override;
  [[nodiscard]] std::int64_t skipped() const override { return rtl_.skipped(); }

 private:
  /// A job at work, as its descriptor named it.
  struct Job {
    std::uint16_t tag = 0;
    std::uint32_t head = 0;
  };
  /// The head in a slot of a kernel, and how much was chosen for it.
  struct Chosen {
    std::uint16_t tag = 0;
    std::uint32_t dims = 0;
    std::uint32_t tokens = 0;
  };

  /// The value of a port in the present cycle.
  [[nodiscard]] std::uint32_t out(const UnitField& field, std::size_t element = 0) const {
    return field.get(rtl_.outputs(), element);
  }
  [[nodiscard]] bool high(const UnitField& valid) const { return out(valid) != 0; }
  [[nodiscard]] bool quiet() const { return fields_.quiet && high(*fields_.quiet); }
  [[nodiscard]] std::span<const std::uint32_t> strobes() const {
    if (!fields_.events) return {};
    return {fields_.events->at(rtl_.outputs()), fields_.events->words};
  }
  void in(const UnitField& field, std::uint32_t value, std::size_t element = 0) {
    field.set(rtl_.inputs(), value, element);
  }

  [[nodiscard]] core::Expected<void> skip_to(core::Cycle cycle);
  [[nodiscard]] core::Expected<void> count_outputs();
  [[nodiscard]] core::Expected<void> check_outputs(core::Fs now) const;
  void exchange(core::Fs now);
  void give(core::Fs now);
  template <typename Port, typename Message>
  bool push(const Port& port, core::Fs now, const UnitField& valid, const UnitField& ready,
            const Message& message);
  void take_beats(core::Fs now);
  [[nodiscard]] core::Expected<void> observe();
  [[nodiscard]] core::Expected<void> observe_dims(std::uint32_t kernel);
  [[nodiscard]] core::Expected<void> observe_tokens(std::uint32_t kernel);
  [[nodiscard]] core::Expected<void> observe_alpha(std::uint32_t kernel);
  [[nodiscard]] std::unexpected<core::SimError> protocol(const std::string& what,
                                                         core::Fs now) const;
  [[nodiscard]] std::unexpected<core::SimError> wrong(const char* what, std::uint32_t number) const;
  [[nodiscard]] core::Fs next_work() const;

  const SparfPlugin& plugin_;
  const SparfFields& fields_;
  RtlUnit rtl_;
  unit::SparfObserver& observer_;
  std::vector<BeatStream> streams_;          ///< by channel
  std::vector<std::vector<Chosen>> chosen_;  ///< by kernel and slot
  std::uint64_t transfers_ = 0;
  std::vector<Job> jobs_;
};

}  // namespace neardata::rtl
