// SPDX-License-Identifier: Apache-2.0
#include "api/flash/flash_calls.h"

#include <cmath>
#include <string>

namespace neardata::api {

namespace {

core::Answer<std::vector<flash::Arrival>> arrivals_of(
    const std::vector<flash::RoutedRequest>& requests, const FlashReplayRequest& given) {
  const std::size_t count = requests.size();
  if (given.submit.size() != count || given.batch.size() != count ||
      given.operation.size() != count) {
    return core::misuse(
        "submit, batch, operation and where describe different numbers of requests");
  }
  std::vector<flash::Arrival> arrivals(count);
  double last = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "flash request " + std::to_string(i);
    const double submit = given.submit[i];
    if (!(submit >= last && submit <= limits::kExactReal.most) || submit != std::floor(submit)) {
      return core::bad_input(name +
                             ": submit is no whole number of ticks from that of the request "
                             "before it to 2^53");
    }
    const auto operation = core::numbered<flash::Operation>(given.operation[i]);
    if (!operation) return core::bad_input(name + ": its operation is not 0 to 2");
    last = submit;
    arrivals[i] = {.submit = flash::Tick{static_cast<std::int64_t>(submit)},
                   .batch = given.batch[i],
                   .request = requests[i]};
    arrivals[i].request.page.operation = *operation;
  }
  return arrivals;
}

}  // namespace

core::Answer<flash::ReplayResult> flash_replay(const FlashReplayRequest& given) {
  if (auto good = check_package(given.timing.features.package); !good) {
    return std::unexpected(good.error());
  }
  const auto requests = requests_of(given.where, given);
  if (!requests) return std::unexpected(requests.error());
  const auto arrivals = arrivals_of(*requests, given);
  if (!arrivals) return std::unexpected(arrivals.error());
  flash::ReplayResult result =
      flash::replay(given.timing, given.shape, given.arbitration, *arrivals);
  if (result.fault) return core::bad_input(*result.fault);
  return result;
}

core::Answer<flash::ChainResult> flash_chains(const FlashChainsRequest& given) {
  const auto requests = requests_of(given.where, given);
  if (!requests) return std::unexpected(requests.error());
  const flash::ChainList chains{
      .first_step = given.first_step, .first_page = given.first_page, .pages = *requests};
  if (!flash::well_formed(chains)) {
    return core::misuse("firstStep and firstPage do not cut the pages into chains");
  }
  return flash::run_chains(given.timing, given.shape, given.arbitration, chains, given.in_flight);
}

core::Answer<flash::ReadRun> flash_reads(const FlashReadsRequest& given) {
  const flash::ReadPolicy& policy = given.policy;
  const auto requests = requests_of(given.where, given, 1.0 + policy.errors.most_retries,
                                    static_cast<double>(policy.retry_setup.value));
  if (!requests) return std::unexpected(requests.error());
  return flash::read_pages(given.timing, given.shape, given.arbitration, policy, *requests);
}

}  // namespace neardata::api
