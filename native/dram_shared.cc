// SPDX-License-Identifier: Apache-2.0
#include "dram_shared.h"

#include <cmath>
#include <span>
#include <vector>

#include "dram/shared_ranks.h"
#include "dram_memory.h"
#include "entry.h"
#include "reader.h"

namespace neardata::native {

namespace {

using dram::Cycle;
using dram::RankUser;

constexpr std::size_t kStepFields = 7;

enum class What : std::uint8_t { kHostRead, kHostWrite, kNdpRead, kNdpWrite, kToNdp, kToHost };

struct Step {
  Cycle cycle;
  What what = What::kHostRead;
  dram::Location where;
};

/// Refreshes are done one by one: some million fit into so many cycles.
constexpr double kMostCycles = 1e8;

/// A step; nothing if its numbers are none of time or place.
std::optional<Step> step_of(std::span<const double> fields) {
  for (const double field : fields) {
    if (!(field >= 0 && field <= 0xFFFFFFFF) || field != std::floor(field)) return std::nullopt;
  }
  if (fields[0] > kMostCycles || fields[1] > static_cast<double>(What::kToHost)) {
    return std::nullopt;
  }
  const auto number = [&](std::size_t at) { return static_cast<std::uint32_t>(fields[at]); };
  return Step{Cycle{static_cast<std::int64_t>(fields[0])},
              static_cast<What>(number(1)),
              {number(2), number(3), number(4), number(5), number(6)}};
}

bool exists(const Step& step, const dram::Organization& o) {
  return step.where.rank < o.ranks && step.where.bank_group < o.bank_groups &&
         step.where.bank < o.banks_per_group && step.where.row < o.rows &&
         step.where.column < o.columns_per_row;
}

/// Writes down what happens, as rows of numbers.
class Log final : public dram::SharedRanks::Listener {
 public:
  void command(RankUser user, const dram::IssuedCommand& issued) override {
    const dram::Location& w = issued.where;
    const double step = issued.request ? static_cast<double>(issued.request->value) : -1.0;
    for (const double value :
         {static_cast<double>(issued.cycle.value), user == RankUser::kNdp ? 1.0 : 0.0,
          static_cast<double>(dram::index(issued.command)), static_cast<double>(w.rank),
          static_cast<double>(w.bank_group), static_cast<double>(w.bank),
          static_cast<double>(w.row), static_cast<double>(w.column), step}) {
      commands_.push_back(value);
    }
  }
  void completion(RankUser, dram::RequestId id, Cycle cycle) override {
    completions_.push_back(static_cast<double>(id.value));
    completions_.push_back(static_cast<double>(cycle.value));
  }

  [[nodiscard]] const std::vector<double>& commands() const { return commands_; }
  [[nodiscard]] const std::vector<double>& completions() const { return completions_; }

 private:
  std::vector<double> commands_;
  std::vector<double> completions_;
};

/// Takes one step; false when its access is never taken.
bool take(dram::SharedRanks& ranks, const Step& step, std::uint64_t number, Cycle patience) {
  if (step.cycle > ranks.clock()) ranks.advance(step.cycle);
  const std::uint32_t rank = step.where.rank;
  switch (step.what) {
    case What::kToNdp:
      ranks.hand_over(rank, RankUser::kNdp);
      return true;
    case What::kToHost:
      ranks.hand_over(rank, RankUser::kHost);
      return true;
    default:
      break;
  }
  const bool ndp = step.what == What::kNdpRead || step.what == What::kNdpWrite;
  const bool write = step.what == What::kHostWrite || step.what == What::kNdpWrite;
  // The place serves as the address: equal places are equal addresses.
  const dram::Location& w = step.where;
  const std::uint64_t address = (std::uint64_t{w.row} << 24U) | w.column;
  const dram::Request request{dram::RequestId{number},
                              write ? dram::Operation::kWrite : dram::Operation::kRead, address, w};
  const Cycle last = ranks.clock() + patience;
  while (!ranks.offer(ndp ? RankUser::kNdp : RankUser::kHost, request)) {
    if (ranks.clock() >= last) return false;
    ranks.advance(std::min(ranks.next_event(), last));
  }
  return true;
}

Result shared_ranks(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Problem problem;
  const dram::ControllerConfig config =
      read_dram_memory(Reader(info[0], "config", problem)).controller;
  if (problem) return std::unexpected(*problem);
  if (const auto broken = dram::validate(config)) return bad_input(*broken);
  const auto steps = TypedArray<double>::of(info[1]);
  if (!steps || steps->data().size() % kStepFields != 0) {
    return misuse("steps is a Float64Array of seven numbers a step");
  }
  const auto fields = steps->data();
  Log log;
  dram::SharedRanks ranks(config, log);
  const Cycle patience{100 * config.timing.nREFI.value};
  for (std::size_t at = 0; at < fields.size(); at += kStepFields) {
    const auto step = step_of(fields.subspan(at, kStepFields));
    if (!step || !exists(*step, config.organization)) {
      return misuse("step " + std::to_string(at / kStepFields) + " lies outside the sub-channel");
    }
    if (!take(ranks, *step, at / kStepFields, patience)) {
      return misuse("step " + std::to_string(at / kStepFields) + " is never taken");
    }
  }
  while (ranks.outstanding() != 0) ranks.advance(ranks.next_event());
  Napi::Object out = Napi::Object::New(env);
  out.Set("commands", to_js(env, log.commands()));
  out.Set("completions", to_js(env, log.completions()));
  out.Set("totalCycles", Napi::Number::New(env, static_cast<double>(ranks.clock().value)));
  return out;
}

}  // namespace

void register_dram_shared(Napi::Env env, Napi::Object exports) {
  export_function<shared_ranks>(env, exports, "dramSharedRanks");
}

}  // namespace neardata::native
