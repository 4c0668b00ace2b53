// SPDX-License-Identifier: Apache-2.0
#include "rtl/rtl_unit.h"

#include <cstdio>
#include <utility>

#include "rtl/unit_fields.h"

namespace neardata::rtl {

using core::Expected;

namespace {

NeardataUnitStart start_of(RtlUnit* unit, decltype(NeardataUnitPrinter::print) print) {
  return {.seed = 0, .assertions = true, .printer = {.print = print, .receiver = unit}};
}

}  // namespace

RtlUnit::RtlUnit(const UnitPlugin& plugin, const core::Clock& clock, RtlOptions options,
                 std::string name)
    : api_(&plugin.api()),
      options_(std::move(options)),
      name_(std::move(name)),
      inputs_(api_->inputs.words),
      outputs_(api_->outputs.words),
      cursor_(clock) {
  const NeardataUnitStart start = start_of(this, print);
  unit_ = {api_->create(&start, outputs_.data()), Destroy{api_}};
}

void RtlUnit::print(void* unit, const char* text, std::uint64_t length) {
  const auto& self = *static_cast<const RtlUnit*>(unit);
  const std::string line = "neardata: " + self.name_ + " (cycle " +
                           std::to_string(self.cycle().value) + "): " + std::string(text, length) +
                           "\n";
  // In one call, so that lines of several threads do not mix.
  std::fwrite(line.data(), 1, line.size(), stderr);
}

Expected<void> RtlUnit::watch() {
  if (options_.checked) {
    if (auto none = check_path(); !none) return none;
  }
  return options_.trace ? trace() : Expected<void>{};
}

std::unexpected<core::SimError> RtlUnit::failure() const {
  NeardataUnitError error{};
  api_->error(unit_.get(), &error);
  return std::unexpected(
      core::SimError{core::Fault::kAssertion, error.place, error.message, cursor_.time()});
}

Expected<void> RtlUnit::clock() {
  if (options_.checked || options_.trace) {
    if (auto good = watch(); !good) return good;
  }
  if (!api_->step(unit_.get(), inputs_.data(), outputs_.data())) return failure();
  cursor_.next();
  return {};
}

Expected<void> RtlUnit::skip(std::int64_t cycles) {
  skipped_ += cycles;
  if (!options_.checked) {
    cursor_.move_to(cursor_.cycle() + core::Cycle{cycles});
    return {};
  }
  clear_inputs();
  const std::vector<std::uint32_t> before = outputs_;
  for (std::int64_t i = 0; i < cycles; ++i) {
    if (auto clocked = clock(); !clocked) return clocked;
    auto same = unchanged(before, "changed while quiet_o was high and nothing came");
    if (!same) return same;
  }
  return {};
}

Expected<void> RtlUnit::trace() {
  const core::Cycle cycle = cursor_.cycle();
  const bool inside = cycle >= options_.trace->from && cycle < options_.trace->to;
  if (inside == tracing_) return {};
  if (!inside) {
    api_->trace_close(unit_.get());
  } else if (!api_->trace_open(unit_.get(), options_.trace->path.c_str(),
                               static_cast<std::uint64_t>(cycle.value))) {
    return std::unexpected(core::SimError{core::Fault::kBadConfig, options_.trace->path,
                                          "the waveform file cannot be written", cursor_.time()});
  }
  tracing_ = inside;
  return {};
}

Expected<void> RtlUnit::check_path() {
  const std::vector<std::uint32_t> before = outputs_;
  api_->settle(unit_.get(), inputs_.data(), outputs_.data());
  return unchanged(before, "followed an input of the same cycle");
}

Expected<void> RtlUnit::unchanged(const std::vector<std::uint32_t>& before, const char* why) const {
  const NeardataUnitField* field = first_difference(api_->outputs, before, outputs_);
  if (field == nullptr) return {};
  return core::broken_rule(name_, std::string("the output ") + field->name + " " + why,
                           cursor_.time());
}

}  // namespace neardata::rtl
