// SPDX-License-Identifier: Apache-2.0
#include "flash/chains.h"

#include <algorithm>

namespace neardata::flash {

namespace {

class ChainRun {
 public:
  ChainRun(Backend& device, const ChainList& chains)
      : device_(device), chains_(chains), step_of_page_(chains.pages.size()) {
    const std::size_t count = chains.first_step.size() - 1;
    result_.started.resize(count);
    result_.finished.resize(count);
    result_.pages.resize(chains.pages.size());
    outstanding_.resize(chains.first_page.size() - 1);
    chain_of_step_.resize(outstanding_.size());
    for (std::uint32_t chain = 0; chain < count; ++chain) {
      for (std::uint32_t step = chains.first_step[chain]; step < chains.first_step[chain + 1];
           ++step) {
        chain_of_step_[step] = chain;
        for (std::uint32_t page = chains.first_page[step]; page < chains.first_page[step + 1];
             ++page) {
          step_of_page_[page] = step;
        }
      }
    }
  }

  ChainResult run(std::uint32_t in_flight) {
    for (std::uint32_t i = 0; i < in_flight; ++i) begin_next_chain(Tick{0});
    std::vector<Completion> finished;
    for (Tick now = device_.next_event(); now != kNever; now = device_.next_event()) {
      device_.step(now, finished);
      for (const Completion& page : finished) arrived(page, now);
      finished.clear();
    }
    result_.bus_use = device_.bus_use();
    return std::move(result_);
  }

 private:
  void begin_next_chain(Tick now) {
    while (next_chain_ < result_.started.size()) {
      const std::uint32_t chain = next_chain_++;
      result_.started[chain] = now;
      if (begin_step(chain, chains_.first_step[chain], now)) return;
    }
  }

  /// Submits `step` of `chain` or the first later one that has pages. False: the chain has ended.
  bool begin_step(std::uint32_t chain, std::uint32_t step, Tick now) {
    for (; step < chains_.first_step[chain + 1]; ++step) {
      const std::uint32_t first = chains_.first_page[step];
      const std::uint32_t count = chains_.first_page[step + 1] - first;
      if (count == 0) continue;
      outstanding_[step] = count;
      batch_.assign(chains_.pages.begin() + first, chains_.pages.begin() + first + count);
      for (std::uint32_t i = 0; i < count; ++i) batch_[i].page.id = RequestId{first + i};
      device_.submit(now, batch_);
      return true;
    }
    result_.finished[chain] = now;
    return false;
  }

  void arrived(const Completion& page, Tick now) {
    result_.pages[page.id.value] = page;
    const std::uint32_t step = step_of_page_[page.id.value];
    if (--outstanding_[step] != 0) return;
    if (!begin_step(chain_of_step_[step], step + 1, now)) begin_next_chain(now);
  }

  Backend& device_;
  const ChainList& chains_;
  std::vector<std::uint32_t> step_of_page_;
  std::vector<std::uint32_t> chain_of_step_;
  std::vector<std::uint32_t> outstanding_;
  std::vector<RoutedRequest> batch_;
  std::uint32_t next_chain_ = 0;
  ChainResult result_;
};

}  // namespace

bool well_formed(const ChainList& chains) {
  const auto cuts = [](std::span<const std::uint32_t> first, std::size_t total) {
    return !first.empty() && first.front() == 0 && first.back() == total &&
           std::ranges::is_sorted(first);
  };
  return cuts(chains.first_page, chains.pages.size()) &&
         cuts(chains.first_step, chains.first_page.size() - 1);
}

ChainResult run_chains(const Timing& timing, const DeviceShape& shape, Arbitration arbitration,
                       const ChainList& chains, std::uint32_t in_flight) {
  Backend device(timing, shape, arbitration);
  return ChainRun(device, chains).run(in_flight);
}

}  // namespace neardata::flash
