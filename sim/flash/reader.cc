// SPDX-License-Identifier: Apache-2.0
#include "flash/reader.h"

#include <algorithm>
#include <map>

namespace neardata::flash {

namespace {

class Reading {
 public:
  Reading(Backend& device, const ReadPolicy& policy, std::span<const RoutedRequest> requests)
      : device_(device), policy_(policy), requests_(requests.begin(), requests.end()) {
    run_.answers.resize(requests_.size());
  }

  ReadRun run() {
    submit_all();
    std::vector<Completion> finished;
    while (true) {
      const Tick retry = retries_.empty() ? kNever : retries_.begin()->first;
      const Tick now = std::min(device_.next_event(), retry);
      if (now == kNever) break;
      if (device_.next_event() == now) device_.step(now, finished);
      for (const Completion& page : finished) judge(page);
      finished.clear();
      if (retry == now) resubmit(now);
    }
    run_.bus_use = device_.bus_use();
    return std::move(run_);
  }

 private:
  void submit_all() {
    std::vector<RoutedRequest> batch;
    for (std::uint32_t i = 0; i < requests_.size(); ++i) {
      requests_[i].page.id = RequestId{i};
      requests_[i].page.operation = Operation::kRead;
      if (is_dead(requests_[i].channel)) {
        run_.answers[i] = {.status = ReadStatus::kChannelDead, .done = policy_.dead_timeout};
      } else {
        batch.push_back(requests_[i]);
      }
    }
    device_.submit(Tick{0}, batch);
  }

  [[nodiscard]] bool is_dead(std::uint32_t channel) const {
    return std::ranges::find(policy_.dead_channels, channel) != policy_.dead_channels.end();
  }

  void judge(const Completion& page) {
    const RoutedRequest& request = requests_[page.id.value];
    ReadAnswer& answer = run_.answers[page.id.value];
    const SensedPage sensed = sense(policy_.errors, {request.channel, request.page.address},
                                    request.page.bytes, page.id.value, answer.attempts);
    ++answer.attempts;
    answer.done = page.done;
    if (sensed.correctable) {
      answer.status = answer.attempts == 1 ? ReadStatus::kClean : ReadStatus::kRetried;
      answer.corrected_bits = sensed.corrected_bits;
    } else if (answer.attempts > policy_.errors.most_retries) {
      answer.status = ReadStatus::kUncorrectable;
    } else {
      retries_[page.done + policy_.retry_setup].push_back(request);
    }
  }

  void resubmit(Tick now) {
    device_.submit(now, retries_.begin()->second);
    retries_.erase(retries_.begin());
  }

  Backend& device_;
  const ReadPolicy& policy_;
  std::vector<RoutedRequest> requests_;
  std::map<Tick, std::vector<RoutedRequest>> retries_;
  ReadRun run_;
};

}  // namespace

ReadRun read_pages(const Timing& timing, const DeviceShape& shape, Arbitration arbitration,
                   const ReadPolicy& policy, std::span<const RoutedRequest> requests) {
  Backend device(timing, shape, arbitration);
  return Reading(device, policy, requests).run();
}

}  // namespace neardata::flash
