// SPDX-License-Identifier: Apache-2.0
#include "api/unit_session.h"

#include <utility>

namespace neardata::api {

namespace {

class UnitProgress final : public rtl::RunProgress {
 public:
  UnitProgress(core::Progress& progress, std::uint64_t cycles)
      : progress_(progress), cycles_(static_cast<double>(cycles)) {}
  bool keep_going(core::Cycle now) override {
    return progress_.report(static_cast<double>(now.value), cycles_);
  }

 private:
  core::Progress& progress_;
  double cycles_;
};

}  // namespace

core::Answer<std::unique_ptr<UnitSession>> UnitSession::open(const Config& config) {
  auto unit = rtl::DrivenUnit::make(config);
  if (!unit) return core::bad_input(unit.error());
  return std::unique_ptr<UnitSession>(new UnitSession(*std::move(unit)));
}

core::Answer<void> UnitSession::reset(const Reset& given) {
  unit_->reset(given.seed);
  return {};
}

core::Answer<rtl::DrivenRun> UnitSession::prepare(rtl::DrivenRun&& given) {
  if (auto why = unit_->refuses(given)) return core::misuse(*std::move(why));
  unit_->keep(given);
  return std::move(given);
}

rtl::DrivenResult UnitSession::run(rtl::DrivenRun& work, core::Progress& progress) {
  UnitProgress unit_progress(progress, work.cycles);
  return unit_->run(work, unit_progress);
}

}  // namespace neardata::api
