// SPDX-License-Identifier: Apache-2.0
#include "flash/replay.h"

#include <utility>

namespace neardata::flash {

ReplayResult replay(const Timing& timing, const DeviceShape& shape, Arbitration arbitration,
                    std::span<const Arrival> arrivals) {
  Backend device(timing, shape, arbitration);
  std::vector<Completion> results(arrivals.size());
  std::vector<Completion> finished;
  std::vector<RoutedRequest> batch;

  const auto run_until = [&](Tick end) {  // handles events up to and including `end`
    for (Tick now = device.next_event(); now <= end && now != kNever; now = device.next_event()) {
      device.step(now, finished);
      for (const Completion& page : finished) results[page.id.value] = page;
      finished.clear();
    }
  };

  for (std::size_t i = 0; i < arrivals.size();) {
    const Arrival& first = arrivals[i];
    batch.clear();
    for (; i < arrivals.size() && arrivals[i].submit == first.submit &&
           arrivals[i].batch == first.batch;
         ++i) {
      batch.push_back(arrivals[i].request);
    }
    run_until(first.submit);
    device.submit(first.submit, batch);
  }
  run_until(kNever);
  return {.pages = std::move(results), .bus_use = device.bus_use(), .fault = device.fault()};
}

}  // namespace neardata::flash
